//===- ApplyShardingConstraints.cpp - Shardings from constraints ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: constraints on values. Out: a closed constraint that no other constraint
// contradicts also becomes the sharding of its operand. If the operand is on an
// edge, its other users use the constraint's result instead. All later users of
// the first operand of a chain of constraints use the result of the last
// constraint. The pass follows Shardy's pass of the same name.
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "../Propagation/ShardingOrigins.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

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

/// The op of the edge that `value` is on: of what the op takes or gives, or of
/// an argument of a region that the edge goes to. Null if there is none.
static DataFlowEdgeOp getEdgeOf(Value value) {
  if (auto edge = value.getDefiningOp<DataFlowEdgeOp>())
    return edge;
  Value carrier = getShardedValue(value);
  return carrier ? carrier.getDefiningOp<DataFlowEdgeOp>() : DataFlowEdgeOp();
}

/// Whether a sharding can be attached to `value` or its edge.
static bool isShardable(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return !argument || getEdgeOf(value) ||
         (argument.getOwner()->isEntryBlock() &&
          isa<FunctionOpInterface, NamedComputationOp>(
              argument.getOwner()->getParentOp()));
}

/// The sharding of `value`, or of the edge that it is on.
static TensorShardingAttr getOwnSharding(Value value) {
  DataFlowEdgeOp edge = getEdgeOf(value);
  return getSharding(edge ? edge.getResult() : value);
}

/// Whether what `demand` says of `value` can be said of the value itself.
static bool canApply(Value value, TensorShardingAttr demand) {
  if (!demand.isFullyClosed() || !isShardable(value) || getOwnSharding(value))
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    TensorShardingAttr other = getDemand(use);
    return !other || other == demand;
  });
}

static TensorShardingAttr getOpenWithUnreduced(TensorShardingAttr demand) {
  auto open = TensorShardingAttr::getFullyOpen(
      demand.getContext(), demand.getRank(), demand.getMeshOrRef());
  return TensorShardingAttr::get(
      open.getContext(), open.getMeshOrRef(), open.getDimShardings(),
      open.getReplicatedAxes(), demand.getUnreducedAxes(),
      demand.getReductionKind());
}

/// Lets all other users of `value`, which is on an edge, read the constraint.
/// Unreduced axes do not propagate: the edge gets them now.
static void redirectUses(Value value, DataFlowEdgeOp edge, OpOperand &use,
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
    setSharding(edge.getResult(), getOpenWithUnreduced(demand));
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Whether anything but `except` demands a sharding of `value`.
static bool isConstrained(Value value, Operation *except = nullptr) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user != except &&
           isa<ShardingConstraintOp, ManualComputationOp>(user);
  });
}

/// The last of the constraints, one on the other, that begin with `first`; null
/// if that is alone or if it is not clear which one decides.
static ShardingConstraintOp getLastOfChain(ShardingConstraintOp first) {
  Value value = first.getInput();
  if (value.getDefiningOp<ShardingConstraintOp>() || getOwnSharding(value) ||
      isConstrained(value, first))
    return {};
  ShardingConstraintOp last = first;
  while (last.getResult().hasOneUse()) {
    auto next = dyn_cast<ShardingConstraintOp>(*last.getResult().user_begin());
    if (!next)
      break;
    last = next;
  }
  bool isChain = last != first && !isConstrained(last.getResult());
  return isChain ? last : ShardingConstraintOp();
}

/// Lets later users of the operand of a chain in its block read its end. What
/// a function returns stays what it was.
static void applyChain(ShardingConstraintOp first) {
  ShardingConstraintOp last = getLastOfChain(first);
  if (!last)
    return;
  first.getInput().replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isReturn = user->hasTrait<OpTrait::IsTerminator>() &&
                    isa<FunctionOpInterface>(user->getParentOp());
    return user != first && !isReturn && user->getBlock() == last->getBlock() &&
           last->isBeforeInBlock(user);
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ApplyShardingConstraintsPass
    : sdy::impl::ApplyShardingConstraintsPassBase<
          ApplyShardingConstraintsPass> {
  using ApplyShardingConstraintsPassBase::ApplyShardingConstraintsPassBase;

  void runOnOperation() override {
    numSteps = 0;
    std::optional<OriginNames> names;
    if (debugShardingOrigins)
      names.emplace(getOperation());
    bool found = false;
    getOperation().walk([&](Operation *op) {
      // First: it would not begin with a value that has a sharding.
      if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
        applyChain(constraint);
      if (isa<ShardingConstraintOp, ManualComputationOp>(op)) {
        applyDemands(op, names ? &*names : nullptr);
        found = true;
      }
    });
    if (names) {
      names->write(getOperation());
      writeGivenOrigins(getOperation());
    }
    if (!found && !names)
      markAllAnalysesPreserved();
  }

private:
  void applyDemands(Operation *op, OriginNames *names);
  /// Says that the operand got what the op demands of it.
  void recordStep(OpOperand &use, TensorShardingAttr demand);

  int64_t numSteps = 0;
};
} // namespace

void ApplyShardingConstraintsPass::applyDemands(Operation *op,
                                                OriginNames *names) {
  for (OpOperand &use : op->getOpOperands()) {
    TensorShardingAttr demand = getDemand(use);
    Value value = use.get();
    if (!demand || !canApply(value, demand))
      continue;
    if (DataFlowEdgeOp edge = getEdgeOf(value)) {
      redirectUses(value, edge, use, demand);
      continue;
    }
    setSharding(value, demand);
    if (names)
      setGivenOrigins(value, demand, names->getOfDemand(use));
    if (debugPropagationEdges)
      recordStep(use, demand);
  }
}

void ApplyShardingConstraintsPass::recordStep(OpOperand &use,
                                              TensorShardingAttr demand) {
  Operation *carrier = use.getOwner();
  if (auto manual = dyn_cast<ManualComputationOp>(carrier))
    carrier = getEdgeOp(manual.getBody().getArgument(use.getOperandNumber()));
  if (!carrier)
    return;
  MLIRContext *context = &getContext();
  auto source = EdgeValueRefAttr::get(context, EdgeValue::RESULT, 0);
  auto target = EdgeValueRefAttr::get(context, EdgeValue::OPERAND, 0);
  SmallVector<AxisToPropagationDetailsAttr> details;
  for (DimensionShardingAttr dim : demand.getDimShardings())
    for (AxisRefAttr axis : dim.getAxes())
      details.push_back(
          AxisToPropagationDetailsAttr::get(context, axis, source, target));
  if (!details.empty())
    carrier->setAttr(kPropagationEdgesAttrName,
                     getStepAttr(context, numSteps, details));
  ++numSteps;
}
