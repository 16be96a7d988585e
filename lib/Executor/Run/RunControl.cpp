//===- RunControl.cpp - Branches, loops and calls of a run ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions and counts may differ between replicas. Then each branch, or each
// number of iterations, is executed separately, for the replicas that take it.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "SynchronizingOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Values that decide
//===----------------------------------------------------------------------===//

/// Numbers in ascending order as "0, 2 to 5, 7"; not all of many.
static std::string describeReplicas(ArrayRef<int64_t> replicas) {
  constexpr unsigned kMaxRanges = 8;
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned numRanges = 0;
  for (size_t i = 0; i < replicas.size(); ++i) {
    size_t first = i;
    while (i + 1 < replicas.size() && replicas[i + 1] == replicas[i] + 1)
      ++i;
    if (numRanges++)
      os << ", ";
    if (numRanges > kMaxRanges) {
      os << "...";
      break;
    }
    os << replicas[first];
    if (i > first)
      os << (i > first + 1 ? " to " : ", ") << replicas[i];
  }
  return text;
}

FailureOr<int64_t> Run::readScalar(Operation *user, unsigned variable,
                                   int64_t replica) {
  const ProgramVariable &info = program.variables[variable];
  uint64_t bits = 0;
  if (failed(memory.read(user, variable, replica,
                         reinterpret_cast<char *>(&bits))))
    return failure();
  unsigned width = info.type.getElementTypeBitWidth();
  return width == 1 ? static_cast<int64_t>(bits & 1)
                    : llvm::SignExtend64(bits, width);
}

LogicalResult Run::refuse(Operation *user, unsigned variable,
                          ArrayRef<Decision> decisions,
                          const SynchronizingOp &found) {
  const ProgramVariable &info = program.variables[variable];
  InFlightDiagnostic diag = user->emitOpError();
  diag << "expects control-flow predicate \"" << info.name
       << "\" to be equal on all replicas, because they execute '"
       << found.op->getName() << "' together";
  for (Operation *call : found.calls)
    diag.attachNote(call->getLoc()) << "called here";
  diag.attachNote(found.op->getLoc())
      << "'" << found.op->getName() << "' op is here";
  constexpr unsigned kMaxValues = 8;
  for (const Decision &decision : decisions.take_front(kMaxValues)) {
    Diagnostic &note = diag.attachNote(info.op->getLoc());
    if (info.type.getElementType().isInteger(1))
      note << (decision.value ? "true" : "false");
    else
      note << decision.value;
    note << (decision.replicas.size() == 1 ? " on replica " : " on replicas ")
         << describeReplicas(decision.replicas);
  }
  if (decisions.size() > kMaxValues)
    diag.attachNote(info.op->getLoc())
        << decisions.size() - kMaxValues << " other values";
  return diag;
}

FailureOr<SmallVector<Run::Decision>>
Run::decide(Operation *user, unsigned variable,
            ArrayRef<const ProgramSequence *> bodies) {
  ReplicaPartition partition = memory.getPartition(variable);
  llvm::MapVector<int64_t, SmallVector<int64_t>> replicasOfValue;
  std::vector<std::optional<int64_t>> values(partition.getNumClasses());
  for (int64_t replica : memory.getActive().get()) {
    std::optional<int64_t> &value = values[partition.classOf(replica)];
    if (!value) {
      FailureOr<int64_t> read = readScalar(user, variable, replica);
      if (failed(read))
        return failure();
      value = *read;
    }
    replicasOfValue[*value].push_back(replica);
  }
  SmallVector<Decision> decisions;
  for (auto &[value, which] : replicasOfValue)
    decisions.push_back({value, std::move(which)});
  if (decisions.size() == 1 || divisible.contains(user))
    return decisions;
  if (std::optional<SynchronizingOp> found =
          findSynchronizingOp(program, bodies))
    return refuse(user, variable, decisions, *found);
  divisible.insert(user);
  return decisions;
}

