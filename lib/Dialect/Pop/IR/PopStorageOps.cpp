//===- PopStorageOps.cpp - What lowered graphs hold -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

using namespace mlir;
using namespace mlir::pop;

/// What is read shares the storage of the ref.
FailureOr<ipu::StridedView> ReadOp::getTileView(const ipu::StridedView &input) {
  return input;
}

SmallVector<ipu::TileMove> CopyOp::getTileMoves() {
  return {{0, SmallVector<int64_t>(getType().getRank(), 0)}};
}

TypedAttr CopyOp::getTileFill() { return {}; }
