//===- TensorLoops.h - Loops of one tensor ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/FusionCost.h"

namespace mlir::fuse {

/// Returns the positions of the reduction loops of `tensor`.
SmallVector<int64_t> getReductionLoops(const Schedule &schedule,
                                       TensorId tensor);
std::optional<int64_t> getConstantExtent(const Schedule &schedule,
                                         TensorId tensor, int64_t position);
/// Returns the product of the extents of `axes`.
double getPoints(const Schedule &schedule, ArrayRef<AxisId> axes,
                 const CostParameters &cost);
/// Returns the root axis along which most of the elements that the tensor reads
/// and writes are contiguous, or the last root axis if no elements are
/// contiguous along a root axis.
std::optional<AxisId> getContiguousAxis(const Schedule &schedule,
                                        TensorId tensor,
                                        const CostParameters &cost);
/// Makes loop `position` the innermost loop of `tensor`.
void sinkLoop(Schedule &schedule, TensorId tensor, int64_t position);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H
