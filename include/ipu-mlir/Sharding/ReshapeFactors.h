//===- ReshapeFactors.h - The rule of a reshape -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_RESHAPEFACTORS_H
#define IPU_MLIR_SHARDING_RESHAPEFACTORS_H

#include "ipu-mlir/Sharding/Rule.h"
#include <optional>

namespace mlir::ipu::sharding {

/// Returns the sharding rule of a reshape from `input` to `output`, which are
/// shapes with the same number of elements. Factors are added to the dimensions
/// of both shapes from the first dimension on. In each shape, the *rest* of the
/// current dimension is its size divided by its factors so far. The shapes
/// share the next factor if two conditions hold: the products of all factors so
/// far are equal in both shapes, and the rests have a common divisor greater
/// than 1. Any other factor belongs to one shape only. Returns std::nullopt if
/// a dimension has size 0, or if the number of elements does not fit 63 bits.
/// The rule follows Shardy.
std::optional<Rule> getReshapeRule(ArrayRef<int64_t> input,
                                   ArrayRef<int64_t> output);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RESHAPEFACTORS_H
