//===- ReplicaEqualCallJudge.cpp - Calls that disagree --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualCallJudge.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

using Kind = ReplicaDisagreement::Kind;

std::optional<std::pair<int64_t, int64_t>>
replica_equal::findSeparated(ReplicaPartition coarse, ReplicaPartition fine) {
  llvm::DenseMap<int64_t, int64_t> leastOf;
  for (auto [replica, number] : llvm::enumerate(coarse.getClasses())) {
    int64_t least = leastOf.try_emplace(number, replica).first->second;
    if (!fine.areEqual(least, replica))
      return std::pair<int64_t, int64_t>(least, replica);
  }
  return std::nullopt;
}

CallJudge::CallJudge(EquationBuilder &program, ReplicaEqualContext &context)
    : program(program), context(context) {
  for (FunctionOpInterface function : program.calls.getFunctions()) {
    auto nodes = program.functions.find(function);
    if (nodes != program.functions.end() &&
        program.calls.getCallsOf(function).size() > 1)
      addSubjects(function, nodes->second);
  }
  for (auto [number, subject] : llvm::enumerate(subjects))
    for (const PassedNode &passed : subject.passed)
      if (passed.node != kAll)
        subjectsOf[passed.node].push_back(number);
}

void CallJudge::addSubjects(FunctionOpInterface callee, FunctionNodes &nodes) {
  for (auto [argument, passed] : llvm::enumerate(nodes.passed))
    if (!passed.empty())
      subjects.push_back({callee,
                          Kind::Argument,
                          static_cast<unsigned>(argument),
                          {},
                          passed});
  for (const EntryCell &cell : nodes.entry) {
    // What is only replaced does not matter.
    if (!program.graph.isUsed(cell.node))
      continue;
    const MemoryLocation &key =
        program.memoryRegions.getKey(cell.memoryLocation);
    if (auto argument = dyn_cast_if_present<BlockArgument>(key.getRoot()))
      subjects.push_back(
          {callee, Kind::Argument, argument.getArgNumber(), {}, cell.passed});
    else
      subjects.push_back(
          {callee, Kind::State, 0, key.getSymbol(), cell.passed});
  }
  subjects.push_back({callee, Kind::Control, 0, {}, nodes.passedControl});
}

void CallJudge::judge(Subject &subject) const {
  if (!subject.found.empty())
    return;
  auto get = [&](const PassedNode &passed) {
    return program.graph.get(passed.node);
  };
  ReplicaPartition first = get(subject.passed.front());
  if (llvm::all_of(subject.passed, [&](const PassedNode &passed) {
        return get(passed) == first;
      }))
    return;
  subject.found = llvm::map_to_vector(subject.passed, get);
}

void CallJudge::judge(ArrayRef<Lowering> lowered) {
  llvm::SmallSetVector<unsigned, 8> affected;
  for (const Lowering &lowering : lowered) {
    auto found = subjectsOf.find(lowering.node);
    if (found != subjectsOf.end())
      affected.insert(found->second.begin(), found->second.end());
  }
  for (unsigned number : affected)
    judge(subjects[number]);
}

/// Whether calls that disagreed still do, or agree because they all have what
/// one of them made of it.
bool CallJudge::stillMatters(const Subject &subject) const {
  const EquationGraph &graph = program.graph;
  ReplicaPartition first = graph.get(subject.passed.front().node);
  for (const PassedNode &passed : subject.passed)
    if (graph.get(passed.node) != first)
      return true;
  for (auto [passed, before] : llvm::zip_equal(subject.passed, subject.found)) {
    auto pair = findSeparated(before, graph.get(passed.node));
    if (!pair)
      continue;
    auto path = graph.trace({passed.node, pair->first, pair->second});
    if (llvm::any_of(path, [&](const ReplicaDifference &step) {
          return subject.callee->isAncestor(step.op);
        }))
      return true;
  }
  return false;
}

ReplicaDisagreement CallJudge::makeDisagreement(
    const Subject &subject,
    const llvm::DenseMap<Operation *, unsigned> &order) const {
  ReplicaDisagreement made{subject.callee,
                           subject.kind,
                           subject.argument,
                           subject.state,
                           context.partitions.getAll(),
                           {}};
  for (auto [passed, partition] :
       llvm::zip_equal(subject.passed, subject.found)) {
    made.calls.push_back({passed.call, partition});
    made.partition = context.partitions.meet(made.partition, partition);
  }
  llvm::sort(made.calls, [&](const auto &a, const auto &b) {
    return order.lookup(a.first) < order.lookup(b.first);
  });
  return made;
}

SmallVector<ReplicaDisagreement> CallJudge::getDisagreements() const {
  SmallVector<ReplicaDisagreement> disagreements;
  llvm::DenseMap<Operation *, unsigned> order;
  FunctionOpInterface last;
  for (const Subject &subject : subjects) {
    if (subject.found.empty() || !stillMatters(subject))
      continue;
    if (subject.callee != last) {
      order.clear();
      last = subject.callee;
      for (CallOpInterface call : program.calls.getCallsOf(last))
        order[call] = order.size();
    }
    disagreements.push_back(makeDisagreement(subject, order));
  }
  return disagreements;
}
