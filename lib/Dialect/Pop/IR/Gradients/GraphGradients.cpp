//===- GraphGradients.cpp - Gradients of state and copies -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getTarget(), b.getGradient(getResult()));
  return success();
}

LogicalResult FromTensorOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.getGradient(getResult()));
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.getGradient(getResult()));
  return success();
}

LogicalResult IpuCopyOp::buildGradients(GradientBuilder &b) {
  // One copy for each IPU that operands came from.
  llvm::MapVector<int64_t, SmallVector<unsigned>> operandsOfSource;
  for (auto [i, input, result] : llvm::enumerate(getInputs(), getResults()))
    if (b.isNeeded(input) && b.getGradient(result))
      operandsOfSource[getSources()[i]].push_back(i);
  for (auto &[source, operands] : operandsOfSource) {
    SmallVector<Value> gradients;
    for (unsigned i : operands)
      gradients.push_back(b.getGradient(getResult(i)));
    SmallVector<int64_t> sources(operands.size(), getDestination());
    auto copy = b.create<IpuCopyOp>(gradients, sources, source);
    for (auto [i, gradient] : llvm::zip_equal(operands, copy.getResults()))
      b.addGradient(getInputs()[i], gradient);
  }
  return success();
}

LogicalResult IoTileCopyOp::buildGradients(GradientBuilder &b) {
  TileSet other =
      getDestination() == TileSet::IO ? TileSet::Compute : TileSet::IO;
  b.addGradient(getInput(),
                b.create<IoTileCopyOp>(b.getGradient(getResult()), other));
  return success();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(),
                b.create<DropoutOp>(b.getGradient(getResult()),
                                    b.getForward(getSeed()), getRatio()));
  return success();
}
