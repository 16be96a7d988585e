//===- PopCompute.cpp - Ops that may compute in f16 -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopComputeInterface.cpp.inc"

Type pop::detail::getTypeOfComputation(TypeAttr compute, Type elementType) {
  return compute ? compute.getValue() : getComputeType(elementType);
}

LogicalResult pop::detail::verifyCompute(Operation *op, TypeAttr compute,
                                         Type elementType) {
  if (!compute || compute.getValue() == elementType)
    return success();
  return op->emitOpError() << "with `compute` expects `input` of element type "
                           << compute << " but got " << elementType;
}

void pop::setComputeF16(Operation *root) {
  auto f16 = TypeAttr::get(Float16Type::get(root->getContext()));
  root->walk([&](ComputeOpInterface op) {
    if (getElementTypeOrSelf(op->getOperand(0)).isF16())
      op.setComputeAttr(f16);
  });
}
