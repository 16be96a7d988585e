//===- ShardingConstraintToReshard.cpp - Constraints as reshards ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_SHARDINGCONSTRAINTTORESHARDPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct ShardingConstraintToReshardPass
    : sdy::impl::ShardingConstraintToReshardPassBase<
          ShardingConstraintToReshardPass> {
  using ShardingConstraintToReshardPassBase::
      ShardingConstraintToReshardPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](ShardingConstraintOp op) {
      OpBuilder builder(op);
      auto reshard = ReshardOp::create(builder, op.getLoc(), op.getType(),
                                       op.getInput(), op.getSharding());
      reshard->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(reshard.getResult());
      op.erase();
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
