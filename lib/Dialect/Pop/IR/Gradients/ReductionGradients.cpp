//===- ReductionGradients.cpp - Gradients of reductions ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients of types narrower than f32 are computed in f32 and rounded once,
// like the results of the ops.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::getTypeOf;

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

/// `value`, of the shape of a result of `op`, with the axes of `op` as
/// dimensions of size 1 of a tensor of `type`.
template <typename OpT>
static Value buildKept(GradientBuilder &b, OpT op, RankedTensorType type,
                       Value value) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : op.getAxes())
    shape[axis] = 1;
  return b.reshape(value, shape);
}
static Value buildKept(GradientBuilder &b, ReduceOp op, Value value) {
  return buildKept(b, op, op.getInput().getType(), value);
}

/// How many elements each result of `op` is of.
static int64_t getNumReduced(ReduceOp op) {
  int64_t count = 1;
  for (int64_t axis : op.getAxes())
    count *= op.getInput().getType().getDimSize(axis);
  return count;
}

static LogicalResult addOfSum(GradientBuilder &b, ReduceOp op, Value dy) {
  RankedTensorType input = op.getInput().getType();
  // What is repeated is rounded before.
  Value rounded = b.cast(buildKept(b, op, dy), input.getElementType());
  b.addGradient(op.getInput(), b.expand(rounded, input.getShape()));
  return success();
}

static LogicalResult addOfExtremum(GradientBuilder &b, ReduceOp op, Value dy) {
  Value y = buildKept(b, op, b.getForward(op.getResult()));
  Value isEqual = b.equal(b.getForward(op.getInput()), y);
  Value wide = b.widen(dy);
  Value count = b.sum(b.cast(isEqual, getTypeOf(wide).getElementType()),
                      op.getAxes(), op.getKeepDims());
  Value share =
      b.cast(b.div(wide, count), op.getInput().getType().getElementType());
  b.addGradient(op.getInput(), b.mask(isEqual, buildKept(b, op, share)));
  return success();
}

static LogicalResult addOfProd(GradientBuilder &b, ReduceOp op, Value dy) {
  RankedTensorType input = op.getInput().getType();
  int64_t count = getNumReduced(op), numRows = input.getNumElements() / count;
  if (failed(pop::detail::checkGradientShape(
          op, {numRows, int64_t(llvm::PowerOf2Ceil(count))})))
    return failure();
  SmallVector<int64_t> permutation, shape;
  for (int64_t i = 0; i < input.getRank(); ++i)
    if (!llvm::is_contained(op.getAxes(), i))
      permutation.push_back(i);
  llvm::append_range(permutation, op.getAxes());
  for (int64_t i : permutation)
    shape.push_back(input.getDimSize(i));
  Value rows = b.transpose(b.getForward(op.getInput()), permutation);
  rows = b.widen(b.reshape(rows, {numRows, count}));
  Value factors = b.reshape(b.widen(dy), {numRows, 1});
  Value products = pop::detail::buildProductsOfOthers(b, rows, factors);
  b.addGradient(op.getInput(),
                b.transpose(b.reshape(products, shape),
                            invertPermutationVector(permutation)));
  return success();
}

LogicalResult ReduceOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (getInput().getType().getNumElements() == 0)
    return success();
  switch (getKind()) {
  case ReduceKind::Sum:
    return addOfSum(b, *this, dy);
  case ReduceKind::Mean: {
    Value wide = b.widen(dy);
    return addOfSum(b, *this,
                    b.div(wide, b.splatLike(getNumReduced(*this), wide)));
  }
  case ReduceKind::Prod:
    return addOfProd(b, *this, dy);
  case ReduceKind::Max:
  case ReduceKind::Min:
    return addOfExtremum(b, *this, dy);
  case ReduceKind::And:
  case ReduceKind::Or:
    break;
  }
  llvm_unreachable("this kind of reduction is verified to have no floats");
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getValue());
  if (!dy)
    return success();
  RankedTensorType type = getValues().getType();
  Value index = buildKept(b, *this, type, b.getForward(getIndex()));
  Value isSelected = b.equal(b.getForward(getIndices()), index);
  b.addGradient(getValues(), b.mask(isSelected, buildKept(b, *this, type, dy)));
  return success();
}

