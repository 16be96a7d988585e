//===- StableHLOChecks.h - Checks of type inference -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOCHECKS_H
#define IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOCHECKS_H

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"

namespace mlir::ipu::stablehlo {

/// Returns whether two sizes can be equal. A dynamic size can be equal to any
/// size.
inline bool areCompatibleSizes(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// Checks that each dimension is in [0, rank), and that no dimension occurs
/// twice.
LogicalResult checkDims(std::optional<Location> location, StringRef name,
                        ArrayRef<int64_t> dims, int64_t rank);
/// Checks that each dimension is in [0, rank), and that the dimensions are in
/// strictly ascending order.
LogicalResult checkSortedDims(std::optional<Location> location, StringRef name,
                              ArrayRef<int64_t> dims, int64_t rank);

/// Checks that the list `name` has one number for each dimension: that `count`
/// equals `rank`.
LogicalResult checkCount(std::optional<Location> location, StringRef name,
                         size_t count, int64_t rank);

/// Checks that `region` combines scalars of n element types: it must have 2 * n
/// arguments, whose types are `elementTypes` twice, and return n values of
/// these types.
LogicalResult checkCombiner(std::optional<Location> location, StringRef name,
                            Region &region, ArrayRef<Type> elementTypes);

/// Returns the types of the operands of the terminator of `region`.
TypeRange getReturnedTypes(Region &region);

} // namespace mlir::ipu::stablehlo

#endif // IPU_MLIR_LIB_DIALECT_STABLEHLO_IR_STABLEHLOCHECKS_H
