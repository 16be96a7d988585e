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

/// The rule of a reshape from `input` to `output`, shapes with the same number
/// of elements. Both sides share a factor wherever their running products are
/// equal; all other factors belong to one side. None if a dimension has size 0,
/// or if the number of elements does not fit 63 bits. After Shardy.
std::optional<Rule> getReshapeRule(ArrayRef<int64_t> input,
                                   ArrayRef<int64_t> output);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_RESHAPEFACTORS_H
