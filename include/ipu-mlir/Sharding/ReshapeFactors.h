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
/// shapes with the same number of elements. Both sides share a factor between
/// two successive positions at which the running products of their dimensions
/// are equal. All other factors belong to one side. Returns std::nullopt if a
/// dimension has size 0, or if the number of elements does not fit 63 bits. The
/// rule follows Shardy.
std::optional<Rule> getReshapeRule(ArrayRef<int64_t> input,
                                   ArrayRef<int64_t> output);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RESHAPEFACTORS_H
