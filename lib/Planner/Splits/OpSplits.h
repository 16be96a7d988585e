//===- OpSplits.h - Splits of one op ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the variants of an op, and finds the best variant by the costs of its
// ops alone. SplitChoice.h compares whole programs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_SPLITS_OPSPLITS_H
#define IPU_MLIR_LIB_PLANNER_SPLITS_OPSPLITS_H

#include "ipu-mlir/Planner/Partition/PartitionCache.h"
#include "ipu-mlir/Planner/Splits/SplitPlan.h"

namespace mlir::ipu {

/// The new ops of a split, and the values that replace the results of the op.
struct BuiltSplit {
  SmallVector<Operation *> ops;
  SmallVector<Value> results;
};

/// Builds `variant` before `op`, and decomposes the new ops.
BuiltSplit buildSplit(TilePlanOpInterface op, const SplitVariant &variant);

/// The cost of ops that are executed one after the other with their best plans.
struct SplitCost {
  /// The greatest number of bytes by which an op exceeds its share of memory.
  int64_t excess = 0;
  int64_t cycles = 0;

  bool operator<(const SplitCost &other) const {
    return std::tie(excess, cycles) < std::tie(other.excess, other.cycles);
  }
};

/// The costs of single ops for a share of memory.
class SplitCosts {
public:
  SplitCosts(const TargetModel &target, PartitionCache &cache,
             const PlanOptions &options)
      : target(target), cache(cache), options(options) {}

  /// Returns the cost of `op`. Views and constants have no cost. A move costs
  /// as much as an exchange of an even share of its result.
  SplitCost getCost(Operation *op);
  SplitCost getCost(ArrayRef<Operation *> ops);

  /// Returns the additional cycles if calls replace the serial parts among
  /// `ops`. Each call passes its result and the operands of the part that the
  /// previous part does not read.
  int64_t getCallCycles(ArrayRef<Operation *> ops) const;

  /// Returns the bytes of a tile that `op` may use.
  int64_t getShare(Operation *op) const;

  /// Returns whether a tensor that `op` uses is larger than the memory of all
  /// tiles. The program then does not fit with any number of parts.
  bool usesHugeTensor(Operation *op) const;

private:
  PlanOptions getOptions(Operation *op) const;
  int64_t getMoveCycles(Value value) const;

  const TargetModel &target;
  PartitionCache &cache;
  PlanOptions options;
};

/// The best form of an op.
struct BestVariant {
  /// The variant, or std::nullopt if the whole op is at least as good as its
  /// variants.
  std::optional<SplitVariant> variant;
  SplitCost cost;
};

/// Returns the variant of `op` with the lowest cost. `whole` is the cost of the
/// whole op. An op that fits its share is not split into serial parts. If
/// `mayShareCode` is set, serial parts are calls.
BestVariant findBestVariant(TilePlanOpInterface op, const SplitCost &whole,
                            SplitCosts &costs, bool mayShareCode);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_SPLITS_OPSPLITS_H
