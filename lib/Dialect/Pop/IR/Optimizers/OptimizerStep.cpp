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

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Support/LocationName.h"
#include "llvm/ADT/ScopeExit.h"

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
class StepBuilder : PopBuilder {
public:
  StepBuilder(OpBuilder &b, OptimizerStepOp op);

  SmallVector<Value> build();

private:
  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// Casts `value` to the type of all arithmetic.
  Value castToType(Value value) { return cast(value, type); }
  Value get(Scalar scalar) {
    return scalar.value ? scalar.value : splat(scalar.constant, type);
  }
  /// A scalar of an op on scalars, which is not built for constants.
  template <typename FoldFn>
  Scalar combine(Scalar x, Scalar y, FoldFn fold,
                 Value (PopBuilder::*build)(Value, Value)) {
    if (!x.value && !y.value)
      return fold(x.constant, y.constant);
    Value lhs = get(x), rhs = get(y);
    return Scalar((this->*build)(lhs, rhs));
  }
  Scalar plus(Scalar x, Scalar y) {
    return x.is(0)   ? y
           : y.is(0) ? x
                     : combine(x, y, std::plus<>(), &PopBuilder::add);
  }
  Scalar minus(Scalar x, Scalar y) {
    return y.is(0) ? x : combine(x, y, std::minus<>(), &PopBuilder::sub);
  }
  Scalar times(Scalar x, Scalar y) {
    if (x.is(0) || y.is(0))
      return 0.0;
    return x.is(1)   ? y
           : y.is(1) ? x
                     : combine(x, y, std::multiplies<>(), &PopBuilder::mul);
  }
  Scalar over(Scalar x, Scalar y) {
    return y.is(1) ? x : combine(x, y, std::divides<>(), &PopBuilder::div);
  }
  Value scale(Value x, Scalar factor) {
    return factor.is(1) ? x : mul(x, get(factor));
  }
  /// `x + factor * y`.
  Value addScaled(Value x, Value y, Scalar factor) {
    return factor.is(0) ? x : add(x, scale(y, factor));
  }
  /// `x - factor * y`.
  Value subScaled(Value x, Value y, Scalar factor) {
    return factor.is(0) ? x : sub(x, scale(y, factor));
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
    return llvm::cast<StringAttr>(optimizer.getSetting("decay")).getValue() ==
           "decoupled";
  }
  /// The gradient of the loss, with the weight decay of `l2`.
  Value buildGradient();
  /// Gives the following ops the location of what updates of several weights
  /// have in common, until the result is destroyed.
  auto enterBias() {
    setLoc(ipu::getNamedLoc("bias correction", op.getLoc()));
    return llvm::scope_exit([this] { setLoc(op.getLoc()); });
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
    : PopBuilder(b, op.getLoc()), op(op), optimizer(op.getOptimizer()) {
  Type elementType = op.getWeight().getType().getElementType();
  type = llvm::cast<FloatType>(
      getComputeType(getStateType(optimizer, elementType)));
  if (elementType.isF64())
    type = getF64Type();
  for (Value state : op.getStates())
    states.push_back(castToType(state));
  weight =
      optimizer.isSet("master") ? states.back() : castToType(op.getWeight());
}

Scalar StepBuilder::getSetting(StringRef name) {
  if (std::optional<double> constant = optimizer.getConstant(name))
    return *constant;
  SmallVector<StringRef> names = optimizer.getOperandSettings();
  return Scalar(
      castToType(op.getSettings()[llvm::find(names, name) - names.begin()]));
}

Value StepBuilder::accumulate(AccumulateKind kind, Value accumulator,
                              Value value, Scalar factor) {
  return create<AccumulateOp>(
      accumulator.getType(), AccumulateKindAttr::get(getContext(), kind),
      accumulator, value, factor.value, /*step=*/Value(),
      getF64FloatAttr(factor.value ? 1.0 : factor.constant));
}

Value StepBuilder::buildGradient() {
  Value gradient = castToType(op.getGradient());
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
  Value kept = scale(weight, decay), gradient = castToType(op.getGradient());
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
    Value gradient = castToType(op.getGradient());
    velocity = accumulate(AccumulateKind::Add, velocity, gradient,
                          times(share, getUnscale()));
  }
  Value step = velocity;
  if (optimizer.isSet("nesterov")) {
    Value gradient = castToType(op.getGradient());
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
    auto scope = enterBias();
    Value power = create<PowOp>(get(beta), step);
    rest = minus(1.0, Scalar(power));
  }
  return div(x, rest.value);
}

Value StepBuilder::buildNorm(Value x) {
  Value sum = sumOfAll(mul(x, x));
  // The step may be decomposed after orders are chosen.
  auto reduction = sum.getDefiningOp<ReduceOp>();
  reduction.setAccumAttr(reduction.chooseAccum());
  if (auto sharding =
          op->getAttrOfType<ReplicaGroupsAttr>(kStepShardingAttrName))
    sum = create<AllReduceOp>(sum.getType(), ipu::CollectiveOperator::Add, sum,
                              sharding);
  return sqrt(sum);
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
  Value least = min(ofWeight, get(limit));
  Value ratio = div(least, ofStep);
  ratio = select(greater(ofStep, zero), ratio, one);
  ratio = select(greater(ofWeight, zero), ratio, one);
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
    auto scope = enterBias();
    step = states[2] = add(states[2], get(1.0));
  }
  Value mean = correctBias(first, beta1, step);
  Value size = isMax ? second : sqrt(correctBias(second, beta2, step));
  Value x = div(mean, add(size, get(getSetting("eps"))));
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
    return div(gradient, add(sqrt(squares), eps));
  }
  Scalar alpha = getSetting("alpha");
  squares =
      accumulate(AccumulateKind::MovingAverageSquare, squares, gradient, alpha);
  if (optimizer.getKind() == OptimizerKind::AdaDelta) {
    Value &steps = states[1];
    Value ofSteps = sqrt(add(steps, eps));
    Value ofGradients = sqrt(add(squares, eps));
    Value x = mul(div(ofSteps, ofGradients), gradient);
    steps = accumulate(AccumulateKind::MovingAverageSquare, steps, x, alpha);
    return x;
  }
  Value variance = squares;
  if (optimizer.getKind() == OptimizerKind::CenteredRMSProp) {
    Value &mean = states[1];
    mean = accumulate(AccumulateKind::MovingAverage, mean, gradient, alpha);
    // Rounding may leave less than nothing.
    variance = sub(squares, mul(mean, mean));
    variance = max(variance, get(0.0));
  }
  return div(gradient, add(sqrt(variance), eps));
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
    result = cast(result, llvm::cast<RankedTensorType>(type).getElementType());
  return results;
}

FailureOr<SmallVector<Value>> OptimizerStepOp::decompose(OpBuilder &builder) {
  return StepBuilder(builder, *this).build();
}
