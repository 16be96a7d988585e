//===- PopDecompose.cpp - Decompositions of ops -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

using Replacement = FailureOr<SmallVector<Value>>;

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value pop::detail::buildCast(OpBuilder &b, Location loc, Value value,
                             Type elementType) {
  RankedTensorType type = getTypeOf(value);
  if (type.getElementType() == elementType)
    return value;
  return CastOp::create(b, loc, type.clone(elementType), value);
}

Value pop::detail::buildSplat(OpBuilder &b, Location loc,
                              ArrayRef<int64_t> shape, TypedAttr value) {
  auto type = RankedTensorType::get(shape, value.getType());
  return ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, static_cast<Attribute>(value)));
}

Value pop::detail::buildReshape(OpBuilder &b, Location loc, Value value,
                                ArrayRef<int64_t> shape) {
  RankedTensorType type = getTypeOf(value);
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(b, loc, type.clone(shape), value);
}

Value pop::detail::buildTranspose(OpBuilder &b, Location loc, Value value,
                                  ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return value;
  return TransposeOp::create(b, loc, value, permutation);
}

Value pop::detail::buildSlice(OpBuilder &b, Location loc, Value value,
                              int64_t axis, int64_t start, int64_t size) {
  RankedTensorType type = getTypeOf(value);
  if (size == type.getDimSize(axis))
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      steps(type.getRank(), 1);
  starts[axis] = start;
  sizes[axis] = size;
  return SliceOp::create(b, loc, value, starts, sizes, steps);
}

Value pop::detail::buildSliceOfGroups(OpBuilder &b, Location loc, Value value,
                                      int64_t axis, int64_t groups,
                                      Chunk chunk) {
  SmallVector<int64_t> shape(getTypeOf(value).getShape());
  if (shape[axis] == groups * chunk.size)
    return value;
  if (groups == 1)
    return buildSlice(b, loc, value, axis, chunk.start, chunk.size);
  SmallVector<int64_t> grouped = shape;
  grouped[axis] /= groups;
  grouped.insert(grouped.begin() + axis, groups);
  value = buildReshape(b, loc, value, grouped);
  value = buildSlice(b, loc, value, axis + 1, chunk.start, chunk.size);
  shape[axis] = groups * chunk.size;
  return buildReshape(b, loc, value, shape);
}

Value pop::detail::buildPadAfter(OpBuilder &b, Location loc, Value value,
                                 int64_t axis, int64_t count, TypedAttr fill) {
  if (count == 0)
    return value;
  SmallVector<int64_t> low(getTypeOf(value).getRank(), 0), high = low;
  high[axis] = count;
  return PadOp::create(b, loc, value, low, high, fill);
}

//===----------------------------------------------------------------------===//
// SoftmaxOp
//===----------------------------------------------------------------------===//

Replacement SoftmaxOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Type elementType = getType().getElementType();
  int64_t axis = getAxis();
  Value x =
      pop::detail::buildCast(b, loc, getInput(), getComputeType(elementType));
  auto reduce = [&](ReduceKind kind, Value value) -> Value {
    return ReduceOp::create(b, loc, kind, value, axis, /*keep_dims=*/true,
                            getAccumAttr());
  };
  Value greatest = reduce(ReduceKind::Max, x);
  Value power = ExpOp::create(b, loc, SubOp::create(b, loc, x, greatest));
  Value sum = reduce(ReduceKind::Sum, power);
  Value y = DivOp::create(b, loc, power, sum);
  return SmallVector<Value>{pop::detail::buildCast(b, loc, y, elementType)};
}

//===----------------------------------------------------------------------===//
// BatchNormOp and BatchNormTrainingOp
//===----------------------------------------------------------------------===//

namespace {
/// Builds a batch normalisation of `type` in the type that it is computed in.
struct BatchNormBuilder {
  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  FloatType computeType =
      llvm::cast<FloatType>(getComputeType(type.getElementType()));

  Value cast(Value value) {
    return pop::detail::buildCast(b, loc, value, computeType);
  }

  /// [C] broadcasts over what follows dimension 1 as [C, 1, ...].
  Value perChannel(Value value) {
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = type.getDimSize(1);
    return pop::detail::buildReshape(b, loc, value, shape);
  }

  Value buildSplat(APFloat value) {
    bool isExact;
    value.convert(computeType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &isExact);
    return pop::detail::buildSplat(b, loc, {},
                                   FloatAttr::get(computeType, value));
  }

  Value buildScaled(Value centered, Value variance, Value scale, Value bias,
                    const APFloat &epsilon) {
    Value shifted = AddOp::create(b, loc, variance, buildSplat(epsilon));
    Value deviation = SqrtOp::create(b, loc, shifted);
    Value factor = DivOp::create(b, loc, cast(scale), deviation);
    Value y = MulOp::create(b, loc, centered, perChannel(factor));
    y = AddOp::create(b, loc, y, perChannel(cast(bias)));
    return pop::detail::buildCast(b, loc, y, type.getElementType());
  }

  /// The mean over all dimensions but that of channels.
  Value buildMean(Value value, AccumAttr accum) {
    SmallVector<int64_t> axes;
    int64_t count = 1;
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      if (i == 1)
        continue;
      axes.push_back(i);
      count *= size;
    }
    Value sum = ReduceOp::create(b, loc, ReduceKind::Sum, value, axes,
                                 /*keep_dims=*/false, accum);
    return DivOp::create(b, loc, sum,
                         buildSplat(APFloat(static_cast<double>(count))));
  }
};
} // namespace

Replacement BatchNormOp::decompose(OpBuilder &b) {
  BatchNormBuilder builder = {b, getLoc(), getType()};
  Value variance = builder.cast(getVariance());
  Value x = builder.cast(getInput());
  Value mean = builder.perChannel(builder.cast(getMean()));
  Value centered = SubOp::create(b, getLoc(), x, mean);
  return SmallVector<Value>{builder.buildScaled(centered, variance, getScale(),
                                                getBias(), getEpsilon())};
}

Replacement BatchNormTrainingOp::decompose(OpBuilder &b) {
  BatchNormBuilder builder = {b, getLoc(), getInput().getType()};
  Value x = builder.cast(getInput());
  Value mean = builder.buildMean(x, getAccumAttr());
  Value centered = SubOp::create(b, getLoc(), x, builder.perChannel(mean));
  Value squares = MulOp::create(b, getLoc(), centered, centered);
  Value variance = builder.buildMean(squares, getAccumAttr());
  Value y = builder.buildScaled(centered, variance, getScale(), getBias(),
                                getEpsilon());
  Type type = getScale().getType().getElementType();
  return SmallVector<Value>{
      y, pop::detail::buildCast(b, getLoc(), mean, type),
      pop::detail::buildCast(b, getLoc(), variance, type)};
}
