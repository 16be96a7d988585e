//===- OptimizerStep.cpp - Formulas of optimizers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas are PopART's; docs/training.md lists them. Values that depend
// only on constants are computed at compile time, in f64.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"

#include "../PopDetail.h"
#include "ipu-mlir/Support/LocationName.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// A number that is known, or that a 0-d tensor holds.
struct Scalar {
  Scalar(double constant) : constant(constant) {} // NOLINT: like a double
  explicit Scalar(Value value) : value(value) {}

  bool is(double number) const { return !value && constant == number; }

  double constant = 0;
  Value value;
};

/// Builds one update.
class StepBuilder {
public:
  StepBuilder(OpBuilder &b, OptimizerStepOp op);

  SmallVector<Value> build();

private:
  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  Value widen(Value value) {
    return pop::detail::buildCast(b, loc, value, type);
  }
  Value get(Scalar scalar) {
    return scalar.value
               ? scalar.value
               : pop::detail::buildSplat(b, loc, {},
                                         b.getFloatAttr(type, scalar.constant));
  }
  template <typename OpT, typename... Values>
  Value build(Values... values) {
    return OpT::create(b, loc, values...);
  }
  /// A scalar of an op on scalars, which is not built for constants.
  template <typename OpT, typename FoldFn>
  Scalar combine(Scalar x, Scalar y, FoldFn fold) {
    if (!x.value && !y.value)
      return fold(x.constant, y.constant);
    Value lhs = get(x), rhs = get(y);
    return Scalar(build<OpT>(lhs, rhs));
  }
  Scalar plus(Scalar x, Scalar y) {
    return x.is(0) ? y : y.is(0) ? x : combine<AddOp>(x, y, std::plus<>());
  }
  Scalar minus(Scalar x, Scalar y) {
    return y.is(0) ? x : combine<SubOp>(x, y, std::minus<>());
  }
  Scalar times(Scalar x, Scalar y) {
    if (x.is(0) || y.is(0))
      return 0.0;
    return x.is(1)   ? y
           : y.is(1) ? x
                     : combine<MulOp>(x, y, std::multiplies<>());
  }
  Scalar over(Scalar x, Scalar y) {
    return y.is(1) ? x : combine<DivOp>(x, y, std::divides<>());
  }
  Value scale(Value x, Scalar factor) {
    return factor.is(1) ? x : build<MulOp>(x, get(factor));
  }
  /// `x + factor * y`.
  Value addScaled(Value x, Value y, Scalar factor) {
    return factor.is(0) ? x : build<AddOp>(x, scale(y, factor));
  }
  /// `x - factor * y`.
  Value subScaled(Value x, Value y, Scalar factor) {
    return factor.is(0) ? x : build<SubOp>(x, scale(y, factor));
  }
  /// `pop.accumulate kind`.
  Value accumulate(AccumulateKind kind, Value accumulator, Value value,
                   Scalar factor);

  //===--------------------------------------------------------------------===//
  // The optimizer
  //===--------------------------------------------------------------------===//

  Scalar getSetting(StringRef name);
  /// What the gradient is multiplied by: `1 / (loss_scale * accumulations)`.
  Scalar getUnscale() {
    return over(1.0,
                times(getSetting("loss_scale"), double(op.getAccumulations())));
  }
  bool isDecoupled() {
    return cast<StringAttr>(optimizer.getSetting("decay")).getValue() ==
           "decoupled";
  }
  /// The gradient of the loss, with the weight decay of `l2`.
  Value buildGradient();
  /// The location of what updates of several weights have in common.
  Location getLocOfBias() {
    return ipu::getNamedLoc("bias correction", op.getLoc());
  }
  /// `x / (1 - beta^t)`, or `x` without bias correction.
  Value correctBias(Value x, Scalar beta, Value step);
  Value buildNorm(Value x);
  /// The weight after the step `x`, which the learning rate is yet to scale.
  Value descend(Value x, Scalar rate);

  void buildSGD0();
  void buildVelocity();
  void buildAdam();
  void buildLambRatio(Value &x);
  Value buildAdaptiveStep();
  void buildAdaptive();

  OpBuilder &b;
  Location loc;
  OptimizerStepOp op;
  OptimizerAttr optimizer;
  /// The type of all arithmetic.
  FloatType type;
  /// The weight that is updated, in `type`, and then the updated one.
  Value weight;
  /// The states in `type`, and then the updated ones.
  SmallVector<Value> states;
};
} // namespace

StepBuilder::StepBuilder(OpBuilder &b, OptimizerStepOp op)
    : b(b), loc(op.getLoc()), op(op), optimizer(op.getOptimizer()) {
  Type elementType = op.getWeight().getType().getElementType();
  type = cast<FloatType>(getComputeType(getStateType(optimizer, elementType)));
  if (elementType.isF64())
    type = b.getF64Type();
  for (Value state : op.getStates())
    states.push_back(widen(state));
  weight = optimizer.isSet("master") ? states.back() : widen(op.getWeight());
}

