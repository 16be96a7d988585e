//===- PopDecompose.cpp - Decompositions of ops -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

using namespace mlir;
using namespace mlir::pop;

using Replacement = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// SoftmaxOp
//===----------------------------------------------------------------------===//

Replacement SoftmaxOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  int64_t axis = getAxis();
  Type computeType = getTypeOfComputation();
  Type sumType = getComputeType(computeType);
  Value x = b.cast(getInput(), computeType);
  Value greatest =
      b.reduce(ReduceKind::Max, x, axis, /*keepDims=*/true, getAccumAttr());
  Value power = b.exp(b.sub(x, greatest));
  Value sum = b.reduce(ReduceKind::Sum, power, axis, /*keepDims=*/true,
                       getAccumAttr(), sumType);
  if (getComputeAttr()) {
    Value factor = b.cast(b.create<ReciprocalOp>(sum), computeType);
    return SmallVector<Value>{b.mul(power, factor)};
  }
  return SmallVector<Value>{
      b.cast(b.div(power, sum), getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// BatchNormOp and BatchNormTrainingOp
//===----------------------------------------------------------------------===//

namespace {
/// Builds a batch normalisation. Statistics, and the factors of channels, are
/// in `statisticType`; the tensor is normalised in `computeType`.
struct BatchNormBuilder {
  PopBuilder &b;
  RankedTensorType type;
  Type computeType;
  Type statisticType = getComputeType(type.getElementType());

  /// [C] broadcasts over what follows dimension 1 as [C, 1, ...].
  Value perChannel(Value value) {
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = type.getDimSize(1);
    return b.reshape(b.cast(value, computeType), shape);
  }

  Value buildCentered(Value x, Value mean) {
    x = b.cast(x, computeType);
    return b.sub(x, perChannel(mean));
  }

  Value buildScaled(Value centered, Value variance, Value scale, Value bias,
                    const APFloat &epsilon) {
    Value shifted = b.add(variance, b.splat(epsilon, statisticType));
    Value deviation = b.sqrt(shifted);
    Value factor = b.div(b.cast(scale, statisticType), deviation);
    Value y = b.mul(centered, perChannel(factor));
    y = b.add(y, perChannel(bias));
    return b.cast(y, type.getElementType());
  }

  /// The mean over all dimensions but that of channels.
  Value buildMean(Value value, AccumAttr accum) {
    int64_t count = 1;
    SmallVector<int64_t> axes = pop::detail::getStatisticAxes(type.getShape());
    for (int64_t axis : axes)
      count *= type.getDimSize(axis);
    Value sum = b.reduce(ReduceKind::Sum, value, axes, /*keepDims=*/false,
                         accum, statisticType);
    return b.div(sum, b.splat(static_cast<double>(count), statisticType));
  }
};
} // namespace

Replacement BatchNormOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  BatchNormBuilder norm = {b, getType(), getTypeOfComputation()};
  Value variance = b.cast(getVariance(), norm.statisticType);
  Value centered = norm.buildCentered(getInput(), getMean());
  return SmallVector<Value>{norm.buildScaled(centered, variance, getScale(),
                                             getBias(), getEpsilon())};
}

Replacement BatchNormTrainingOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  BatchNormBuilder norm = {b, getInput().getType(), getTypeOfComputation()};
  Value x = b.cast(getInput(), norm.computeType);
  // The sum extends its addends to the type of the statistics.
  Value mean = norm.buildMean(getInput(), getAccumAttr());
  Value centered = norm.buildCentered(x, mean);
  Value wide = b.cast(centered, norm.statisticType);
  Value variance = norm.buildMean(b.mul(wide, wide), getAccumAttr());
  Value y =
      norm.buildScaled(centered, variance, getScale(), getBias(), getEpsilon());
  Type type = getScale().getType().getElementType();
  return SmallVector<Value>{y, b.cast(mean, type), b.cast(variance, type)};
}
