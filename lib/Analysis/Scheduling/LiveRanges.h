//===- LiveRanges.h - Live ranges of training steps -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H

#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ipu {

/// The live bytes of steps, from the ranges of steps in which values are live.
class LiveRanges {
public:
  explicit LiveRanges(unsigned numSteps) : changes(numSteps + 1) {}

  /// Adds `bytes` to the steps from `first` to `last`.
  void add(int64_t bytes, unsigned first, unsigned last) {
    changes[first] += bytes;
    changes[last + 1] -= bytes;
  }
  /// Returns the live bytes of each step.
  std::vector<int64_t> count() const;

private:
  std::vector<int64_t> changes;
};

/// The values whose live ranges are of interest.
struct LiveRangeRules {
  /// Returns the bytes that count while `value`, which has storage, is live.
  /// The value is that of a node, or that of a copy.
  llvm::function_ref<int64_t(unsigned value, bool isCopy)> getBytes;
  /// Returns whether `value`, which no copy computes, is live after the steps.
  llvm::function_ref<bool(unsigned value)> isLiveAfter;
};

/// Returns the live ranges of the values that `steps` use. Values that no step
/// computes are live from the first step.
LiveRanges getLiveRanges(const TrainingGraph &graph,
                         llvm::ArrayRef<TrainingStep> steps,
                         const LiveRangeRules &rules);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H