Scalar StepBuilder::getSetting(StringRef name) {
  if (std::optional<double> constant = optimizer.getConstant(name))
    return *constant;
  SmallVector<StringRef> names = optimizer.getOperandSettings();
  return Scalar(
      widen(op.getSettings()[llvm::find(names, name) - names.begin()]));
}

Value StepBuilder::accumulate(AccumulateKind kind, Value accumulator,
                              Value value, Scalar factor) {
  return AccumulateOp::create(
      b, loc, accumulator.getType(),
      AccumulateKindAttr::get(b.getContext(), kind), accumulator, value,
      factor.value, /*step=*/Value(),
      b.getF64FloatAttr(factor.value ? 1.0 : factor.constant));
}

Value StepBuilder::buildGradient() {
  Value gradient = widen(op.getGradient());
  gradient = scale(gradient, getUnscale());
  return isDecoupled()
             ? gradient
             : addScaled(gradient, weight, getSetting("weight_decay"));
}

Value StepBuilder::descend(Value x, Scalar rate) {
  return subScaled(weight, x, rate);
}

//===----------------------------------------------------------------------===//
// SGD
//===----------------------------------------------------------------------===//

void StepBuilder::buildSGD0() {
  Scalar rate = getSetting("lr");
  rate = times(rate, minus(1.0, getSetting("dampening")));
  Scalar decay = minus(1.0, times(rate, getSetting("weight_decay")));
  Value kept = scale(weight, decay), gradient = widen(op.getGradient());
  weight = subScaled(kept, gradient, times(rate, getUnscale()));
}

/// The velocity, and the step by it. That of SGD1 has the decay by the last
/// weight already, and gets that by the next one.
void StepBuilder::buildVelocity() {
  bool isCombined = optimizer.getKind() == OptimizerKind::SGD1;
  Value &velocity = states.front();
  Scalar momentum = getSetting("momentum"), decay = getSetting("weight_decay"),
         scaling = getSetting("velocity_scaling");
  Scalar share = times(minus(1.0, getSetting("dampening")), scaling);
  Scalar ofWeight = times(share, decay);
  auto age = [&] {
    velocity = addScaled(scale(velocity, momentum), weight, ofWeight);
  };
  if (!isCombined)
    age();
  if (op.getGradient()) {
    Value gradient = widen(op.getGradient());
    velocity = accumulate(AccumulateKind::Add, velocity, gradient,
                          times(share, getUnscale()));
  }
  Value step = velocity;
  if (optimizer.isSet("nesterov")) {
    Value gradient = widen(op.getGradient());
    gradient = scale(gradient, getUnscale());
    gradient = scale(addScaled(gradient, weight, decay), scaling);
    step = addScaled(gradient, velocity, momentum);
  }
  weight = descend(step, over(getSetting("lr"), scaling));
  if (isCombined)
    age();
}

//===----------------------------------------------------------------------===//
// Adam and Lamb
//===----------------------------------------------------------------------===//

Value StepBuilder::correctBias(Value x, Scalar beta, Value step) {
  if (!step)
    return x;
  Scalar rest = 1.0;
  {
    llvm::SaveAndRestore<Location> scope(loc, getLocOfBias());
    Value power = build<PowOp>(get(beta), step);
    rest = minus(1.0, Scalar(power));
  }
  return build<DivOp>(x, rest.value);
}

Value StepBuilder::buildNorm(Value x) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  Value square = build<MulOp>(x, x);
  auto sum = ReduceOp::create(b, loc, ReduceKind::Sum, square,
                              llvm::to_vector(llvm::seq<int64_t>(rank)),
                              /*keep_dims=*/false, /*accum=*/AccumAttr());
  // The step may be decomposed after orders are chosen.
  sum.setAccumAttr(sum.chooseAccum());
  return build<SqrtOp>(sum.getResult());
}

/// Multiplies `x` by `min(|w|, max_weight_norm) / |x|`, or by 1 where a norm is
/// 0.
void StepBuilder::buildLambRatio(Value &x) {
  if (!optimizer.hasSetting("max_weight_norm"))
    return;
  Scalar limit = getSetting("max_weight_norm");
  if (limit.is(0))
    return;
  Value ofWeight = buildNorm(weight), ofStep = buildNorm(x);
  Value zero = get(0.0), one = get(1.0);
  Value least = build<MinOp>(ofWeight, get(limit));
  Value ratio = build<DivOp>(least, ofStep);
  ratio = build<SelectOp>(build<GreaterOp>(ofStep, zero), ratio, one);
  ratio = build<SelectOp>(build<GreaterOp>(ofWeight, zero), ratio, one);
  x = scale(x, Scalar(ratio));
}