//===----------------------------------------------------------------------===//
// SoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::buildGradients(GradientBuilder &b) {
  Type type = getTypeOfComputation();
  Value y = b.cast(b.getForward(getResult()), type);
  Value dy = b.cast(b.getGradient(getResult()), type);
  Value sum =
      b.reduce(ReduceKind::Sum, b.mul(dy, y), static_cast<int64_t>(getAxis()),
               /*keepDims=*/true, AccumAttr(), getComputeType(type));
  b.addGradient(getInput(), b.mul(y, b.sub(dy, b.cast(sum, type))));
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

namespace {
/// Values of a batch normalisation. Those of elements are in the type in which
/// the normalisation computes. Those of channels are not narrower than f32, and
/// have the shape [1, C, 1...].
struct Norm {
  GradientBuilder &b;
  RankedTensorType type;
  Type computeType;
  SmallVector<int64_t> axes, channels;

  Norm(GradientBuilder &b, RankedTensorType type, Type computeType)
      : b(b), type(type), computeType(computeType),
        channels(type.getRank(), 1) {
    channels[1] = type.getDimSize(1);
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (axis != 1)
        axes.push_back(axis);
  }

  Value buildChannels(Value value) const {
    return b.reshape(b.widen(value), channels);
  }
  Value buildElements(Value value) const { return b.cast(value, computeType); }
  Value buildReduce(ReduceKind kind, Value value) const {
    return b.reduce(kind, value, axes, /*keepDims=*/true, AccumAttr(),
                    getComputeType(type.getElementType()));
  }
  Value buildSum(Value value) const {
    return buildReduce(ReduceKind::Sum, value);
  }
  Value buildMean(Value value) const {
    return buildReduce(ReduceKind::Mean, value);
  }
  Value buildMul(Value lhs, Value rhs) const { return b.mul(lhs, rhs); }
  /// The product of `elements` and the value of its channel.
  Value buildChannelMul(Value elements, Value ofChannels) const {
    return b.mul(elements, buildElements(ofChannels));
  }
  /// The products of elements, whose sums are not rounded.
  Value buildWideMul(Value lhs, Value rhs) const {
    Value wide = b.widen(lhs);
    return b.mul(wide, b.widen(rhs));
  }
  Value buildCentred(Value elements, Value mean) const {
    return b.sub(elements, buildElements(mean));
  }
  Value buildScaled(Value value, double factor) const {
    return b.mul(value, b.splatLike(factor, value));
  }
  /// 1 / sqrt(variance + epsilon)
  Value buildRsqrt(Value variance, const APFloat &epsilon) const {
    return b.create<RsqrtOp>(
        b.add(variance, b.splatLike(epsilon.convertToDouble(), variance)));
  }
  /// Adds `value`, of channels, to the gradient of `operand`.
  void addChannels(Value operand, Value value) const {
    b.addGradient(operand, b.reshape(value, channels[1]));
  }
};
} // namespace

