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

/// Splits a run of `size` elements with one stride into the dimensions at the
/// end of `shape` that form the run. Appends their strides to `strides`, the
/// last one first, and removes the dimensions from `shape`.
static LogicalResult splitRun(int64_t size, int64_t stride,
                              ArrayRef<int64_t> &shape,
                              SmallVectorImpl<int64_t> &strides) {
  while (size > 1) {
    int64_t dim = shape.back();
    if (size % dim != 0)
      return failure();
    strides.push_back(stride);
    stride *= dim;
    size /= dim;
    shape = shape.drop_back();
  }
  return success();
}

FailureOr<StridedView> StridedView::reshape(ArrayRef<int64_t> shape) const {
  // Nothing reads an element, so any strides are correct.
  if (computeProduct(shape) == 0)
    return StridedView{offset, llvm::to_vector(shape), computeStrides(shape)};
  // The loop begins with the last dimension. It joins dimensions into the
  // longest run with one stride, and then splits the run into dimensions of
  // `shape`.
  SmallVector<int64_t> newStrides;
  ArrayRef<int64_t> rest = shape;
  int64_t size = 1, stride = 1;
  for (auto [dimSize, dimStride] :
       llvm::reverse(llvm::zip_equal(sizes, strides))) {
    if (dimSize == 1)
      continue;
    if (size > 1 && dimStride != stride * size) {
      if (failed(splitRun(size, stride, rest, newStrides)))
        return failure();
      size = 1;
    }
    if (size == 1)
      stride = dimStride;
    size *= dimSize;
  }
  if (failed(splitRun(size, stride, rest, newStrides)))
    return failure();
  newStrides.append(rest.size(), 1);
  std::reverse(newStrides.begin(), newStrides.end());
  return StridedView{offset, llvm::to_vector(shape), newStrides};
}
