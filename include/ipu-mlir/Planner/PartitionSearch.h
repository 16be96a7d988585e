//===- PartitionSearch.h - Plans of one op ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says how the parallel loops of one op are split over tiles, what that
// costs by itself, and what memory it takes. docs/planner.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITIONSEARCH_H
#define IPU_MLIR_PLANNER_PARTITIONSEARCH_H

#include "ipu-mlir/Planner/Partition.h"

namespace mlir::ipu {

/// What a planner may use.
struct PlanOptions {
  /// Share of tile memory that operands and results of one op may take, in
  /// thousandths.
  int64_t memoryPerMille = 600;
  /// Plans to return at most.
  unsigned maxPlans = 1;
  /// Loops that must not be split, by bits.
  uint64_t unsplitLoops = 0;

  bool maySplit(unsigned loop) const {
    return loop >= 64 || !(unsplitLoops >> loop & 1);
  }
};

/// A share of tile memory in thousandths. Emits an error and fails unless it is
/// from 0 to 1.
FailureOr<int64_t> getMemoryPerMille(double proportion, Location loc);

/// What `op` itself says of its share of tile memory, in thousandths.
std::optional<int64_t> getAvailableMemory(Operation *op);

/// One way to split an op's parallel loops.
struct TilePlan {
  LoopBlocks blocks;
  /// Cycles of the fullest vertex in its compute set, and of receiving all its
  /// operands, with the sync before.
  int64_t cycles = 0;
  /// Bytes of operands and results on the fullest tile.
  int64_t bytes = 0;

  bool operator==(const TilePlan &other) const {
    return blocks == other.blocks && cycles == other.cycles &&
           bytes == other.bytes;
  }
};

/// Bytes of a tile that a plan may take.
int64_t getMemoryLimit(const TargetModel &target, const PlanOptions &options);

/// Rates the partition into `blocks`.
TilePlan getTilePlan(const TargetModel &target, const PartitionProblem &problem,
                     ArrayRef<int64_t> blocks);

/// The best `options.maxPlans` partitions into at most as many parts as a
/// replica has tiles, fewest cycles first, that fit in memory; if none fits,
/// the one with the fewest bytes. Uses more than one tile where there is more
/// than one position to split. Ties go to the one that splits outer loops more.
/// Exact unless there are more than some millions of partitions; then of those
/// that are tried first.
SmallVector<TilePlan> enumeratePlans(const TargetModel &target,
                                     const PartitionProblem &problem,
                                     const PlanOptions &options = {});

/// Plans whose parts are nested, over IPUs first, that fit in memory: of the
/// ways to split the loops over IPUs those by which the fewest bytes pass links
/// if each operand is spread evenly, and those by which an IPU talks to the
/// fewest others, in turns, at most `options.maxPlans`. None for one IPU.
SmallVector<TilePlan> enumerateNestedPlans(const TargetModel &target,
                                           const PartitionProblem &problem,
                                           const PlanOptions &options = {});

/// Checks that `plan` splits `problem` legally: a positive block for each loop,
/// no more parts than tiles, each element of a result once; and that its
/// cycles and bytes are what getTilePlan says, within the limit of `options`.
LogicalResult verifyTilePlan(const TargetModel &target,
                             const PartitionProblem &problem,
                             const PlanOptions &options, const TilePlan &plan,
                             function_ref<InFlightDiagnostic()> emitError);

/// Cycles of the compute set that runs `problem` split into `blocks`, on its
/// slowest tile, as ipu-estimate-cost finds them.
int64_t getComputeSetCycles(const TargetModel &target,
                            const PartitionProblem &problem,
                            ArrayRef<int64_t> blocks);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITIONSEARCH_H
