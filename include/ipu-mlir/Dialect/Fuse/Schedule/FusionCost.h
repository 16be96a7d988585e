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

/// The properties of a tensor that the model needs.
struct TensorCost {
  /// Operations for one point of its iteration space.
  double operations = 1;
  /// Bytes of one element, for all results together.
  double bytes = 4;
};

/// Parameters of the machine. The unit of cost is the time of one operation.
struct CostParameters {
  /// Buffers of at most this many bytes stay in a cache, so their elements are
  /// not moved through memory.
  double cacheBytes = 256 * 1024;
  /// The time to move a byte through memory. For a core that does 16 lanes at
  /// 3.5 GHz with 25 GB/s, it is the time of 2.2 operations.
  double operationsPerByte = 2;
  /// The assumed value of extents that are only known at run time.
  int64_t assumedExtent = 1024;
};

/// The cost of a tensor in a nest.
struct TensorEstimate {
  /// How often each point of the iteration space is computed, 1 or more.
  double recompute = 1;
  /// Bytes of its buffer, or of a whole result if `computeAt` is 0.
  double bufferBytes = 0;
  /// Operations, including repetitions.
  double operations = 0;
  /// Bytes moved to write and to read the tensor, including repetitions.
  double bytes = 0;
};

struct FusionEstimate {
  /// Indexed by tensor.
  std::vector<TensorEstimate> tensors;
  double operations = 0;
  double bytes = 0;
  /// The same without any shared loops.
  double unfusedOperations = 0;
  double unfusedBytes = 0;

  double getCost(const CostParameters &parameters) const {
    return operations + bytes * parameters.operationsPerByte;
  }
  double getSavedBytes() const { return unfusedBytes - bytes; }
  /// Operations divided by those of the unfused program, 1 or more.
  double getRecompute() const {
    return unfusedOperations == 0 ? 1 : operations / unfusedOperations;
  }
};

/// The value of an extent under the assumptions of the parameters.
double evaluateExtent(AffineExpr extent, const CostParameters &parameters);

/// The cost of the schedule. None if the schedule is not legal. `costs` is
/// indexed by tensor.
std::optional<FusionEstimate>
estimateCost(const Schedule &schedule, ArrayRef<TensorCost> costs,
             const CostParameters &parameters = {});

/// Computes all tensors at their deepest legal positions. Then, for each
/// tensor, consumers first, moves it out of loops if the repeated operations
/// cost more than the bytes that the loops save, as long as the total cost
/// decreases. Loops do not change. Returns the cost of the resulting schedule.
FusionEstimate choosePositions(Schedule &schedule, ArrayRef<TensorCost> costs,
                               const CostParameters &parameters = {});

/// The nest of each tensor, as numbers from 0 in program order. Tensors that
/// share a loop, directly or through other tensors, have the same number.
/// Inputs have no nest (~0u). Nests do not depend on each other in cycles.
std::vector<unsigned> groupByNest(const Schedule &schedule);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H
