//===- Finalize.cpp - What propagation needed goes away -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVESHARDINGGROUPSPASS
#define GEN_PASS_DEF_SHARDINGCONSTRAINTTORESHARDPASS
#define GEN_PASS_DEF_CLOSESHARDINGSPASS
#define GEN_PASS_DEF_DROPSHARDINGRULESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct RemoveShardingGroupsPass
    : sdy::impl::RemoveShardingGroupsPassBase<RemoveShardingGroupsPass> {
  using RemoveShardingGroupsPassBase::RemoveShardingGroupsPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](ShardingGroupOp op) {
      op.erase();
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

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

struct CloseShardingsPass
    : sdy::impl::CloseShardingsPassBase<CloseShardingsPass> {
  using CloseShardingsPassBase::CloseShardingsPassBase;
  void runOnOperation() override {
    auto close = [&](TensorShardingAttr sharding) {
      auto dims = llvm::map_to_vector(
          sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
            return DimensionShardingAttr::get(&getContext(), dim.getAxes(),
                                              /*is_closed=*/true, std::nullopt);
          });
      return TensorShardingAttr::get(
          &getContext(), sharding.getMeshOrRef(), dims, /*replicated=*/{},
          sharding.getUnreducedAxes(), sharding.getReductionKind());
    };
    if (!replaceShardings(getOperation(), close))
      markAllAnalysesPreserved();
  }
};

struct DropShardingRulesPass
    : sdy::impl::DropShardingRulesPassBase<DropShardingRulesPass> {
  using DropShardingRulesPassBase::DropShardingRulesPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](Operation *op) {
      changed |= static_cast<bool>(op->removeAttr(kShardingRuleAttrName));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
