//===- PartitionSearch.h - Plans of one op ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan states how the parallel loops of one op are split over tiles. It also
// has the cycles and the bytes of this op with this split. docs/planner.md has
// the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_PARTITIONSEARCH_H
#define IPU_MLIR_PLANNER_PARTITION_PARTITIONSEARCH_H

#include "ipu-mlir/Planner/Partition/LoopPartition.h"

namespace mlir::ipu {

/// The options of a planner.
struct PlanOptions {
  /// The share of tile memory for the operands and results of one op, in
  /// thousandths.
  int64_t memoryPerMille = 600;
  /// The greatest number of plans to return.
  unsigned maxPlans = 1;
  /// The loops that must not be split: bit i stands for loop i.
  uint64_t unsplitLoops = 0;
  /// Each part of the first result consists of blocks of this number of
  /// elements that are consecutive in row-major order, and that start at a
  /// multiple of this number, if the sizes of dimensions allow it.
  int64_t readGrain = 1;

  bool maySplit(unsigned loop) const {
    return loop >= 64 || !(unsplitLoops >> loop & 1);
  }
};

/// Returns the share `proportion` of tile memory in thousandths. Emits an error
/// and fails if the share is not from 0 to 1.
FailureOr<int64_t> getMemoryPerMille(double proportion, Location loc);

/// Returns the share of tile memory, in thousandths, that the attribute
/// `ipu.available_memory_proportion` of `op` states. Returns std::nullopt if
/// `op` does not have this attribute.
std::optional<int64_t> getAvailableMemory(Operation *op);

/// One way to split an op's parallel loops.
struct TilePlan {
  LoopBlocks blocks;
  /// The cycles of the compute set, which the slowest vertex determines, plus
  /// the cycles for receiving all operands of this vertex. Receiving includes
  /// the exchanges and the syncs before them.
  int64_t cycles = 0;
  /// The bytes of operands and results on the fullest tile.
  int64_t bytes = 0;

  bool operator==(const TilePlan &other) const {
    return blocks == other.blocks && cycles == other.cycles &&
           bytes == other.bytes;
  }
};

/// Returns the number of bytes of a tile that a plan may use.
int64_t getMemoryLimit(const TargetModel &target, const PlanOptions &options);

/// Returns the plan for the partition into `blocks`, with its cycles and bytes.
TilePlan getTilePlan(const TargetModel &target, const PartitionProblem &problem,
                     ArrayRef<int64_t> blocks);

/// Returns the best `options.maxPlans` plans that fit in memory, in ascending
/// order of cycles. If no plan fits, returns the plan with the fewest bytes.
/// A layout may store a dimension in groups of elements (see docs/planner.md).
/// Plans that split such groups are considered only if no other plan fits. A
/// plan has at most as many parts as a replica has compute tiles. If a loop
/// with more than one position may be split, a plan uses more than one tile. Of
/// plans with equal cycles, the plan that splits outer loops into more parts
/// comes first. The result is exact if there are at most some millions of
/// partitions. Otherwise, the plans are the best plans among the partitions
/// that the search tries first.
SmallVector<TilePlan> enumeratePlans(const TargetModel &target,
                                     const PartitionProblem &problem,
                                     const PlanOptions &options = {});

/// Returns at most `options.maxPlans` nested plans that fit in memory. A nested
/// plan first splits the loops over IPUs. The ways to split the loops over IPUs
/// are sorted in two orders: by the number of other IPUs with which an IPU
/// exchanges data, and by the bytes on links. The number of these bytes assumes
/// that each operand is spread evenly over the IPUs. The plans alternate
/// between the best ways of both orders. Returns no plans for one IPU.
SmallVector<TilePlan> enumerateNestedPlans(const TargetModel &target,
                                           const PartitionProblem &problem,
                                           const PlanOptions &options = {});

/// Checks that `plan` is a legal split of `problem`: it has a positive block
/// for each loop, it has at most as many parts as there are tiles, and it
/// computes each element of a result once. Also checks that `plan` has the same
/// cycles and bytes as the result of getTilePlan(), and that the bytes are
/// within the limit of `options`.
LogicalResult verifyTilePlan(const TargetModel &target,
                             const PartitionProblem &problem,
                             const PlanOptions &options, const TilePlan &plan,
                             function_ref<InFlightDiagnostic()> emitError);

/// Returns the cycles of the compute set of `problem` with the partition
/// `blocks`, on the slowest tile. ipu-estimate-cost computes the same number.
int64_t getComputeSetCycles(const TargetModel &target,
                            const PartitionProblem &problem,
                            ArrayRef<int64_t> blocks);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_PARTITIONSEARCH_H
