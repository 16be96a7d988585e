//===- SplitChoice.h - Choice among splits of a whole program ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The splits that fit the share of memory and those for smaller shares are
// alternatives, with serial parts as ops or as calls. planSplits() plans the
// whole program for each alternative, and returns the best one; see
// docs/planner.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_SPLITS_SPLITCHOICE_H
#define IPU_MLIR_PLANNER_SPLITS_SPLITCHOICE_H

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "ipu-mlir/Planner/Splits/SplitPlan.h"

namespace mlir::ipu {

/// The quality of the plan of a whole program.
struct PlanRate {
  /// The bytes of code that do not fit, and the bytes of code and tensors
  /// together that do not fit.
  int64_t codeExcess = 0, memoryExcess = 0;
  /// The planned cycles, and the cycles if ops share data that they move.
  int64_t cycles = 0, sharedCycles = 0;
};

/// Splits of a program that are compared with others.
struct SplitAlternative {
  /// The share of memory, in thousandths, for which the ops are split.
  int64_t perMille = 0;
  SplitPlan plan;
  /// The quality of the program, or std::nullopt if the alternative is the only
  /// one and is therefore not rated.
  std::optional<PlanRate> rate;

  /// Returns the form of the serial parts: "ops" or "calls", and whether their
  /// partial sums are added one after the other.
  StringRef getForm() const {
    if (plan.sumsParts)
      return plan.sharesCode ? "summed-calls" : "summed-ops";
    return plan.sharesCode ? "calls" : "ops";
  }
  /// Returns whether all ops fit their shares, and the program is expected to
  /// fit.
  bool fits() const {
    return plan.excesses.empty() && (!rate || rate->memoryExcess == 0);
  }
};

/// The result of a comparison of alternatives.
struct SplitChoice {
  /// The alternatives in the order in which they were tried.
  SmallVector<SplitAlternative> alternatives;
  size_t chosen = 0;

  const SplitAlternative &getChosen() const { return alternatives[chosen]; }
  /// Returns the best alternative that was not chosen, or null if there is
  /// none. This is the one with the smallest excess of code or, if these are
  /// equal, the fewest cycles.
  const SplitAlternative *getRunnerUp() const;
};

/// Return whether the splits of `a` are better than those of `b`. The splits
/// are for different shares and have the same form, or `a` has calls and `b`
/// has ops.
bool isBetterShare(const PlanRate &a, const PlanRate &b);
bool areCallsBetter(const PlanRate &calls, const PlanRate &ops);

/// Returns the number of the best of `alternatives`, which have the same form
/// and descending shares.
size_t findBestShare(ArrayRef<SplitAlternative> alternatives);

/// Returns whether a share that is smaller than those of `alternatives` may be
/// better. This is not expected after two results in a row without gain.
bool mayGainFromSmallerShare(ArrayRef<SplitAlternative> alternatives);

/// Chooses between the alternatives whose parts are ops and those whose parts
/// are calls.
SplitChoice chooseForm(SmallVector<SplitAlternative> ops,
                       SmallVector<SplitAlternative> calls);

/// Chooses the splits of the ops of `module`, which must be decomposed. Does
/// not change `module`, and emits no diagnostics.
SplitChoice planSplits(ModuleOp module, const TargetModel &target,
                       const PlanOptions &options, SerialPartsKind kind);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_SPLITS_SPLITCHOICE_H
