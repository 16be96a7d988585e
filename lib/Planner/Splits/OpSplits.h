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

#include "ipu-mlir/Planner/Cost/OpCosts.h"
#include "ipu-mlir/Planner/Splits/SplitPlan.h"

namespace mlir::ipu {

/// The new ops of a split, and the values that replace the results of the op.
struct BuiltSplit {
  SmallVector<Operation *> ops;
  SmallVector<Value> results;
};

/// Builds `variant` before `op`, and decomposes the new ops.
BuiltSplit buildSplit(TilePlanOpInterface op, const SplitVariant &variant);

/// The best form of an op.
struct BestVariant {
  /// The variant, or std::nullopt if the whole op is at least as good as its
  /// variants.
  std::optional<SplitVariant> variant;
  OpCost cost;
};

/// Returns the variant of `op` with the lowest cost. `whole` is the cost of the
/// whole op. An op that fits its share is not split into serial parts. If
/// `mayShareCode` is set, serial parts are calls.
BestVariant findBestVariant(TilePlanOpInterface op, const OpCost &whole,
                            OpCosts &costs, bool mayShareCode);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_SPLITS_OPSPLITS_H