LogicalResult BatchNormOp::buildGradients(GradientBuilder &b) {
  Norm norm(b, getType(), getTypeOfComputation());
  Value dy = norm.buildElements(b.getGradient(getResult()));
  Value scale = norm.buildChannels(b.getForward(getScale()));
  Value variance = norm.buildChannels(b.getForward(getVariance()));
  Value r = norm.buildRsqrt(variance, getEpsilon());
  Value slope = norm.buildMul(scale, r);
  if (b.isNeeded(getInput()))
    b.addGradient(getInput(), norm.buildChannelMul(dy, slope));
  if (b.isNeeded(getBias()) || b.isNeeded(getMean())) {
    Value sum = norm.buildSum(dy);
    if (b.isNeeded(getBias()))
      norm.addChannels(getBias(), sum);
    if (b.isNeeded(getMean()))
      norm.addChannels(getMean(), b.neg(norm.buildMul(sum, slope)));
  }
  if (!b.isNeeded(getScale()) && !b.isNeeded(getVariance()))
    return success();
  Value mean = norm.buildChannels(b.getForward(getMean()));
  Value centred =
      norm.buildCentred(norm.buildElements(b.getForward(getInput())), mean);
  Value scaleGradient =
      norm.buildMul(norm.buildSum(norm.buildWideMul(dy, centred)), r);
  if (b.isNeeded(getScale()))
    norm.addChannels(getScale(), scaleGradient);
  if (b.isNeeded(getVariance()))
    norm.addChannels(
        getVariance(),
        norm.buildScaled(norm.buildMul(scaleGradient, norm.buildMul(slope, r)),
                         -0.5));
  return success();
}

/// The mean and the variance of a batch normalisation, not rounded.
static std::pair<Value, Value>
buildStatistics(const Norm &norm, BatchNormTrainingOp op, Value input) {
  GradientBuilder &b = norm.b;
  if (!isNarrowFloat(op.getMean().getType().getElementType()))
    return {norm.buildChannels(b.getForward(op.getMean())),
            norm.buildChannels(b.getForward(op.getVariance()))};
  Value mean = norm.buildMean(input);
  Value centred = b.widen(norm.buildCentred(input, mean));
  return {mean, norm.buildMean(norm.buildMul(centred, centred))};
}

/// Adds `value` to `sum`, which may be null.
static Value buildPlus(GradientBuilder &b, Value sum, Value value) {
  return sum ? b.add(sum, value) : value;
}

LogicalResult BatchNormTrainingOp::buildGradients(GradientBuilder &b) {
  RankedTensorType type = getInput().getType();
  if (type.getNumElements() == 0)
    return success();
  Norm norm(b, type, getTypeOfComputation());
  double share = 1.0 / (type.getNumElements() / type.getDimSize(1));
  Value input = norm.buildElements(b.getForward(getInput()));
  auto [mean, variance] = buildStatistics(norm, *this, input);
  Value centred = norm.buildCentred(input, mean);
  // dx = dy * slope + centred * tilt + shift
  Value gradient, tilt, shift;
  if (Value result = b.getGradient(getResult())) {
    Value dy = norm.buildElements(result);
    Value r = norm.buildRsqrt(variance, getEpsilon());
    Value slope =
        norm.buildMul(norm.buildChannels(b.getForward(getScale())), r);
    Value biasGradient = norm.buildSum(dy);
    Value scaleGradient =
        norm.buildMul(norm.buildSum(norm.buildWideMul(dy, centred)), r);
    norm.addChannels(getBias(), biasGradient);
    norm.addChannels(getScale(), scaleGradient);
    gradient = norm.buildChannelMul(dy, slope);
    tilt = norm.buildScaled(
        norm.buildMul(scaleGradient, norm.buildMul(slope, r)), -share);
    shift = norm.buildScaled(norm.buildMul(biasGradient, slope), -share);
  }
  if (Value dv = b.getGradient(getVariance()))
    tilt = buildPlus(b, tilt,
                     norm.buildScaled(norm.buildChannels(dv), 2.0 * share));
  if (Value dm = b.getGradient(getMean()))
    shift =
        buildPlus(b, shift, norm.buildScaled(norm.buildChannels(dm), share));
  if (!b.isNeeded(getInput()))
    return success();
  if (tilt)
    gradient = buildPlus(b, gradient, norm.buildChannelMul(centred, tilt));
  if (shift) {
    shift = norm.buildElements(shift);
    gradient =
        gradient ? b.add(gradient, shift) : b.expand(shift, type.getShape());
  }
  b.addGradient(getInput(), gradient);
  return success();
}
