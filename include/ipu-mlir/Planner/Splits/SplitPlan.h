//===- SplitPlan.h - Splits of the ops of a program -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A split plan states for each op of a program whether and how it is split.
// planSplits() in SplitChoice.h chooses the plan. visitSplits() visits the ops
// in a fixed order and replaces them by their parts, both to choose a plan and
// to apply one.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_SPLITS_SPLITPLAN_H
#define IPU_MLIR_PLANNER_SPLITS_SPLITPLAN_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu {

/// A split of an op, and the number of parts.
struct SplitVariant {
  TileSplit split;
  int64_t parts = 0;
};

/// The decision to split one op.
struct SplitDecision {
  /// The number of the op among all visited ops.
  int64_t op = 0;
  SplitVariant variant;
  /// This flag is set if some part exceeds its share of memory, or if stages
  /// may compute a serial part. The parts are then visited after the op,
  /// because they may be split, too.
  bool visitsParts = false;

  bool operator==(const SplitDecision &other) const {
    return op == other.op && variant.split.name == other.variant.split.name &&
           variant.parts == other.variant.parts &&
           visitsParts == other.visitsParts;
  }
};

/// The reason why an op exceeds its share of memory although it may be split.
enum class ExcessReason { HugeTensor, NoSmallerSplit, TooManyParts };

/// An op that exceeds its share of memory.
struct SplitExcess {
  /// The number of the op among all visited ops.
  int64_t op = 0;
  ExcessReason reason = ExcessReason::NoSmallerSplit;
  /// The share of a tile's memory, and the bytes above it.
  int64_t share = 0, bytes = 0;
};

/// The splits of all ops of a program. Two plans with equal decisions and an
/// equal form of serial parts (the two flags) give equal programs.
struct SplitPlan {
  /// If this flag is set, equal serial parts of an op are calls of one
  /// function.
  bool sharesCode = false;
  /// If this flag is set, the partial sums of serial parts are added as soon as
  /// they are computed, and are never stored at the same time.
  bool sumsParts = false;
  /// The decisions, in the order in which the ops are visited.
  SmallVector<SplitDecision> decisions;
  /// The ops that still exceed their shares, in the order of visits, with at
  /// most one part of each op of the program.
  SmallVector<SplitExcess> excesses;

  bool hasSerialParts() const;
  /// Return the decision on the visited op number `op`, or its excess. Return
  /// null if there is none.
  const SplitDecision *findDecision(int64_t op) const;
  const SplitExcess *findExcess(int64_t op) const;
};

/// An op that visitSplits() visits.
struct VisitedOp {
  TilePlanOpInterface op;
  /// The number of the op among all visited ops.
  int64_t number;
  /// This flag is set if the op is a part of an op of the program.
  bool isPart;
  /// If this flag is set, equal serial parts of the op become calls.
  bool mayShareCode;
  /// If this flag is set, the op must stay whole, because its op of the program
  /// already has the greatest number of parts that are visited.
  bool staysWhole;
};

/// Visits the ops of `module` that may have splits. `decide` returns the
/// decision on the visited op, or std::nullopt if the op is not split. The
/// parts replace the op as soon as it is decided. Returns whether there are
/// serial parts of the form of `plan`: calls if parts share code, and sums if
/// partial sums are added part by part.
bool visitSplits(
    ModuleOp module, const SplitPlan &plan,
    function_ref<std::optional<SplitDecision>(const VisitedOp &)> decide);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_SPLITS_SPLITPLAN_H
