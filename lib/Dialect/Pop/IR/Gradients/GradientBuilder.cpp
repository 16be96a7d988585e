//===- GradientBuilder.cpp - Builder of gradients of an op ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopGradientInterface.cpp.inc"

RankedTensorType mlir::pop::getGradientType(Type type) {
  if (auto ref = dyn_cast<RefType>(type))
    type = ref.getTensorType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool hasGradient = tensor && tensor.hasStaticShape() &&
                     isa<FloatType>(tensor.getElementType());
  return hasGradient ? tensor : RankedTensorType();
}

static RankedTensorType getTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

Value GradientBuilder::getGradientOrZero(Value result) {
  if (Value gradient = getGradient(result))
    return gradient;
  return buildSplat(getGradientType(result.getType()), 0.0);
}

void GradientBuilder::add(Value operand, Value gradient) {
  if (!gradient || !isNeeded(operand))
    return;
  RankedTensorType type = getGradientType(operand.getType());
  // Operands are as broadcast to results as their gradients are summed.
  SmallVector<int64_t> axes;
  ArrayRef<int64_t> shape = getTypeOf(gradient).getShape();
  int64_t numNew = int64_t(shape.size()) - type.getRank();
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    if (axis < numNew || shape[axis] != type.getDimSize(axis - numNew))
      axes.push_back(axis);
  if (!axes.empty())
    gradient = buildSum(gradient, axes);
  addValue(operand, buildCast(buildReshape(gradient, type.getShape()),
                              type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value GradientBuilder::buildSplat(RankedTensorType type, double value) {
  Attribute element = getFloatAttr(type.getElementType(), value);
  return build<ConstantOp>(DenseElementsAttr::get(type, element));
}

Value GradientBuilder::buildScalar(Value like, double value) {
  return buildSplat(RankedTensorType::get({}, getTypeOf(like).getElementType()),
                    value);
}

Value GradientBuilder::buildReshape(Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = getTypeOf(input);
  if (type.getShape() == shape)
    return input;
  return ReshapeOp::create(*this, loc, type.clone(shape), input);
}

Value GradientBuilder::buildCast(Value input, Type elementType) {
  RankedTensorType type = getTypeOf(input);
  if (type.getElementType() == elementType)
    return input;
  return CastOp::create(*this, loc, type.clone(elementType), input);
}

Value GradientBuilder::buildSum(Value input, ArrayRef<int64_t> axes,
                                bool keepDims) {
  return build<ReduceOp>(ReduceKind::Sum, input, axes, keepDims, AccumAttr());
}
