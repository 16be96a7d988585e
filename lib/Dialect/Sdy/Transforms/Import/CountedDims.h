//===- CountedDims.h - Dimensions of iota values ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_COUNTEDDIMS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_COUNTEDDIMS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::ipu::sdy {

/// Returns the dimension of `value`, a tensor of integers, in which the
/// coordinate of each element is known to equal the element, as in the result
/// of stablehlo.iota. Returns std::nullopt if there is no such dimension, if it
/// has size 1, or if the analysis takes too long.
std::optional<int64_t> getCountedDim(Value value);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_COUNTEDDIMS_H
