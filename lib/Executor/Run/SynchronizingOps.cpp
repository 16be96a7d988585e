//===- SynchronizingOps.cpp - Nodes that synchronize replicas -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SynchronizingOps.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class SynchronizingOpFinder {
public:
  explicit SynchronizingOpFinder(const Program &program)
      : program(program), seen(program.functions.size()) {}

  bool find(const ProgramSequence &sequence) {
    ArrayRef<ProgramNode> nodes = sequence.nodes;
    for (auto [i, node] : llvm::enumerate(nodes)) {
      if (!std::visit([&](const auto &inner) { return visit(inner); }, node))
        continue;
      if (isExternalSync(node))
        nameTransfer(nodes.drop_front(i + 1));
      return true;
    }
    return false;
  }

  SynchronizingOp found;

private:
  static bool isExternalSync(const ProgramNode &node) {
    const auto *sync = std::get_if<SyncNode>(&node);
    return sync && sync->kind == SyncKind::External;
  }
  /// Names what all replicas wait for, if an external sync is followed by that:
  /// programs say nothing of the sync.
  void nameTransfer(ArrayRef<ProgramNode> afterSync) {
    for (const ProgramNode &node : afterSync) {
      if (std::holds_alternative<SyncNode>(node))
        return;
      if (const auto *copy = std::get_if<HostCopyNode>(&node))
        return (void)visit(*copy);
      if (const auto *remote = std::get_if<RemoteNode>(&node))
        return (void)visit(*remote);
    }
  }
  bool setOp(Operation *op) {
    found.op = op;
    return true;
  }
  bool visit(const HostCopyNode &node) {
    return setOp(program.steps[node.step]);
  }
  bool visit(const CollectiveNode &node) { return setOp(node.op); }
  bool visit(const RemoteNode &node) { return setOp(program.steps[node.step]); }
  bool visit(const CodeNode &node) { return setOp(node.op); }
  bool visit(const SyncNode &node) {
    return node.kind == SyncKind::External && setOp(program.steps[node.step]);
  }
  bool visit(const std::unique_ptr<RepeatNode> &node) {
    return find(node->body);
  }
  bool visit(const std::unique_ptr<IfNode> &node) {
    return find(node->thenBody) || find(node->elseBody);
  }
  bool visit(const std::unique_ptr<WhileNode> &node) {
    return find(node->before) || find(node->body);
  }
  bool visit(const CallNode &node) {
    if (seen.test(node.function))
      return false;
    seen.set(node.function);
    found.calls.push_back(node.op);
    if (find(program.functions[node.function].body))
      return true;
    found.calls.pop_back();
    return false;
  }
  bool visit(const AdvanceRngNode &) { return false; }
  bool visit(const ComputeNode &) { return false; }
  bool visit(const ExchangeNode &) { return false; }
  bool visit(const ExpectNode &) { return false; }
  bool visit(const LiveRangeBeginNode &) { return false; }
  bool visit(const LiveRangeEndNode &) { return false; }
  bool visit(const ReplicaIndexNode &) { return false; }

  const Program &program;
  /// Functions that have been looked at.
  llvm::BitVector seen;
};
} // namespace

std::optional<SynchronizingOp>
mlir::ipu::findSynchronizingOp(const Program &program,
                               ArrayRef<const ProgramSequence *> bodies) {
  SynchronizingOpFinder finder(program);
  for (const ProgramSequence *body : bodies)
    if (finder.find(*body))
      return std::move(finder.found);
  return std::nullopt;
}
