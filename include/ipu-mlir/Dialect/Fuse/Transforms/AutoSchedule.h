//===- AutoSchedule.h - Automatic schedules ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_H

#include "ipu-mlir/Dialect/Fuse/Schedule/FusionCost.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// The order in which a reduction combines its elements.
/// - Serial: one after the other, in the order of the program. Any order is
///   allowed for integers, for maxima and minima, and for reductions with
///   `fastmath<reassoc>`.
/// - Blocked: the order that `pop-choose-accumulation` chooses for a reduction
///   that has the same extents as this reduction. Blocks have 1024 elements if
///   an extent is not known. Matrix products combine elements in ascending
///   order.
enum class ReductionOrder { Serial, Blocked };

struct AutoScheduleOptions {
  /// The number of vector lanes; 1 means no vectors. Blocked reductions always
  /// have 16 lanes.
  int64_t vectorWidth = 16;
  ReductionOrder reductionOrder = ReductionOrder::Serial;
  CostParameters cost;
};

/// Splits the loops of a fusion such that they can be vectorized, splits its
/// reductions into lanes, and computes each tensor at the position that the
/// cost model chooses. Returns the cost of the schedule. Fails, with a
/// diagnostic, if the fusion cannot be read.
FailureOr<FusionEstimate> autoSchedule(FusionSchedule &fusion,
                                       const AutoScheduleOptions &options);

/// Returns, for each tensor of a fusion, the properties that the cost model
/// needs.
std::vector<TensorCost> getTensorCosts(const FusionSchedule &fusion);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_H
