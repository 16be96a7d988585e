//===- PartitionSearch.h - Plans of one op ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan states how the parallel loops of one op are split over tiles, the cost
// of the split alone, and its memory. docs/planner.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITIONSEARCH_H
#define IPU_MLIR_PLANNER_PARTITIONSEARCH_H

#include "ipu-mlir/Planner/Partition.h"

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

  bool maySplit(unsigned loop) const {
    return loop >= 64 || !(unsplitLoops >> loop & 1);
  }
};

/// Returns the share `proportion` of tile memory in thousandths. Emits an error
/// and fails if the share is not from 0 to 1.
FailureOr<int64_t> getMemoryPerMille(double proportion, Location loc);

/// Returns the share of tile memory in the attribute of `op`, in thousandths,
/// or std::nullopt if the op has no such attribute.
std::optional<int64_t> getAvailableMemory(Operation *op);

/// One way to split an op's parallel loops.
struct TilePlan {
  LoopBlocks blocks;
  /// The cycles of the slowest vertex in its compute set, of the exchange that
  /// sends it all of its operands, and of the sync before this exchange.
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
/// order of cycles. A plan has at most as many parts as a replica has tiles. If
/// no plan fits, returns the plan with the fewest bytes. A plan uses more than
/// one tile if a loop with more than one position may be split. Of plans with
/// equal cycles, the plan that splits outer loops more comes first. The result
/// is exact if there are at most some millions of partitions. Otherwise, it
/// contains the best of the partitions that are tried first.
SmallVector<TilePlan> enumeratePlans(const TargetModel &target,
                                     const PartitionProblem &problem,
                                     const PlanOptions &options = {});

/// Returns at most `options.maxPlans` nested plans that fit in memory. A nested
/// plan first splits the loops over IPUs. The ways to split the loops over IPUs
/// are sorted in two orders: by the bytes on links if each operand is spread
/// evenly, and by the number of other IPUs with which an IPU exchanges data.
/// The plans alternate between the best ways of both orders. Returns no plans
/// for one IPU.
SmallVector<TilePlan> enumerateNestedPlans(const TargetModel &target,
                                           const PartitionProblem &problem,
                                           const PlanOptions &options = {});

/// Checks that `plan` is a legal split of `problem`: it has a positive block
/// for each loop and no more parts than tiles, and computes each element of a
/// result once. Also checks that its cycles and bytes are those of
/// getTilePlan(), and that the bytes are within the limit of `options`.
LogicalResult verifyTilePlan(const TargetModel &target,
                             const PartitionProblem &problem,
                             const PlanOptions &options, const TilePlan &plan,
                             function_ref<InFlightDiagnostic()> emitError);

/// Returns the cycles, on the slowest tile, of the compute set for `problem`
/// split into `blocks`, as ipu-estimate-cost computes them.
int64_t getComputeSetCycles(const TargetModel &target,
                            const PartitionProblem &problem,
                            ArrayRef<int64_t> blocks);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITIONSEARCH_H
