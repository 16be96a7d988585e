//===- SplitExactly.h - Shares that add up ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_SPLITEXACTLY_H
#define IPU_MLIR_SUPPORT_SPLITEXACTLY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::ipu {

/// Divides `total` into integers that are proportional to `weights` and add up
/// to `total`. Each integer is the exact share, rounded down or up; the shares
/// with the greatest remainders are rounded up, and of equal remainders, the
/// first ones. If all weights are 0, they count as equal. `weights` must not be
/// empty, and no number may be negative.
SmallVector<int64_t> splitExactly(int64_t total, ArrayRef<int64_t> weights);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_SPLITEXACTLY_H
