//===- ShapeLimits.h - Limits of tensor sizes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_SHAPELIMITS_H
#define IPU_MLIR_INTERFACES_SHAPELIMITS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::ipu {

/// Returns whether the product of the non-zero dimensions of a static shape is
/// at most 2^56, so that offsets and sizes in bits fit 64 bits.
bool isAddressableShape(llvm::ArrayRef<int64_t> shape);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_SHAPELIMITS_H
