//===- PopOptimizerOps.cpp - Ops of optimizers ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopAccumulation.h"
#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerOps.cpp.inc"

void PopDialect::registerOptimizerOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopOptimizerOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// AccumulateOp
//===----------------------------------------------------------------------===//

LogicalResult AccumulateOp::verify() {
  // c1, c2, c3
  return pop::detail::verifyAccumulation(*this, getAccumulator().getType());
}

/// `f * r + (1 - f) * x`.
static Value buildMovingAverage(AccumulateOp op, PopBuilder &b, Value r,
                                Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(r));
  Value factor, rest;
  if (Value tensor = op.getFactorTensor()) {
    factor = b.cast(tensor, type);
    rest = b.sub(b.splat(1.0, type), factor);
  } else {
    bool isExact;
    APFloat value = op.getFactor();
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &isExact);
    factor = b.splat(value, type);
    rest = b.splat(APFloat(type.getFloatSemantics(), 1) - value, type);
  }
  Value old = b.mul(r, factor);
  return b.add(old, b.mul(x, rest));
}

FailureOr<SmallVector<Value>> AccumulateOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Type type = getType().getElementType(), wide = getComputeType(type);
  Value r = b.cast(getAccumulator(), wide), x = b.cast(getValue(), wide);
  auto scale = [&](Value value) {
    return pop::detail::buildScaled(b, value, getFactorTensor(), getFactor());
  };
  switch (getKind()) {
  case AccumulateKind::Add:
    r = b.add(r, scale(x));
    break;
  case AccumulateKind::Square:
    r = b.add(r, scale(b.mul(x, x)));
    break;
  case AccumulateKind::Mean: {
    Value step = b.cast(getStep(), wide), one = b.splat(1.0, wide);
    Value next = b.add(step, one);
    Value old = b.mul(r, b.div(step, next));
    r = b.add(old, b.mul(x, b.div(one, next)));
    break;
  }
  case AccumulateKind::MovingAverage:
    r = buildMovingAverage(*this, b, r, x);
    break;
  case AccumulateKind::MovingAverageSquare:
    r = buildMovingAverage(*this, b, r, b.mul(x, x));
    break;
  case AccumulateKind::Infinity: {
    Value old = scale(r);
    r = b.max(old, b.abs(x));
    break;
  }
  }
  return SmallVector<Value>{b.cast(r, type)};
}

//===----------------------------------------------------------------------===//
// OptimizerStepOp
//===----------------------------------------------------------------------===//

LogicalResult OptimizerStepOp::verify() {
  OptimizerAttr optimizer = getOptimizer();
  RankedTensorType weight = getWeight().getType();
  // c1
  if (TypedValue<RankedTensorType> gradient = getGradient())
    if (gradient.getType().getShape() != weight.getShape() ||
        !isAccumulatorType(weight.getElementType(),
                           gradient.getType().getElementType())) {
      InFlightDiagnostic error = emitOpError();
      error << "expects `gradient` of type " << weight;
      Type accumulator = weight.clone(getComputeType(weight.getElementType()));
      if (accumulator != weight)
        error << " or " << accumulator;
      return error << " but got " << gradient.getType();
    }
  // c2
  SmallVector<OptimizerState> states = getOptimizerStates(optimizer, weight);
  if (states.size() != getStates().size())
    return emitOpError() << "expects " << states.size() << " `states` but got "
                         << getStates().size();
  for (auto [state, value] : llvm::zip_equal(states, getStates()))
    if (value.getType() != state.type)
      return emitOpError() << "expects state '" << state.name << "' of type "
                           << state.type << " but got " << value.getType();
  // c3
  size_t numSettings = optimizer.getOperandSettings().size();
  if (numSettings != getSettings().size())
    return emitOpError() << "expects " << numSettings << " `settings` but got "
                         << getSettings().size();
  for (NamedAttribute setting : optimizer.getSettings())
    if (isa<FlatSymbolRefAttr, ScheduleAttr>(setting.getValue()))
      return emitOpError() << "expects setting '"
                           << setting.getName().getValue()
                           << "' to be a constant or 'operand' but got "
                           << setting.getValue();
  // c4
  if (getAccumulations() < 1)
    return emitOpError() << "expects `accumulations` of at least 1 but got "
                         << getAccumulations();
  // c5
  if (getUpdated().getType() != weight ||
      getUpdatedStates().getTypes() != getStates().getTypes())
    return emitOpError()
           << "expects results of the types of `weight` and `states` but got ("
           << (*this)->getResultTypes() << ")";
  // c6
  bool mayOmit = optimizer.getKind() == OptimizerKind::SGD1 &&
                 !optimizer.isSet("nesterov");
  if (!getGradient() && !mayOmit)
    return emitOpError() << "expects a `gradient` but got none";
  return success();
}
