//===- FactorConflicts.h - What keeps an axis off a factor ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far an axis can be added to a factor of one tensor. Shared by basic and
// aggressive propagation.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_SHARDING_FACTORCONFLICTS_H
#define IPU_MLIR_LIB_SHARDING_FACTORCONFLICTS_H

#include "ipu-mlir/Sharding/FactorPropagation.h"

namespace mlir::ipu::sharding {

/// The largest prefix of `axis` that no other factor of `tensor` uses.
std::optional<AxisRef> cutAcrossFactors(const AxisRef &axis, unsigned factor,
                                        const TensorProjection &tensor);

/// The largest prefix of `axis` that the factor has in `tensor`, or that can be
/// added to it after axes of `sharded` devices in all.
std::optional<AxisRef> cutWithinFactor(const AxisRef &axis, unsigned factor,
                                       const TensorProjection &tensor,
                                       int64_t factorSize, int64_t sharded);

/// Cuts `axes` at the first that `cut` shortens or refuses. `cut` is given the
/// axis and the number of devices of those before it.
void truncateAxes(
    AxisList &axes, bool conservative, MeshSizes mesh,
    function_ref<std::optional<AxisRef>(const AxisRef &, int64_t)> cut);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_FACTORCONFLICTS_H
