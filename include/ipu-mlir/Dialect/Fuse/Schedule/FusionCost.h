//===- FusionCost.h - Bytes and operations of a schedule --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a schedule: the number of bytes that move between memory and the
// core, and the number of operations, including operations of recomputed
// elements. choosePositions compares saved bytes with recomputed operations.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

namespace mlir::fuse {

/// The properties of a tensor that the model needs.
struct TensorCost {
  /// Number of operations for one point of the tensor's iteration space.
  double operations = 1;
  /// Number of bytes of one element, summed over all results.
  double bytes = 4;
};

/// Parameters of the machine. The unit of cost is the time of one operation.
struct CostParameters {
  /// The size of the cache. If a buffer is not larger than the cache, its
  /// elements stay in the cache and add no bytes to the cost.
  double cacheBytes = 256 * 1024;
  /// The time to move one byte to or from memory, in units of the time of one
  /// operation. For example, this ratio is 2.2 for a core that executes
  /// operations of 16 lanes at 3.5 GHz and moves 25 GB/s.
  double operationsPerByte = 2;
  /// The value that the model assumes for extents that are only known at run
  /// time.
  int64_t assumedExtent = 1024;
};

/// The cost of one tensor of the schedule.
struct TensorEstimate {
  /// The number of times that each point of the iteration space is computed: 1
  /// or more.
  double recompute = 1;
  /// Number of bytes of the tensor's buffer or, if the computeAt position is 0,
  /// of the tensor's whole results.
  double bufferBytes = 0;
  /// Number of operations, including repetitions.
  double operations = 0;
  /// Number of bytes that are moved to write and to read the tensor, including
  /// repetitions.
  double bytes = 0;
};

struct FusionEstimate {
  /// The estimates of the tensors, indexed by tensor.
  std::vector<TensorEstimate> tensors;
  double operations = 0;
  double bytes = 0;
  /// The operations and bytes of the program in which no tensors share loops
  /// (the unfused program).
  double unfusedOperations = 0;
  double unfusedBytes = 0;

  double getCost(const CostParameters &parameters) const {
    return operations + bytes * parameters.operationsPerByte;
  }
  double getSavedBytes() const { return unfusedBytes - bytes; }
  /// Returns the number of operations divided by the number of operations of
  /// the unfused program: 1 or more.
  double getRecompute() const {
    return unfusedOperations == 0 ? 1 : operations / unfusedOperations;
  }
};

/// Returns the value of `extent`, where each extent that is only known at run
/// time has the value `parameters.assumedExtent`.
double evaluateExtent(AffineExpr extent, const CostParameters &parameters);

/// Returns the cost of the schedule, or std::nullopt if the schedule is not
/// legal. `costs` is indexed by tensor.
std::optional<FusionEstimate>
estimateCost(const Schedule &schedule, ArrayRef<TensorCost> costs,
             const CostParameters &parameters = {});

/// Computes all tensors at their deepest legal positions. Then visits the
/// tensors, consumers first. If the repeated operations of a tensor cost more
/// than the bytes that its shared loops save, moves the tensor out of loops as
/// long as the total cost decreases. The loops themselves do not change.
/// Returns the cost of the resulting schedule.
FusionEstimate choosePositions(Schedule &schedule, ArrayRef<TensorCost> costs,
                               const CostParameters &parameters = {});

/// Returns, for each tensor, the number of its loop nest; nests are numbered
/// from 0 in program order. Tensors that share a loop, directly or through
/// other tensors, are in one nest. Inputs have no nest; their number is ~0u.
/// The dependences between nests contain no cycles.
std::vector<unsigned> groupByNest(const Schedule &schedule);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_FUSIONCOST_H
