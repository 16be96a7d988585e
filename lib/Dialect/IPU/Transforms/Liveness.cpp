//===- Liveness.cpp - Ends of live ranges -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program. Out: the same program with an ipu.write_undef after the last
// use of each variable, in the block of the variable: a variable that is
// declared outside of a loop stays live in the loop. The live range of a
// storage of the module has no end.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_LIVENESSPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// The last op of `block` that uses `variable` or a view of it, itself or in a
/// region; null if none does. Erases views that nothing uses.
static Operation *findLastUse(VarOp variable, Block *block) {
  Operation *last = nullptr;
  SmallVector<Value> values{variable.getResult()};
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user)) {
        values.push_back(view.getResult());
        continue;
      }
      Operation *step = block->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(step))
        last = step;
    }
  for (Value view : llvm::reverse(ArrayRef(values).drop_front()))
    if (view.use_empty())
      view.getDefiningOp()->erase();
  return last;
}

static void endLiveRanges(Block &block) {
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      if (region.hasOneBlock())
        endLiveRanges(region.front());
  for (VarOp variable : llvm::to_vector(block.getOps<VarOp>())) {
    Operation *last = findLastUse(variable, &block);
    if (!last) {
      variable.erase();
      continue;
    }
    if (variable.getInitAttr() || variable.getStorageAttr() ||
        isa<WriteUndefOp>(last))
      continue;
    OpBuilder builder(variable.getContext());
    builder.setInsertionPointAfter(last);
    WriteUndefOp::create(builder, variable.getLoc(), variable.getResult());
  }
}

namespace {
struct Liveness : ipu::impl::LivenessPassBase<Liveness> {
  void runOnOperation() override {
    Region &body = getOperation().getBody();
    // A function without variables is no program.
    if (!getOperation()
             .walk([](VarOp) { return WalkResult::interrupt(); })
             .wasInterrupted())
      return;
    if (!body.hasOneBlock()) {
      getOperation().emitOpError("expects a program of one block but got ")
          << body.getBlocks().size();
      return signalPassFailure();
    }
    endLiveRanges(body.front());
  }
};
} // namespace
