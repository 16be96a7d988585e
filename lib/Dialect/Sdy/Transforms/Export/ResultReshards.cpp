//===- ResultReshards.cpp - Results that are elsewhere than used ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: an op whose results cannot be sharded as users see them. Out: the results
// sharded as the op makes them, and after it what users see.
//
//===----------------------------------------------------------------------===//

#include "OpReshards.h"

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

void sdy::setResultSharding(OpResult result, const ValueSharding &sharding) {
  Operation *op = result.getOwner();
  if (!op->hasAttr(kShardingAttrName)) {
    auto whole = llvm::map_to_vector(op->getResults(), [&](Value other) {
      return TensorShardingAttr::getFullyClosed(op->getContext(),
                                                getTensorShape(other).size(),
                                                sharding.attr.getMeshOrRef());
    });
    op->setAttr(kShardingAttrName,
                TensorShardingPerValueAttr::get(op->getContext(), whole));
  }
  setSharding(result, sharding.attr);
}

/// `result` with sharding `made`; users see `given`, as before.
static LogicalResult reshardBack(OpResult result, const ValueSharding &made,
                                 const ValueSharding &given,
                                 const ValueResharder &resharder) {
  Operation *op = result.getOwner();
  OpBuilder builder = resharder.makeBuilder(op);
  builder.setInsertionPointAfter(op);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  setResultSharding(result, made);
  if (uses.empty())
    return success();
  FailureOr<Value> back =
      resharder.reshard(builder, op->getLoc(), result, made, given,
                        {"a result", [op] { return op->emitOpError(); }});
  if (failed(back))
    return failure();
  for (OpOperand *use : uses)
    use->set(*back);
  return success();
}

LogicalResult sdy::introduceUnreduced(Operation *op,
                                      const ValueResharder &resharder) {
  for (OpResult result : op->getResults()) {
    ValueSharding given = resharder.get(result);
    if (!isa<RankedTensorType>(result.getType()) || !given.isUnreduced())
      continue;
    sharding::TensorSharding whole = given.axes;
    whole.unreduced.clear();
    if (failed(reshardBack(result, resharder.make(given, whole), given,
                           resharder)))
      return failure();
  }
  return success();
}

LogicalResult sdy::insertCallResultReshards(OpResult result,
                                            FunctionOpInterface callee,
                                            const ValueResharder &resharder) {
  ValueSharding given = resharder.get(result);
  ValueSharding made =
      resharder.get(callee.getResultAttrOfType<TensorShardingAttr>(
                        result.getResultNumber(), kShardingAttrName),
                    getTensorShape(result).size());
  // What a declaration does not say is not known.
  if (isSameDistribution(made, given) || (callee.isExternal() && !made.attr))
    return success();
  if (!given.attr) {
    setResultSharding(result, made);
    return success();
  }
  // All devices have what the function returns, that one too.
  if (!made.attr && given.isMaximal())
    return success();
  if (!made.attr) {
    sharding::TensorSharding whole;
    whole.dims.resize(given.axes.dims.size());
    made = resharder.make(given, whole);
  }
  return reshardBack(result, made, given, resharder);
}

//===----------------------------------------------------------------------===//
// On one device
//===----------------------------------------------------------------------===//

void sdy::insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                     const ValueResharder &resharder) {
  SmallVector<ValueSharding, 0> shardings;
  for (Value value : getTensors(op))
    shardings.push_back(resharder.get(value));
  const ValueSharding *common = getCommonMesh(op, shardings);
  std::optional<ValueSharding> mesh =
      common ? *common : resharder.getAnyMesh(op->getContext());
  auto isThere = [&](Operation *user) {
    return llvm::any_of(user->getResults(), [&](Value result) {
      return resharder.get(result).mesh == device.mesh;
    });
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      (void)resharder.reshard(operand, device);
  for (OpResult result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    ValueSharding given = resharder.get(result);
    setResultSharding(result, device);
    // Where no mesh is known, there are no other devices.
    if (given.isMaximal() && mesh) {
      sharding::TensorSharding whole;
      whole.dims.resize(given.axes.dims.size());
      given = resharder.make(*mesh, whole);
    }
    if (given.isMaximal() || !given.attr)
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      if (!isThere(use.getOwner()) && !isa<ReshardOp>(use.getOwner()))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    OpBuilder builder = resharder.makeBuilder(op);
    builder.setInsertionPointAfter(op);
    FailureOr<Value> back = resharder.reshard(builder, op->getLoc(), result,
                                              resharder.get(result), given);
    for (OpOperand *use : uses)
      if (succeeded(back))
        use->set(*back);
  }
}
