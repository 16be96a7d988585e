//===- StridedCopy.h - Copies between strided views -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::ipu {

/// A copy between two views of the same sizes, as nested loops. Dimensions that
/// are contiguous in both views are merged, and dimensions of size 1 are
/// omitted. The loops follow the order of the target's memory. Strides are in
/// elements.
struct CopyLoops {
  SmallVector<int64_t> sizes, fromStrides, toStrides;
  int64_t fromOffset = 0, toOffset = 0;
};
CopyLoops getCopyLoops(const StridedView &from, const StridedView &to);

/// Copies iterations [begin, end) of the outermost loop. If there is no loop,
/// copies the only element. The views must not overlap.
void copyElements(const CopyLoops &loops, int64_t elementBytes,
                  const char *source, char *target, int64_t begin, int64_t end);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_STRIDEDCOPY_H
