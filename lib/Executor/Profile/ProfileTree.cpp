//===- ProfileTree.cpp - Nesting of the steps of a program ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// In: a program and the steps of its profile. Out: the nesting of these steps,
/// and for each of them its codelets and the variables that it uses.
class TreeBuilder {
public:
  TreeBuilder(const Program &program, Profile &profile) : profile(profile) {
    DenseMap<Operation *, int64_t> numberOfOp;
    for (auto [number, variable] : llvm::enumerate(program.memory.variables))
      if (variable.op)
        numberOfOp.try_emplace(variable.op, number);
    for (const ProgramVariable &variable : program.variables)
      numbers.push_back(numberOfOp.lookup_or(variable.op, -1));
  }

  std::vector<ProfileNode> read(const ProgramSequence &sequence) {
    std::vector<ProfileNode> result;
    std::swap(nodes, result);
    for (const ProgramNode &node : sequence.nodes)
      std::visit([&](const auto &n) { visit(n); }, node);
    std::swap(nodes, result);
    return result;
  }

private:
  // Not steps.
  void visit(const AdvanceRngNode &) {}
  void visit(const ExpectNode &) {}
  void visit(const LiveRangeBeginNode &) {}
  void visit(const LiveRangeEndNode &) {}

  void visit(const SyncNode &node) { add(node.step); }
  void visit(const CodeNode &node) { add(node.step); }
  void visit(const ComputeNode &node) {
    ProfileStep &step = profile.steps[node.step];
    llvm::SetVector<StringRef> codelets;
    for (const VertexGroup &group : node.groups) {
      codelets.insert(VerticesOp(group.op).getCodelet());
      ArrayRef<unsigned> used = group.variables;
      use(step.reads, used.take_front(group.numInputs));
      use(step.writes, used.drop_front(group.numInputs));
      if (group.rng)
        use(step.writes, *group.rng);
    }
    for (StringRef codelet : codelets)
      step.codelets.push_back(toUTF8(codelet));
    add(node.step);
  }
  void visit(const ExchangeNode &node) {
    ProfileStep &step = profile.steps[node.step];
    for (const ProgramMove &move : node.moves) {
      use(step.reads, move.source);
      use(step.writes, move.target);
    }
    add(node.step);
  }
  void visit(const HostCopyNode &node) {
    ProfileStep &step = profile.steps[node.step];
    use(node.isLoad ? step.writes : step.reads, node.variable);
    add(node.step);
  }
  void visit(const CollectiveNode &node) {
    ProfileStep &step = profile.steps[node.step];
    use(step.reads, node.source);
    use(step.writes, node.target);
    if (node.rng)
      use(step.writes, *node.rng);
    add(node.step);
  }
  void visit(const ReplicaIndexNode &node) {
    use(profile.steps[node.step].writes, node.variable);
    add(node.step);
  }
  void visit(const RemoteNode &node) {
    ProfileStep &step = profile.steps[node.step];
    for (const ProgramRemoteCopy &copy : node.copies) {
      use(copy.isLoad ? step.writes : step.reads, copy.variable);
      if (copy.rowVariable)
        use(step.reads, *copy.rowVariable);
    }
    add(node.step);
  }
  void visit(const CallNode &node) { add(node.step).function = node.function; }
  void visit(const std::unique_ptr<RepeatNode> &node) {
    std::vector<ProfileNode> body = read(node->body);
    if (node->countVariable)
      use(profile.steps[node->step].reads, *node->countVariable);
    add(node->step).bodies = {std::move(body)};
  }
  void visit(const std::unique_ptr<IfNode> &node) {
    std::vector<ProfileNode> thenBody = read(node->thenBody);
    std::vector<ProfileNode> elseBody = read(node->elseBody);
    use(profile.steps[node->step].reads, node->condition);
    add(node->step).bodies = {std::move(thenBody), std::move(elseBody)};
  }
  void visit(const std::unique_ptr<WhileNode> &node) {
    std::vector<ProfileNode> before = read(node->before);
    std::vector<ProfileNode> body = read(node->body);
    use(profile.steps[node->step].reads, node->condition);
    add(node->step).bodies = {std::move(before), std::move(body)};
  }

  ProfileNode &add(unsigned step) {
    nodes.push_back({step, {}, std::nullopt});
    return nodes.back();
  }

  /// Adds `variables` to `uses`, which stay ascending and distinct.
  void use(std::vector<int64_t> &uses, ArrayRef<unsigned> variables) {
    for (unsigned variable : variables) {
      int64_t number = numbers[variable];
      auto at = llvm::lower_bound(uses, number);
      if (number >= 0 && (at == uses.end() || *at != number))
        uses.insert(at, number);
    }
  }

  Profile &profile;
  /// The number in the profile of each variable of the program.
  SmallVector<int64_t> numbers;
  /// Of the sequence that is read.
  std::vector<ProfileNode> nodes;
};
} // namespace

void mlir::ipu::profileTree(const Program &program, Profile &profile) {
  TreeBuilder builder(program, profile);
  profile.program = builder.read(program.body);
  for (const ProgramFunction &function : program.functions)
    profile.functions.push_back(
        {toUTF8(function.name), builder.read(function.body)});
}
