//===- PartitionSearch.h - Plans of one op ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says how the parallel loops of one op are split over tiles, the cost
// of the split alone, and its memory. docs/planner.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITIONSEARCH_H
#define IPU_MLIR_PLANNER_PARTITIONSEARCH_H

#include "ipu-mlir/Planner/Partition.h"

namespace mlir::ipu {

/// Limits of a planner.
struct PlanOptions {
  /// The share of tile memory for the operands and results of one op, in
  /// thousandths.
  int64_t memoryPerMille = 600;
  /// The greatest number of plans to return.
  unsigned maxPlans = 1;
  /// Loops that must not be split, as bits.
  uint64_t unsplitLoops = 0;

  bool maySplit(unsigned loop) const {
    return loop >= 64 || !(unsplitLoops >> loop & 1);
  }
};

/// A share of tile memory in thousandths. Emits an error and fails if the share
/// is not from 0 to 1.
FailureOr<int64_t> getMemoryPerMille(double proportion, Location loc);

/// The share of tile memory in the attribute of `op`, in thousandths.
std::optional<int64_t> getAvailableMemory(Operation *op);

/// One way to split an op's parallel loops.
struct TilePlan {
  LoopBlocks blocks;
  /// Cycles of the slowest vertex in its compute set, of receiving all of its
  /// operands, and of the sync before.
  int64_t cycles = 0;
  /// Bytes of operands and results on the fullest tile.
  int64_t bytes = 0;

  bool operator==(const TilePlan &other) const {
    return blocks == other.blocks && cycles == other.cycles &&
           bytes == other.bytes;
  }
};

/// The bytes of a tile that a plan may use.
int64_t getMemoryLimit(const TargetModel &target, const PlanOptions &options);

/// Computes the cost of the partition into `blocks`.
TilePlan getTilePlan(const TargetModel &target, const PartitionProblem &problem,
                     ArrayRef<int64_t> blocks);

/// The best `options.maxPlans` partitions that fit in memory, with at most as
/// many parts as a replica has tiles, in ascending order of cycles. If no
/// partition fits, the partition with the fewest bytes. Uses more than one tile
/// if more than one position can be split. Of equal partitions, the partition
/// that splits outer loops more comes first. The result is exact if there are
/// at most some millions of partitions. Otherwise it is the best of the
/// partitions that are tried first.
SmallVector<TilePlan> enumeratePlans(const TargetModel &target,
                                     const PartitionProblem &problem,
                                     const PlanOptions &options = {});

/// At most `options.maxPlans` nested plans that fit in memory, whose parts are
/// divided over IPUs first. They alternate between two orders of the ways to
/// split the loops over IPUs: those with the fewest bytes on links, if each
/// operand is spread evenly; and those in which an IPU exchanges data with the
/// fewest other IPUs. None for one IPU.
SmallVector<TilePlan> enumerateNestedPlans(const TargetModel &target,
                                           const PartitionProblem &problem,
                                           const PlanOptions &options = {});

/// Checks that `plan` is a legal split of `problem`: a positive block for each
/// loop, no more parts than tiles, and each element of a result once. Also
/// checks that its cycles and bytes are those of getTilePlan, within the limit
/// of `options`.
LogicalResult verifyTilePlan(const TargetModel &target,
                             const PartitionProblem &problem,
                             const PlanOptions &options, const TilePlan &plan,
                             function_ref<InFlightDiagnostic()> emitError);

/// Cycles, on its slowest tile, of the compute set for `problem` split into
/// `blocks`, as ipu-estimate-cost computes them.
int64_t getComputeSetCycles(const TargetModel &target,
                            const PartitionProblem &problem,
                            ArrayRef<int64_t> blocks);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITIONSEARCH_H
