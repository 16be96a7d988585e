//===- CompatiblePrefix.h - Compatible prefix of axes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions for the longest prefix of axes that can be added to a factor of one
// tensor. Basic and aggressive propagation share them.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_SHARDING_COMPATIBLEPREFIX_H
#define IPU_MLIR_LIB_SHARDING_COMPATIBLEPREFIX_H

#include "ipu-mlir/Sharding/FactorPropagation.h"

namespace mlir::ipu::sharding {

/// Returns the largest prefix of `axis` that no other factor of `tensor` uses.
std::optional<AxisRef>
getCompatiblePrefixAcrossFactors(const AxisRef &axis, unsigned factor,
                                 const TensorFactorShardings &tensor);

/// Returns the largest prefix of `axis` that the factor has in `tensor`, or
/// that can be appended to the factor after axes with `sharded` devices in
/// total.
std::optional<AxisRef>
getCompatiblePrefixWithinFactor(const AxisRef &axis, unsigned factor,
                                const TensorFactorShardings &tensor,
                                int64_t factorSize, int64_t sharded);

/// Truncates `axes` at the first axis for which `getPrefix` does not return the
/// whole axis. `getPrefix` gets the axis and the product of the sizes of the
/// previous axes. With `conservative`, no sub-axis is added.
void truncateAxes(
    AxisList &axes, bool conservative, MeshSizes mesh,
    function_ref<std::optional<AxisRef>(const AxisRef &, int64_t)> getPrefix);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_COMPATIBLEPREFIX_H
