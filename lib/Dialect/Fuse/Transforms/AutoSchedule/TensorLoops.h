//===- TensorLoops.h - Loops of one tensor ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/FusionCost.h"

namespace mlir::fuse {

/// Positions of the reduction loops of a tensor.
SmallVector<int64_t> getReductionLoops(const Schedule &schedule,
                                       TensorId tensor);
std::optional<int64_t> getConstantExtent(const Schedule &schedule,
                                         TensorId tensor, int64_t position);
/// Returns the product of the extents.
double getPoints(const Schedule &schedule, ArrayRef<AxisId> axes,
                 const CostParameters &cost);
/// Returns the root axis along which most of the elements that the tensor reads
/// and writes are contiguous; the last axis if there is none.
std::optional<AxisId> getContiguousAxis(const Schedule &schedule,
                                        TensorId tensor,
                                        const CostParameters &cost);
/// Makes a loop the innermost loop.
void sinkLoop(Schedule &schedule, TensorId tensor, int64_t position);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_TENSORLOOPS_H
