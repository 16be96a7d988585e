//===- ShapeGradients.cpp - Gradients of data movement ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"

using namespace mlir;
using namespace mlir::pop;

LogicalResult ReshapeOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(), b.buildReshape(b.getGradient(getResult()),
                                   getInput().getType().getShape()));
  return success();
}

LogicalResult ReadOp::buildGradients(GradientBuilder &b) {
  b.add(getTarget(), b.getGradient(getResult()));
  return success();
}
