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
  Value x = b.widen(getInput());
  auto reduce = [&](ReduceKind kind, Value value) {
    return b.reduce(kind, value, axis, /*keepDims=*/true, getAccumAttr());
  };
  Value greatest = reduce(ReduceKind::Max, x);
  Value power = b.exp(b.sub(x, greatest));
  Value sum = reduce(ReduceKind::Sum, power);
  Value y = b.div(power, sum);
  return SmallVector<Value>{b.cast(y, getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// BatchNormOp and BatchNormTrainingOp
//===----------------------------------------------------------------------===//

namespace {
/// Builds a batch normalisation of `type` in the type that it is computed in.
struct BatchNormBuilder {
  PopBuilder &b;
  RankedTensorType type;
  Type computeType = getComputeType(type.getElementType());

  /// [C] broadcasts over what follows dimension 1 as [C, 1, ...].
  Value perChannel(Value value) {
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = type.getDimSize(1);
    return b.reshape(value, shape);
  }

  Value buildScaled(Value centered, Value variance, Value scale, Value bias,
                    const APFloat &epsilon) {
    Value shifted = b.add(variance, b.splat(epsilon, computeType));
    Value deviation = b.sqrt(shifted);
    Value factor = b.div(b.cast(scale, computeType), deviation);
    Value y = b.mul(centered, perChannel(factor));
    y = b.add(y, perChannel(b.cast(bias, computeType)));
    return b.cast(y, type.getElementType());
  }

  /// The mean over all dimensions but that of channels.
  Value buildMean(Value value, AccumAttr accum) {
    int64_t count = 1;
    SmallVector<int64_t> axes = pop::detail::getStatisticAxes(type.getShape());
    for (int64_t axis : axes)
      count *= type.getDimSize(axis);
    Value sum = b.create<ReduceOp>(
        RankedTensorType::get(type.getShape().slice(1, 1), computeType),
        ReduceKind::Sum, value, axes, /*keep_dims=*/false, accum);
    return b.div(sum, b.splat(static_cast<double>(count), computeType));
  }
};
} // namespace

Replacement BatchNormOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  BatchNormBuilder norm = {b, getType()};
  Value variance = b.cast(getVariance(), norm.computeType);
  Value x = b.widen(getInput());
  Value mean = norm.perChannel(b.cast(getMean(), norm.computeType));
  Value centered = b.sub(x, mean);
  return SmallVector<Value>{norm.buildScaled(centered, variance, getScale(),
                                             getBias(), getEpsilon())};
}

Replacement BatchNormTrainingOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  BatchNormBuilder norm = {b, getInput().getType()};
  Value x = b.widen(getInput());
  // The sum extends its addends to the type that it is computed in.
  Value mean = norm.buildMean(getInput(), getAccumAttr());
  Value centered = b.sub(x, norm.perChannel(mean));
  Value squares = b.mul(centered, centered);
  Value variance = norm.buildMean(squares, getAccumAttr());
  Value y =
      norm.buildScaled(centered, variance, getScale(), getBias(), getEpsilon());
  Type type = getScale().getType().getElementType();
  return SmallVector<Value>{y, b.cast(mean, type), b.cast(variance, type)};
}
