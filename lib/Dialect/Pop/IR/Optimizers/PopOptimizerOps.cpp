//===- PopOptimizerOps.cpp - Ops of optimizers ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopAccumulation.h"
#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"

#include "../PopArithmetic.h"

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
static Value buildMovingAverage(AccumulateOp op, const Arithmetic &on, Value r,
                                Value x) {
  Value factor, rest;
  if (Value tensor = op.getFactorTensor()) {
    factor = on.widen(tensor);
    rest = on.sub(on.one(), factor);
  } else {
    APFloat value = on.convert(op.getFactor());
    factor = on.constant(value);
    rest = on.constant(on.convert(APFloat(1.0)) - value);
  }
  Value old = on.mul(r, factor);
  return on.add(old, on.mul(x, rest));
}

FailureOr<SmallVector<Value>> AccumulateOp::decompose(OpBuilder &builder) {
  Arithmetic on(builder, getLoc(), getType().getElementType());
  Value r = on.widen(getAccumulator()), x = on.widen(getValue());
  auto scale = [&](Value value) {
    return on.scale(value, getFactorTensor(), getFactor());
  };
  switch (getKind()) {
  case AccumulateKind::Add:
    r = on.add(r, scale(x));
    break;
  case AccumulateKind::Square:
    r = on.add(r, scale(on.mul(x, x)));
    break;
  case AccumulateKind::Mean: {
    Value step = on.widen(getStep()), one = on.one();
    Value next = on.add(step, one);
    Value old = on.mul(r, on.div(step, next));
    r = on.add(old, on.mul(x, on.div(one, next)));
    break;
  }
  case AccumulateKind::MovingAverage:
    r = buildMovingAverage(*this, on, r, x);
    break;
  case AccumulateKind::MovingAverageSquare:
    r = buildMovingAverage(*this, on, r, on.mul(x, x));
    break;
  case AccumulateKind::Infinity: {
    Value old = scale(r);
    r = MaxOp::create(builder, getLoc(), old,
                      AbsOp::create(builder, getLoc(), x));
    break;
  }
  }
  return SmallVector<Value>{on.round(r)};
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
