//===- ApplyShardingConstraints.cpp - Shardings from constraints ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: constraints on values. Out: a closed constraint that no other contradicts
// is the sharding of its operand too. Where the operand is on an edge, its
// other users read the constraint's result instead. The last of a chain of
// constraints is what all later users of the first one's operand read. After
// Shardy's pass of the same name.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_APPLYSHARDINGCONSTRAINTSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// The sharding that a use demands: a constraint's, or a manual computation's
/// of its operand.
static TensorShardingAttr getDemand(OpOperand &use) {
  if (auto constraint = dyn_cast<ShardingConstraintOp>(use.getOwner()))
    return constraint.getSharding();
  if (auto manual = dyn_cast<ManualComputationOp>(use.getOwner()))
    return manual.getInShardings().getShardings()[use.getOperandNumber()];
  return {};
}

/// Whether what `demand` says of `value` can be said of the value itself.
static bool canApply(Value value, TensorShardingAttr demand) {
  if (!demand.isFullyClosed() || getSharding(value))
    return false;
  auto argument = dyn_cast<BlockArgument>(value);
  bool isShardable = !argument || (argument.getOwner()->isEntryBlock() &&
                                   isa<FunctionOpInterface, NamedComputationOp>(
                                       argument.getOwner()->getParentOp()));
  if (!isShardable && !value.getDefiningOp<DataFlowEdgeOp>())
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    TensorShardingAttr other = getDemand(use);
    return !other || other == demand;
  });
}

static TensorShardingAttr withUnreduced(TensorShardingAttr sharding,
                                        TensorShardingAttr from) {
  return TensorShardingAttr::get(
      sharding.getContext(), sharding.getMeshOrRef(),
      sharding.getDimShardings(), sharding.getReplicatedAxes(),
      from.getUnreducedAxes(), from.getReductionKind());
}

/// Lets all other users of `value`, the result of an edge or what an edge
/// takes, read the constraint.
static void redirectUses(Value value, OpOperand &use,
                         TensorShardingAttr demand) {
  auto constraint = dyn_cast<ShardingConstraintOp>(use.getOwner());
  if (!constraint) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    constraint = ShardingConstraintOp::create(builder, value.getLoc(),
                                              value.getType(), value, demand);
  } else if (Operation *definition = value.getDefiningOp()) {
    constraint->moveAfter(definition);
  } else {
    constraint->moveBefore(&value.getParentBlock()->front());
  }
  value.replaceAllUsesExcept(constraint.getResult(), constraint);
  if (!demand.getUnreducedAxes().empty())
    setSharding(value, withUnreduced(TensorShardingAttr::getFullyOpen(
                                         value.getContext(), demand.getRank(),
                                         demand.getMeshOrRef()),
                                     demand));
}

/// Whether `value` is a target of an edge: the result of its op.
static bool isOnEdge(Value value) {
  return value.getDefiningOp<DataFlowEdgeOp>() ||
         (value.hasOneUse() && isa<DataFlowEdgeOp>(*value.user_begin()));
}

static void applyDemands(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    TensorShardingAttr demand = getDemand(use);
    Value value = use.get();
    if (!demand || !canApply(value, demand))
      continue;
    if (isOnEdge(value))
      redirectUses(value, use, demand);
    else
      setSharding(value, demand);
  }
}

/// The one constraint that uses `value`; null if there is none or several.
static ShardingConstraintOp getOnlyConstraint(Value value) {
  ShardingConstraintOp only;
  for (Operation *user : value.getUsers())
    if (auto constraint = dyn_cast<ShardingConstraintOp>(user)) {
      if (only)
        return {};
      only = constraint;
    }
  return only;
}

static void applyChain(ShardingConstraintOp first) {
  Value value = first.getInput();
  if (getSharding(value) || value.getDefiningOp<ShardingConstraintOp>() ||
      getOnlyConstraint(value) != first)
    return;
  ShardingConstraintOp last = first;
  while (last.getResult().hasOneUse()) {
    auto next = dyn_cast<ShardingConstraintOp>(*last.getResult().user_begin());
    if (!next)
      break;
    last = next;
  }
  if (last == first || getOnlyConstraint(last.getResult()))
    return;
  value.replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == first || user->hasTrait<OpTrait::IsTerminator>())
      return isa<FunctionOpInterface>(user->getParentOp())
                 ? false
                 : user != first && user->getBlock() == last->getBlock();
    Operation *ancestor = last->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && last->isBeforeInBlock(ancestor);
  });
}

namespace {
struct ApplyShardingConstraintsPass
    : sdy::impl::ApplyShardingConstraintsPassBase<
          ApplyShardingConstraintsPass> {
  using ApplyShardingConstraintsPassBase::ApplyShardingConstraintsPassBase;
  void runOnOperation() override {
    bool found = false;
    getOperation().walk([&](Operation *op) {
      if (isa<ShardingConstraintOp, ManualComputationOp>(op)) {
        applyDemands(op);
        found = true;
      }
      if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
        applyChain(constraint);
    });
    if (!found)
      markAllAnalysesPreserved();
  }
};
} // namespace