LogicalResult Run::setActive(const ActiveReplicas &active) {
  profile.setActive(active.get());
  return memory.setActive(active);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult Run::runRounds(const RepeatNode &node, int64_t count) {
  ProgressMeter::Interval whole = progress.getInterval();
  double rounds = count;
  for (int64_t i = 0; i < count; ++i) {
    progress.setInterval(whole.getPart(i / rounds, (i + 1) / rounds));
    if (failed(runSequence(node.body)))
      return failure();
    profile.runStep(node.step);
  }
  return success();
}

/// Replicas leave the loop one after another, those with the fewest rounds
/// first.
LogicalResult Run::visit(const std::unique_ptr<RepeatNode> &node) {
  if (!node->countVariable)
    return runRounds(*node, node->count);
  FailureOr<SmallVector<Decision>> decisions =
      decide(node->op, *node->countVariable, {&node->body});
  if (failed(decisions))
    return failure();
  if (decisions->size() == 1)
    return runRounds(*node, decisions->front().value);
  ActiveReplicas all = memory.getActive();
  llvm::sort(*decisions, [](const Decision &a, const Decision &b) {
    return a.value < b.value;
  });
  ProgressMeter::Interval whole = progress.getInterval();
  double most = std::max<int64_t>(decisions->back().value, 1);
  llvm::SmallSet<int64_t, 4> gone;
  int64_t done = 0;
  for (const Decision &decision : *decisions) {
    SmallVector<int64_t> left = llvm::to_vector(llvm::make_filter_range(
        all.get(), [&](int64_t replica) { return !gone.contains(replica); }));
    progress.setInterval(
        whole.getPart(done / most, std::max(done, decision.value) / most));
    if (failed(setActive(ActiveReplicas(replicas, left))) ||
        failed(runRounds(*node, decision.value - done)))
      return failure();
    done = std::max(done, decision.value);
    gone.insert_range(decision.replicas);
  }
  return setActive(all);
}

/// Each arm starts with the code that is there before the branch.
LogicalResult Run::runArms(const IfNode &node, ArrayRef<Decision> decisions) {
  ActiveReplicas all = memory.getActive();
  CodeResidency before = code;
  std::optional<CodeResidency> after;
  ProgressMeter::Interval whole = progress.getInterval();
  double arms = decisions.size();
  for (auto [arm, decision] : llvm::enumerate(decisions)) {
    progress.setInterval(whole.getPart(arm / arms, (arm + 1) / arms));
    code = before;
    if (failed(setActive(ActiveReplicas(replicas, decision.replicas))) ||
        failed(runSequence(decision.value ? node.thenBody : node.elseBody)))
      return failure();
    if (after)
      code.intersect(*after);
    after = code;
  }
  return setActive(all);
}

LogicalResult Run::visit(const std::unique_ptr<IfNode> &node) {
  FailureOr<SmallVector<Decision>> decisions =
      decide(node->op, node->condition, {&node->thenBody, &node->elseBody});
  if (failed(decisions))
    return failure();
  profile.runSync(node->step, SyncKind::IPUs);
  if (decisions->size() > 1)
    return runArms(*node, *decisions);
  return runSequence(decisions->front().value ? node->thenBody
                                              : node->elseBody);
}

LogicalResult Run::visit(const std::unique_ptr<WhileNode> &node) {
  // From when the first replica has left.
  std::optional<ActiveReplicas> all;
  ProgressMeter::Interval whole = progress.getInterval();
  // How many rounds are left is not known.
  ProgressMeter::Interval round = whole.getPart(0.0, 0.0);
  while (true) {
    progress.setInterval(round);
    if (failed(runSequence(node->before)))
      return failure();
    FailureOr<SmallVector<Decision>> decisions =
        decide(node->op, node->condition, {&node->before, &node->body});
    if (failed(decisions))
      return failure();
    profile.runSync(node->step, SyncKind::IPUs);
    const Decision *goOn = llvm::find_if(
        *decisions, [](const Decision &decision) { return decision.value; });
    if (goOn == decisions->end())
      return all ? setActive(*all) : success();
    if (decisions->size() > 1) {
      if (!all)
        all = memory.getActive();
      if (failed(setActive(ActiveReplicas(replicas, goOn->replicas))))
        return failure();
    }
    progress.setInterval(round);
    if (failed(runSequence(node->body)))
      return failure();
  }
}

LogicalResult Run::visit(const CallNode &node) {
  const ProgramFunction &function = program.functions[node.function];
  if (function.isLoaded && !code.isResident(node.function)) {
    InFlightDiagnostic diag = node.op->emitOpError();
    diag << "internal error: the code of '" << function.name
         << "' is not on the tiles";
    return diag;
  }
  if (function.isLoaded && failed(memory.callCode(node.op, node.function)))
    return failure();
  profile.beginCall();
  if (failed(runSequence(function.body)))
    return failure();
  profile.endCall(node.function);
  profile.runStep(node.step);
  if (node.isLastUse)
    code.remove(node.function);
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

LogicalResult Run::visit(const CodeNode &node) {
  profile.runSync(node.step, getSyncKind(node));
  for (unsigned function : node.functions) {
    if (!node.isLoad && !code.isIn(node.source, function)) {
      InFlightDiagnostic diag = node.op->emitOpError();
      diag << "expects the code of '" << program.functions[function].name
           << "' to be in '" << stringifyCodeLocation(node.source) << "'";
      return diag;
    }
    code.add(node.destination, function);
    if (node.destination == CodeLocation::Executable)
      memory.loadCode(function);
  }
  return success();
}
