//===- Liveness.cpp - End the lives of variables ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program without control flow.
// Out: the same with an ipu.write_undef after the last use of each variable.
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

/// The last op of `block` that uses `value` or a view of it, itself or in a
/// region; null if none does.
static Operation *findLastUse(Value value, Block *block) {
  Operation *last = nullptr;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user))
        worklist.push_back(view.getResult());
      Operation *step = block->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(step))
        last = step;
    }
  }
  return last;
}

namespace {
struct Liveness : ipu::impl::LivenessPassBase<Liveness> {
  void runOnOperation() override {
    Region &body = getOperation().getBody();
    // A function without variables is no program.
    if (body.getOps<VarOp>().empty())
      return;
    if (!body.hasOneBlock()) {
      getOperation().emitOpError("expects a program of one block");
      return signalPassFailure();
    }
    Block *block = &body.front();
    for (auto variable : llvm::make_early_inc_range(block->getOps<VarOp>())) {
      Operation *last = findLastUse(variable.getResult(), block);
      if (!last) {
        variable.erase();
        continue;
      }
      if (variable.getInitAttr() || isa<WriteUndefOp>(last))
        continue;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(last);
      WriteUndefOp::create(builder, variable.getLoc(), variable.getResult());
    }
  }
};
} // namespace
