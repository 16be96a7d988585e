//===- ShapeLimits.h - Limits of tensor sizes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_SHAPELIMITS_H
#define IPU_MLIR_INTERFACES_SHAPELIMITS_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::ipu {

/// Returns whether the product of the non-zero dimensions of a static shape is
/// at most 2^56, so that offsets and sizes in bits fit 64 bits.
bool isAddressableShape(llvm::ArrayRef<int64_t> shape);

/// Returns whether `type` has no shape, or an addressable shape. Dimensions of
/// unknown size are not counted.
bool isAddressable(Type type);

/// Checks that the types of all results and arguments of `root` and of the ops
/// inside of `root` are addressable, including those of functions without a
/// body. Passes that compute with the sizes of values of any op call this.
LogicalResult verifyAddressable(Operation *root);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_SHAPELIMITS_H
