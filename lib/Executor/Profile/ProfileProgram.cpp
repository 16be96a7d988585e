//===- ProfileProgram.cpp - Profile without values --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Tells a builder what a run would.
class Accountant {
public:
  Accountant(const Program &program, ProfileBuilder &builder)
      : program(program), builder(builder) {}

  LogicalResult run(const ProgramSequence &sequence) {
    for (const ProgramNode &node : sequence.nodes)
      if (failed(std::visit([&](const auto &n) { return visit(n); }, node)))
        return failure();
    return success();
  }

private:
  LogicalResult visit(const SyncNode &node) {
    builder.runSync(node.step, node.kind);
    return success();
  }
  LogicalResult visit(const CodeNode &node) {
    builder.runSync(node.step, getSyncKind(node));
    return success();
  }
  LogicalResult visit(const CallNode &node) {
    if (failed(run(program.functions[node.function].body)))
      return failure();
    builder.runStep(node.step);
    return success();
  }
  LogicalResult visit(const std::unique_ptr<RepeatNode> &node) {
    if (node->countVariable)
      return refuse(node->op);
    LogicalResult result = success();
    builder.runRepeatedly(node->count, [&] {
      if (failed(run(node->body)))
        result = failure();
      builder.runStep(node->step);
    });
    return result;
  }
  LogicalResult visit(const std::unique_ptr<IfNode> &node) {
    return refuse(node->op);
  }
  LogicalResult visit(const std::unique_ptr<WhileNode> &node) {
    return refuse(node->op);
  }
  LogicalResult visit(const AdvanceRngNode &) { return success(); }
  LogicalResult visit(const ExpectNode &) { return success(); }
  LogicalResult visit(const LiveRangeBeginNode &) { return success(); }
  LogicalResult visit(const LiveRangeEndNode &) { return success(); }
  /// Whatever the host or other replicas take part in.
  template <typename NodeTy>
  LogicalResult visit(const NodeTy &node) {
    constexpr bool isLocal = std::is_same_v<NodeTy, ComputeNode> ||
                             std::is_same_v<NodeTy, ExchangeNode> ||
                             std::is_same_v<NodeTy, ReplicaIndexNode>;
    if (isLocal)
      builder.runStep(node.step);
    else
      builder.runSync(node.step, SyncKind::External);
    return success();
  }

  LogicalResult refuse(Operation *op) {
    return op->emitOpError("depends on values, which engine 'none' does not "
                           "compute: use another engine for the profile");
  }

  const Program &program;
  ProfileBuilder &builder;
};
} // namespace

SyncKind mlir::ipu::getSyncKind(const CodeNode &node) {
  return node.isLoad ? SyncKind::External : SyncKind::Internal;
}

FailureOr<Profile> mlir::ipu::profileProgram(const Program &program,
                                             const Profile &description) {
  ProfileBuilder builder(program, description);
  if (failed(Accountant(program, builder).run(program.body)))
    return failure();
  return builder.finish();
}
