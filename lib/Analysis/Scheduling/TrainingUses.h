//===- TrainingUses.h - Uses of values in training steps --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_TRAININGUSES_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_TRAININGUSES_H

#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"

namespace mlir::ipu {

/// The uses of values that have storage, including uses of their views, and the
/// values that are live at boundaries. Boundary p is between the nodes p - 1
/// and p.
class TrainingUses {
public:
  explicit TrainingUses(const TrainingGraph &graph);

  /// Returns the bytes of the values that nodes before the boundary compute,
  /// and nodes of the forward pass after the boundary use.
  llvm::ArrayRef<int64_t> getLiveBytes() const { return liveBytes; }
  /// Returns the boundary from `first` to `last` with the fewest live bytes;
  /// the last one if there are several.
  unsigned findLowestBoundary(unsigned first, unsigned last) const;
  /// Returns whether `value`, which has storage, is live at `boundary`. Values
  /// from outside are live up to their last use.
  bool isLiveAt(unsigned value, unsigned boundary) const {
    std::optional<unsigned> node = graph.values[value].node;
    return (!node || *node < boundary) && forwardEnds[value] > boundary;
  }
  /// Returns the number after the last node of the forward pass that uses
  /// `value`, or 0 if there is none.
  unsigned getForwardEnd(unsigned value) const { return forwardEnds[value]; }
  /// Returns the first node of the forward pass that uses `value`, or the
  /// number of nodes of the forward pass if there is none.
  unsigned getForwardStart(unsigned value) const {
    return forwardStarts[value];
  }
  /// Returns the nodes of the backward pass that use `value`, in their order.
  llvm::ArrayRef<unsigned> getBackwardUses(unsigned value) const {
    return backwardUses[value];
  }
  /// Returns whether a result of `node` is live at `boundary`.
  bool isKeptBy(unsigned node, unsigned boundary) const;

private:
  void addUse(unsigned value, unsigned node);

  const TrainingGraph &graph;
  std::vector<unsigned> forwardStarts, forwardEnds;
  std::vector<llvm::SmallVector<unsigned, 2>> backwardUses;
  std::vector<int64_t> liveBytes;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_TRAININGUSES_H
