//===- TileInterfaces.cpp - Interfaces of ops on tiles ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/TileInterfaces.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Interfaces/TileInterfaces.cpp.inc"

StridedView StridedView::identity(ArrayRef<int64_t> shape) {
  return {0, llvm::to_vector(shape), computeStrides(shape)};
}

int64_t StridedView::getNumElements() const { return computeProduct(sizes); }

bool StridedView::isContiguous() const {
  if (offset != 0)
    return false;
  int64_t expected = 1;
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(sizes, strides))) {
    // A dimension of one element is never stepped over.
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}
