//===- LossGradients.cpp - Gradients of losses ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients are computed in the type of the losses, by ops that are
// differentiable.
//
//===----------------------------------------------------------------------===//

#include "../PopLosses.h"
#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildAboveZero;
using pop::detail::getTypeOf;
using pop::detail::LabelBuilder;

static Value buildGradient(GradientBuilder &b, Value result) {
  return b.widen(b.getGradient(result));
}

//===----------------------------------------------------------------------===//
// Losses of elements
//===----------------------------------------------------------------------===//

/// The gradient of each loss of an element, 0-d where it is that of all.
template <typename OpT>
static Value buildElementGradient(GradientBuilder &b, OpT op) {
  Value dy = buildGradient(b, op.getResult());
  if (op.getReduction() != LossReduction::Mean)
    return dy;
  auto count = static_cast<double>(op.getInput().getType().getNumElements());
  return b.div(dy, b.splatLike(count, dy));
}

/// Adds `gradient` to that of the input and its negative to that of the target.
template <typename OpT>
static LogicalResult addOfDifference(GradientBuilder &b, OpT op,
                                     Value gradient) {
  b.addGradient(op.getInput(), gradient);
  if (b.isNeeded(op.getTarget()))
    b.addGradient(op.getTarget(), b.neg(gradient));
  return success();
}

template <typename OpT>
static Value buildDifference(GradientBuilder &b, OpT op) {
  Value x = b.widen(b.getForward(op.getInput()));
  Value t = b.widen(b.getForward(op.getTarget()));
  return b.sub(x, t);
}

LogicalResult L1LossOp::buildGradients(GradientBuilder &b) {
  Value sign = b.create<SignOp>(buildDifference(b, *this));
  Value dy = buildElementGradient(b, *this);
  return addOfDifference(b, *this, b.mul(sign, dy));
}

LogicalResult L2LossOp::buildGradients(GradientBuilder &b) {
  Value difference = buildDifference(b, *this);
  Value twice = b.mul(difference, b.splatLike(2.0, difference));
  Value dy = buildElementGradient(b, *this);
  return addOfDifference(b, *this, b.mul(twice, dy));
}

LogicalResult IdentityLossOp::buildGradients(GradientBuilder &b) {
  Value dy = buildElementGradient(b, *this);
  RankedTensorType type = getInput().getType();
  if (getReduction() != LossReduction::None)
    dy = b.create<ExpandOp>(type.clone(getTypeOf(dy).getElementType()), dy);
  b.addGradient(getInput(), dy);
  return success();
}

/// factor / probability, and 0 where the factor is 0. Nothing is divided by 0
/// there: derivatives of the quotient would not be 0.
static Value buildWeightedReciprocal(GradientBuilder &b, Value factor,
                                     Value probability) {
  Value isZero = b.equal(factor, b.splatLike(0.0, factor));
  Value one = b.splatLike(1.0, factor);
  Value divisor = b.select(isZero, one, buildAboveZero(b, probability));
  return b.div(factor, divisor);
}

/// Adds the gradient of the logits of the binary probabilities `x`.
static void addOfLogits(BinaryCrossEntropyLossOp op, GradientBuilder &b,
                        Value logits, Value x, Value dy) {
  Value t = b.widen(b.getForward(op.getTarget()));
  b.addGradient(logits, b.mul(b.sub(x, t), dy));
}

static LogicalResult buildOfLogits(BinaryCrossEntropyLossOp op,
                                   GradientBuilder &b) {
  Value x = b.widen(b.getForward(op.getInput()));
  Value dy = buildElementGradient(b, op);
  if (b.isNeeded(op.getInput()))
    addOfLogits(op, b, op.getInput(), b.create<SigmoidOp>(x), dy);
  if (b.isNeeded(op.getTarget()))
    b.addGradient(op.getTarget(), b.neg(b.mul(x, dy)));
  return success();
}

