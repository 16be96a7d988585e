//===- PopDecompose.cpp - Ops written as simpler ops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

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

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// The type of a matmul's operand whose batch dimensions are those of `result`,
/// or its own if it is one matrix or such a batch already.
static RankedTensorType getBatchedType(RankedTensorType operand,
                                       RankedTensorType result) {
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, operand.getShape().take_back(2));
  ArrayRef<int64_t> own = operand.getShape().drop_back(2);
  bool isOne = llvm::all_of(own, [](int64_t size) { return size == 1; });
  bool isWhole = ArrayRef(padShape(own, batch.size())) == batch;
  return isOne || isWhole ? operand : operand.clone(shape);
}

Replacement MatmulOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Type computeType = getComputeType(getLhs().getType().getElementType());
  if (getType().getElementType() != computeType) {
    Value wide = MatmulOp::create(b, loc, getType().clone(computeType),
                                  getLhs(), getRhs(), getAccumAttr());
    return SmallVector<Value>{
        pop::detail::buildCast(b, loc, wide, getType().getElementType())};
  }
  RankedTensorType lhs = getBatchedType(getLhs().getType(), getType());
  RankedTensorType rhs = getBatchedType(getRhs().getType(), getType());
  if ((lhs == getLhs().getType() && rhs == getRhs().getType()) ||
      !isPopShape(lhs.getShape()) || !isPopShape(rhs.getShape()))
    return failure();
  auto expand = [&](Value operand, RankedTensorType type) -> Value {
    if (operand.getType() == type)
      return operand;
    return ExpandOp::create(b, loc, type, operand);
  };
  Value newLhs = expand(getLhs(), lhs), newRhs = expand(getRhs(), rhs);
  return SmallVector<Value>{
      MatmulOp::create(b, loc, getType(), newLhs, newRhs, getAccumAttr())};
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

Replacement ConvOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType input = getInput().getType();
  Type elementType = input.getElementType();
  Type computeType = getComputeType(elementType);
  if (getType().getElementType() != computeType) {
    Value wide = ConvOp::create(
        b, loc, getType().clone(computeType), getInput(), getWeights(),
        getStrides(), getDilations(), getPads(), getGroups(), getAccumAttr());
    return SmallVector<Value>{
        pop::detail::buildCast(b, loc, wide, getType().getElementType())};
  }
  ArrayRef<int64_t> pads = getPads();
  if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
    return failure();
  size_t numSpatial = pads.size() / 2;
  SmallVector<int64_t> low = {0, 0}, high = {0, 0};
  llvm::append_range(low, pads.take_front(numSpatial));
  llvm::append_range(high, pads.take_back(numSpatial));
  SmallVector<int64_t> padded(input.getShape());
  for (auto [size, before, after] : llvm::zip_equal(padded, low, high))
    size += before + after;
  if (!isPopShape(padded))
    return failure();
  Value whole = PadOp::create(b, loc, getInput(), low, high,
                              cast<TypedAttr>(b.getZeroAttr(elementType)));
  return SmallVector<Value>{ConvOp::create(
      b, loc, getType(), whole, getWeights(), getStrides(), getDilations(),
      /*pads=*/ArrayRef<int64_t>(), getGroups(), getAccumAttr())};
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
