//===- FusionCost.h - Bytes and operations of a schedule --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs of a schedule as plain numbers: the bytes that go through memory,
// and the operations, including those of recomputed elements. Positions are
// chosen by comparing saved bytes with recomputed operations.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

namespace mlir::fuse {

/// What the model has to know of a tensor.
struct TensorCost {
  /// Operations for one point of its iteration space.
  double operations = 1;
  /// Bytes of one element, of all results together.
  double bytes = 4;
};

/// The machine. Costs are in the time of one operation.
struct CostParameters {
  /// Buffers up to this many bytes stay in a cache: what they hold is not
  /// moved.
  double cacheBytes = 256 * 1024;
  /// The time of moving a byte through memory. A core that does 16 lanes at
  /// 3.5 GHz on 25 GB/s takes the time of 2.2 operations.
  double operationsPerByte = 2;
  /// Stands for extents that are known at run time only.
  int64_t assumedExtent = 1024;
};

/// What a tensor costs in a nest.
struct TensorEstimate {
  /// How often each point of the iteration space is computed, 1 or more.
  double recompute = 1;
  /// Bytes of its buffer; of a whole result if `computeAt` is 0.
  double bufferBytes = 0;
  /// Operations, repetitions included.
  double operations = 0;
  /// Bytes moved to write it and to read it, repetitions included.
  double bytes = 0;
};

struct FusionEstimate {
  /// By tensor.
  std::vector<TensorEstimate> tensors;
  double operations = 0;
  double bytes = 0;
  /// The same if nothing shared a loop.
  double unfusedOperations = 0;
  double unfusedBytes = 0;

  double getCost(const CostParameters &parameters) const {
    return operations + bytes * parameters.operationsPerByte;
  }
  double getSavedBytes() const { return unfusedBytes - bytes; }
  /// Operations over those of the unfused program, 1 or more.
  double getRecompute() const {
    return unfusedOperations == 0 ? 1 : operations / unfusedOperations;
  }
};

/// The number an extent stands for.
double evaluateExtent(AffineExpr extent, const CostParameters &parameters);

/// What the schedule costs. None if it is not legal. `costs` by tensor.
std::optional<FusionEstimate>
estimateCost(const Schedule &schedule, ArrayRef<TensorCost> costs,
             const CostParameters &parameters = {});

/// Computes all tensors as deep as is legal, then takes out of loops what costs
/// more there, because it is repeated, than its bytes are worth; each tensor by
/// itself, consumers first, as long as the whole gets cheaper. Loops stay as
/// they are. Returns what the schedule then costs.
FusionEstimate choosePositions(Schedule &schedule, ArrayRef<TensorCost> costs,
                               const CostParameters &parameters = {});

/// Tensors by the nests that are worth making: numbers from 0 in program order,
/// one for all that share a loop with each other directly or by others; inputs
/// have the number of nothing (~0u). Nests do not depend on each other in
/// cycles.
std::vector<unsigned> groupByNest(const Schedule &schedule);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H
