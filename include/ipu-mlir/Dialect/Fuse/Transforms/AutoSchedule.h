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

/// In which order a reduction combines its elements.
///   Serial:  as the program says, one after the other, unless no order changes
///            a bit (integers, maxima and minima, `fastmath<reassoc>`).
///   Blocked: in the order that `pop-choose-accumulation` gives to a reduction
///   of
///            these extents, with blocks of 1024 where one is not known;
///            products of matrices stay in ascending order.
enum class ReductionOrder { Serial, Blocked };

struct AutoScheduleOptions {
  /// Lanes of vectors; 1: none. Blocked reductions have 16.
  int64_t vectorWidth = 16;
  ReductionOrder reductionOrder = ReductionOrder::Serial;
  CostParameters cost;
};

/// Splits the loops of a fusion into vectors, reductions into lanes, and
/// computes each tensor as deep as the cost model finds worth it. Returns what
/// that costs. Fails, with a diagnostic, if the fusion cannot be read.
FailureOr<FusionEstimate> autoSchedule(FusionSchedule &fusion,
                                       const AutoScheduleOptions &options);

/// What the cost model has to know of the tensors of a fusion.
std::vector<TensorCost> getTensorCosts(const FusionSchedule &fusion);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_H
