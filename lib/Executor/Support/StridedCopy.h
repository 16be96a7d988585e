//===- StridedCopy.h - Copies between strided views -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::ipu {

/// A copy between two views of the same sizes, as loops. Dimensions that are
/// contiguous in both views are joined, dimensions of size 1 are omitted, and
/// the order is that of the target's memory. Strides are in elements.
struct CopyLoops {
  SmallVector<int64_t> sizes, fromStrides, toStrides;
  int64_t fromOffset = 0, toOffset = 0;
};
CopyLoops getCopyLoops(const StridedView &from, const StridedView &to);

/// Copies positions [begin, end) of the outermost loop (everything, if there is
/// no loop). The views must not overlap.
void copyElements(const CopyLoops &loops, int64_t elementBytes,
                  const char *source, char *target, int64_t begin, int64_t end);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H