void StepBuilder::buildAdam() {
  bool isMax = optimizer.getKind() == OptimizerKind::AdaMax;
  Scalar beta1 = getSetting("beta1"), beta2 = getSetting("beta2");
  Value gradient = buildGradient();
  Value &first = states[0], &second = states[1];
  first = accumulate(AccumulateKind::MovingAverage, first, gradient, beta1);
  second = accumulate(isMax ? AccumulateKind::Infinity
                            : AccumulateKind::MovingAverageSquare,
                      second, gradient, beta2);
  bool isCorrected = optimizer.getKind() != OptimizerKind::AdamNoBias &&
                     optimizer.getKind() != OptimizerKind::LambNoBias;
  Value step;
  if (isCorrected) {
    llvm::SaveAndRestore<Location> scope(loc, getLocOfBias());
    step = states[2] = build<AddOp>(states[2], get(1.0));
  }
  Value mean = correctBias(first, beta1, step);
  Value size = isMax ? second : build<SqrtOp>(correctBias(second, beta2, step));
  Value x = build<DivOp>(mean, build<AddOp>(size, get(getSetting("eps"))));
  if (isDecoupled())
    x = addScaled(x, weight, getSetting("weight_decay"));
  buildLambRatio(x);
  weight = descend(x, getSetting("lr"));
}

//===----------------------------------------------------------------------===//
// AdaGrad, RMSProp and AdaDelta
//===----------------------------------------------------------------------===//

Value StepBuilder::buildAdaptiveStep() {
  Value gradient = buildGradient(), eps = get(getSetting("eps"));
  Value &squares = states.front();
  if (optimizer.getKind() == OptimizerKind::AdaGrad) {
    squares = accumulate(AccumulateKind::Square, squares, gradient, 1.0);
    return build<DivOp>(gradient, build<AddOp>(build<SqrtOp>(squares), eps));
  }
  Scalar alpha = getSetting("alpha");
  squares =
      accumulate(AccumulateKind::MovingAverageSquare, squares, gradient, alpha);
  if (optimizer.getKind() == OptimizerKind::AdaDelta) {
    Value &steps = states[1];
    Value ofSteps = build<SqrtOp>(build<AddOp>(steps, eps));
    Value ofGradients = build<SqrtOp>(build<AddOp>(squares, eps));
    Value x = build<MulOp>(build<DivOp>(ofSteps, ofGradients), gradient);
    steps = accumulate(AccumulateKind::MovingAverageSquare, steps, x, alpha);
    return x;
  }
  Value variance = squares;
  if (optimizer.getKind() == OptimizerKind::CenteredRMSProp) {
    Value &mean = states[1];
    mean = accumulate(AccumulateKind::MovingAverage, mean, gradient, alpha);
    // Rounding may leave less than nothing.
    variance = build<SubOp>(squares, build<MulOp>(mean, mean));
    variance = build<MaxOp>(variance, get(0.0));
  }
  return build<DivOp>(gradient, build<AddOp>(build<SqrtOp>(variance), eps));
}

void StepBuilder::buildAdaptive() {
  Scalar rate = getSetting("lr");
  Value x = buildAdaptiveStep();
  bool isScaledFirst = optimizer.isSet("tensorflow");
  if (isScaledFirst)
    x = scale(x, rate);
  if (optimizer.getConstant("momentum") != 0.0) {
    size_t index = states.size() - (optimizer.isSet("master") ? 2 : 1);
    x = states[index] = addScaled(x, states[index], getSetting("momentum"));
  }
  Value old = weight;
  weight = descend(x, isScaledFirst ? Scalar(1.0) : rate);
  if (isDecoupled())
    weight = subScaled(weight, old, times(rate, getSetting("weight_decay")));
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

SmallVector<Value> StepBuilder::build() {
  switch (optimizer.getKind()) {
  case OptimizerKind::SGD0:
    buildSGD0();
    break;
  case OptimizerKind::SGD1:
  case OptimizerKind::SGD2:
    buildVelocity();
    break;
  case OptimizerKind::Adam:
  case OptimizerKind::AdamNoBias:
  case OptimizerKind::AdaMax:
  case OptimizerKind::Lamb:
  case OptimizerKind::LambNoBias:
    buildAdam();
    break;
  case OptimizerKind::AdaGrad:
  case OptimizerKind::RMSProp:
  case OptimizerKind::CenteredRMSProp:
  case OptimizerKind::AdaDelta:
    buildAdaptive();
    break;
  }
  if (optimizer.isSet("master"))
    states.back() = weight;
  SmallVector<Value> results{weight};
  llvm::append_range(results, states);
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes()))
    result = pop::detail::buildCast(
        b, loc, result, cast<RankedTensorType>(type).getElementType());
  return results;
}

FailureOr<SmallVector<Value>> OptimizerStepOp::decompose(OpBuilder &builder) {
  return StepBuilder(builder, *this).build();
}
