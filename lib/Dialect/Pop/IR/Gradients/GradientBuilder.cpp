//===- GradientBuilder.cpp - Builder of gradients of an op ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"

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

Value GradientBuilder::getGradientOrZero(Value result) {
  if (Value gradient = getGradient(result))
    return gradient;
  return zeros(getGradientType(result.getType()));
}

void GradientBuilder::addGradient(Value operand, Value gradient) {
  if (!gradient || !isNeeded(operand))
    return;
  RankedTensorType type = getGradientType(operand.getType());
  // Operands are as broadcast to results as their gradients are summed.
  SmallVector<int64_t> axes;
  ArrayRef<int64_t> shape =
      llvm::cast<RankedTensorType>(gradient.getType()).getShape();
  int64_t numNew = int64_t(shape.size()) - type.getRank();
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    if (axis < numNew || shape[axis] != type.getDimSize(axis - numNew))
      axes.push_back(axis);
  if (!axes.empty())
    gradient = sum(gradient, axes);
  addValue(operand,
           cast(reshape(gradient, type.getShape()), type.getElementType()));
}