LogicalResult BinaryCrossEntropyLossOp::buildGradients(GradientBuilder &b) {
  if (getOfLogits())
    return buildOfLogits(*this, b);
  Value x = b.widen(b.getForward(getInput()));
  Value dy = buildElementGradient(b, *this);
  Value one = b.splatLike(1.0, x);
  Value rest = b.sub(one, x);
  // The slopes of the loss and of a sigmoid are a reciprocal and 0 where the
  // sigmoid is 0 or 1, whereas their product is not 0.
  auto sigmoid = getInput().getDefiningOp<SigmoidOp>();
  if (sigmoid && b.isNeeded(sigmoid.getInput())) {
    addOfLogits(*this, b, sigmoid.getInput(), x, dy);
  } else if (b.isNeeded(getInput())) {
    Value t = b.widen(b.getForward(getTarget()));
    Value ofZero = buildWeightedReciprocal(b, b.sub(one, t), rest);
    Value slope = b.sub(ofZero, buildWeightedReciprocal(b, t, x));
    b.addGradient(getInput(), b.mul(slope, dy));
  }
  if (b.isNeeded(getTarget())) {
    auto log = [&](Value probability) {
      return b.log(buildAboveZero(b, probability));
    };
    Value logOfRest = log(rest);
    Value slope = b.sub(logOfRest, log(x));
    b.addGradient(getTarget(), b.mul(slope, dy));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Losses of labels
//===----------------------------------------------------------------------===//

namespace {
/// The gradient of a loss of labels.
template <typename OpT>
struct LabelGradient {
  LabelGradient(OpT op, GradientBuilder &b)
      : op(op), b(b), labels(b.getForward(op.getLabels())),
        positions(b, op, labels), counts(positions.buildCounts()) {
    if (op.getWeights())
      classWeights = b.getForward(op.getWeights());
    weights = positions.buildWeights(classWeights, counts);
    dy = buildGradient(b, op.getResult());
    if (op.getReduction() == LossReduction::Mean)
      dy = b.div(dy, b.sumOfAll(weights));
  }

  /// The gradient of each loss without weight: [N, 1, d...].
  Value buildWeighted() { return mask(b.mul(weights, dy)); }

  /// As buildWeighted(), over `divisor` [N, d...], which may be 0 where nothing
  /// counts: derivatives of a quotient by 0 would not be 0 there.
  Value buildQuotient(Value divisor) {
    Value one = b.splatLike(1.0, divisor);
    divisor = b.select(counts, divisor, one);
    return mask(b.div(b.mul(weights, dy), divisor));
  }

  /// `value` [N, 1, d...] at labels, else 0: [N, C, d...].
  Value buildAtLabels(Value value) {
    Value isLabel = positions.buildOneHot();
    return b.mask(isLabel, value);
  }

  void addOfWeights();

  OpT op;
  GradientBuilder &b;
  Value labels;
  LabelBuilder positions;
  Value counts, classWeights, weights;
  /// The gradient of each weighted loss, 0-d where it is that of all.
  Value dy;

private:
  Value mask(Value value) {
    return positions.buildForClasses(b.mask(counts, value));
  }
  Value buildLosses(LossReduction reduction, Value givenWeights);
};
} // namespace

/// The losses, or their mean, not rounded.
template <typename OpT>
Value LabelGradient<OpT>::buildLosses(LossReduction reduction,
                                      Value givenWeights) {
  Type elementType = getComputeType(op.getType().getElementType());
  ArrayRef<int64_t> shape = getTypeOf(labels).getShape();
  if (reduction != LossReduction::None)
    shape = {};
  SmallVector<Value> operands = {b.getForward(op.getInput()), labels};
  if (givenWeights)
    operands.push_back(givenWeights);
  auto losses =
      b.create<OpT>(TypeRange(RankedTensorType::get(shape, elementType)),
                    ValueRange(operands), op.getProperties());
  losses.setReduction(reduction);
  return losses.getResult();
}

/// A mean has each weight in its divisor as well.
template <typename OpT>
void LabelGradient<OpT>::addOfWeights() {
  if (!op.getWeights() || !b.isNeeded(op.getWeights()))
    return;
  Value losses = buildLosses(LossReduction::None, Value());
  if (op.getReduction() == LossReduction::Mean)
    losses = b.sub(losses, buildLosses(LossReduction::Mean, classWeights));
  Value gradient = mask(b.mul(losses, dy));
  Value ofClasses = buildAtLabels(gradient);
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes,
                     llvm::seq<int64_t>(2, op.getInput().getType().getRank()));
  b.addGradient(op.getWeights(), b.sum(ofClasses, axes));
}

/// Gradients have a constant of the numbers of all classes.
template <typename OpT>
static LogicalResult checkClasses(OpT op) {
  constexpr int64_t kMaxClasses = int64_t(1) << 24;
  int64_t classes = op.getInput().getType().getDimSize(1);
  if (classes <= kMaxClasses)
    return success();
  return op.emitOpError() << "expects at most " << kMaxClasses
                          << " classes for its gradient but got " << classes;
}

/// Adds the gradient of the logits of which `probabilities` are the softmax.
template <typename OpT>
static void addOfLogits(LabelGradient<OpT> &gradient, GradientBuilder &b,
                        Value logits, Value probabilities) {
  Value isLabel = b.cast(gradient.positions.buildOneHot(),
                         getTypeOf(probabilities).getElementType());
  Value slope = b.sub(probabilities, isLabel);
  b.addGradient(logits, b.mul(slope, gradient.buildWeighted()));
}

LogicalResult NllLossOp::buildGradients(GradientBuilder &b) {
  if (failed(checkClasses(*this)))
    return failure();
  LabelGradient gradient(*this, b);
  gradient.addOfWeights();
  if (!b.isNeeded(getInput()))
    return success();
  // The slope of a logarithm is infinite and that of a softmax is 0 where a
  // probability is 0, whereas their product is not 0.
  auto softmax = getInput().getDefiningOp<SoftmaxOp>();
  if (getOfProbabilities() && softmax && softmax.getAxis() == 1 &&
      b.isNeeded(softmax.getInput())) {
    Value y = b.widen(b.getForward(getInput()));
    addOfLogits(gradient, b, softmax.getInput(), y);
    return success();
  }
  Value weighted;
  if (getOfProbabilities())
    weighted = gradient.buildQuotient(buildAboveZero(
        b, gradient.positions.buildPicked(b.getForward(getInput()))));
  else
    weighted = gradient.buildWeighted();
  b.addGradient(getInput(), gradient.buildAtLabels(b.neg(weighted)));
  return success();
}

LogicalResult CrossEntropyLossOp::buildGradients(GradientBuilder &b) {
  if (failed(checkClasses(*this)))
    return failure();
  LabelGradient gradient(*this, b);
  gradient.addOfWeights();
  if (!b.isNeeded(getInput()))
    return success();
  Value x = b.widen(b.getForward(getInput()));
  Value probabilities = b.softmax(x, /*axis=*/1);
  addOfLogits(gradient, b, getInput(), probabilities);
  return success();
}
