//===- PopDecompose.cpp - Ops written as simpler ops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

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
  if (groups == 1 || shape[axis] == groups * chunk.size)
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
// BatchNormOp
//===----------------------------------------------------------------------===//

Replacement BatchNormOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getType();
  auto computeType = cast<FloatType>(getComputeType(type.getElementType()));
  auto cast = [&](Value value) {
    return pop::detail::buildCast(b, loc, value, computeType);
  };
  // [C] broadcasts over what follows dimension 1 as [C, 1, ...].
  SmallVector<int64_t> shape(type.getRank() - 1, 1);
  shape.front() = type.getDimSize(1);
  auto perChannel = [&](Value value) -> Value {
    if (shape.size() == 1)
      return value;
    return ReshapeOp::create(b, loc, RankedTensorType::get(shape, computeType),
                             value);
  };
  APFloat epsilonValue = getEpsilon();
  bool isExact;
  epsilonValue.convert(computeType.getFloatSemantics(),
                       APFloat::rmNearestTiesToEven, &isExact);
  Value epsilon = pop::detail::buildSplat(
      b, loc, {}, FloatAttr::get(computeType, epsilonValue));
  Value shifted = AddOp::create(b, loc, cast(getVariance()), epsilon);
  Value deviation = SqrtOp::create(b, loc, shifted);
  Value factor = DivOp::create(b, loc, cast(getScale()), deviation);
  Value mean = perChannel(cast(getMean())), bias = perChannel(cast(getBias()));
  Value y = SubOp::create(b, loc, cast(getInput()), mean);
  y = MulOp::create(b, loc, y, perChannel(factor));
  y = AddOp::create(b, loc, y, bias);
  return SmallVector<Value>{
      pop::detail::buildCast(b, loc, y, type.getElementType())};
}
