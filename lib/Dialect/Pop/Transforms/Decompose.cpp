//===- Decompose.cpp - Write ops as simpler ops -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::DecomposableOpInterface;

namespace {
/// Collects the ops that a builder makes, to be decomposed in turn.
struct NewOpsListener : OpBuilder::Listener {
  explicit NewOpsListener(SmallVectorImpl<Operation *> &ops) : ops(ops) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    inheritPlacement(source, op);
    if (isa<DecomposableOpInterface>(op))
      ops.push_back(op);
  }

  SmallVectorImpl<Operation *> &ops;
  /// What is being decomposed.
  Operation *source = nullptr;
};

struct DecomposePass : pop::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    getOperation()->walk(
        [&](DecomposableOpInterface op) { worklist.push_back(op); });
    NewOpsListener listener(worklist);
    OpBuilder builder(&getContext(), &listener);
    while (!worklist.empty()) {
      auto op = cast<DecomposableOpInterface>(worklist.pop_back_val());
      builder.setInsertionPoint(op);
      listener.source = op;
      FailureOr<SmallVector<Value>> replacement = op.decompose(builder);
      if (failed(replacement))
        continue;
      op->replaceAllUsesWith(*replacement);
      op->erase();
    }
  }
};
} // namespace
