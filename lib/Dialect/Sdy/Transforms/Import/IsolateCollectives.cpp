//===- IsolateCollectives.cpp - Fixed shardings of collectives ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program that contains collectives. Out: closed constraints before the
// collectives, and constraints after collectives whose results may get further
// axes. A collective says which axes its operand and its result have, so
// neither may change when shardings propagate, when they are copied to other
// members of a group, or when axes that do not divide are dropped.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_ISOLATECOLLECTIVESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// The sharding with closed dimensions without priorities.
static TensorShardingAttr getClosed(TensorShardingAttr sharding) {
  MLIRContext *context = sharding.getContext();
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
        return DimensionShardingAttr::get(context, dim.getAxes(),
                                          /*is_closed=*/true, std::nullopt);
      });
  return TensorShardingAttr::get(
      context, sharding.getMeshOrRef(), dims, sharding.getReplicatedAxes(),
      sharding.getUnreducedAxes(), sharding.getReductionKind());
}

static bool isInGroup(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<ShardingGroupOp>);
}

/// Whether no pass changes the sharding of `value`. Those of block arguments,
/// calls and region ops change in many ways.
static bool isFixed(Value value, TensorShardingAttr sharding) {
  Operation *op = value.getDefiningOp();
  return op && !isa<CallOpInterface, ShardableDataFlowOpInterface>(op) &&
         sharding == getClosed(sharding) && !isInGroup(value);
}

/// Returns whether the operand of the collective got a constraint.
static bool constrainOperand(Operation *op, TensorShardingAttr out) {
  OpOperand &operand = op->getOpOperand(0);
  TensorShardingAttr given = getUseSharding(operand.get());
  if (given && isFixed(operand.get(), given))
    return false;
  // A collective whose operand has no sharding takes a whole tensor.
  TensorShardingAttr fixed =
      given ? getClosed(given)
            : TensorShardingAttr::getFullyClosed(
                  op->getContext(), out.getRank(), out.getMeshOrRef());
  OpBuilder builder(op);
  operand.set(ShardingConstraintOp::create(
      builder, op->getLoc(), operand.get().getType(), operand.get(), fixed));
  return true;
}

/// Returns whether the result of the collective got a constraint.
static bool constrainResult(OpResult result, TensorShardingAttr out) {
  TensorShardingAttr fixed = getClosed(out);
  if (fixed == out && !isInGroup(result))
    return false;
  setSharding(result, fixed);
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  auto constraint = ShardingConstraintOp::create(builder, result.getLoc(),
                                                 result.getType(), result, out);
  result.replaceAllUsesExcept(constraint.getResult(), constraint);
  return true;
}

namespace {
struct IsolateCollectivesPass
    : sdy::impl::IsolateCollectivesPassBase<IsolateCollectivesPass> {
  using IsolateCollectivesPassBase::IsolateCollectivesPassBase;

  void runOnOperation() override {
    bool hasChanged = false;
    getOperation().walk([&](Operation *op) {
      if (!isCollective(op))
        return;
      OpResult result = op->getResult(0);
      TensorShardingAttr out = getSharding(result);
      hasChanged |= constrainOperand(op, out);
      hasChanged |= constrainResult(result, out);
    });
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
