//===- LiveRanges.h - Live ranges of training steps -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H

#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"
#include "ipu-mlir/Support/RangeSums.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ipu {

/// The values whose live ranges are of interest.
struct LiveRangeRules {
  /// Returns the bytes that count while `value`, which has storage, is live.
  /// The value is that of a node, or that of a copy.
  llvm::function_ref<int64_t(unsigned value, bool isCopy)> getBytes;
  /// Returns whether `value`, which no copy computes, is live after the steps.
  llvm::function_ref<bool(unsigned value)> isLiveAfter;
};

/// Returns the bytes of the values that `steps` use, in the steps in which they
/// are live. Values that no step computes are live from the first step.
RangeSums getLiveRanges(const TrainingGraph &graph,
                        llvm::ArrayRef<TrainingStep> steps,
                        const LiveRangeRules &rules);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LIVERANGES_H
