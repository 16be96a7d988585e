//===- RecomputeSegment.h - Segments of forward passes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment is the part of the forward pass between two boundaries. Its nodes
// are recomputed from the values that are live at its first boundary, the
// entries, or are kept. While the backward pass executes a segment, the values
// that earlier segments keep are live. So the peak in a segment depends on the
// earlier segments by the number of these bytes alone.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_RECOMPUTESEGMENT_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_RECOMPUTESEGMENT_H

#include "LiveRanges.h"
#include "TrainingUses.h"
#include "ipu-mlir/Analysis/Scheduling/RecomputeSearch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ipu {

/// The nodes of a segment that are recomputed. Values that are live at the last
/// boundary of the segment are always kept.
enum class SegmentKind {
  None,
  All,
  /// All nodes are recomputed except those whose results only the backward pass
  /// uses.
  Inner
};
constexpr SegmentKind kSegmentKinds[] = {SegmentKind::None, SegmentKind::All,
                                         SegmentKind::Inner};

/// The bytes and operations that a segment adds to the segments before it.
struct SegmentEffect {
  /// The greatest number of live bytes, without those of earlier segments that
  /// are no entries.
  int64_t peak = 0;
  /// The bytes that the segment keeps for the backward pass, without the bytes
  /// of entries that no other segment needs. The number may be negative.
  int64_t keptBytes = 0;
  int64_t operations = 0;
};

/// The properties of a training step that all of its segments share.
class SegmentModel {
public:
  SegmentModel(const TrainingGraph &graph, const TrainingUses &uses);

  const TrainingGraph &graph;
  const TrainingUses &uses;

  /// Returns whether the live range of `value` depends on what is recomputed.
  bool isCounted(unsigned value) const;
  /// Returns the values that are live at `boundary`.
  llvm::SmallVector<unsigned> getEntries(unsigned boundary) const;
  /// Returns the bytes of `values`.
  int64_t countBytes(llvm::ArrayRef<unsigned> values) const;
  /// Adds the nodes to `choice` that are recomputed in the segment from
  /// boundary `first` to boundary `last`.
  void choose(unsigned first, unsigned last, SegmentKind kind,
              RecomputeChoice &choice) const;
  /// Returns the number after the last node that uses a counted value that a
  /// node after `boundary` computes, or the first node of the backward pass.
  unsigned getBackwardEnd(unsigned boundary) const {
    return backwardEnds[boundary];
  }
  /// Return the bytes that are live whatever is recomputed, while `node` is
  /// executed, or directly before it.
  int64_t getConstantBytes(unsigned node) const { return constantBytes[node]; }
  int64_t getConstantBytesBefore(unsigned node) const {
    return constantBytesBefore[node];
  }

private:
  std::vector<unsigned> backwardEnds;
  std::vector<int64_t> constantBytes, constantBytesBefore;
};

class Segment {
public:
  /// The segment from boundary `first`, at which `entries` are live, to
  /// boundary `last`.
  Segment(const SegmentModel &model, llvm::ArrayRef<unsigned> entries,
          unsigned first, unsigned last, SegmentKind kind);

  SegmentEffect measure() const;

private:
  void findSteps();
  bool isNeeded(unsigned value) const;
  bool isKeptEntry(unsigned value) const;
  bool isKeptResult(unsigned value) const;
  unsigned countLiveSteps(unsigned value) const;
  int64_t countForwardPeak() const;
  int64_t countBackwardPeak() const;

  const SegmentModel &model;
  const TrainingGraph &graph;
  const TrainingUses &uses;
  llvm::ArrayRef<unsigned> entries;
  unsigned first, last;
  RecomputeChoice choice;
  /// The counted values that the nodes of the segment compute.
  llvm::SmallVector<unsigned> results;
  /// The nodes of the backward pass that use these values, with the copies of
  /// the segment, and the positions of the nodes among them.
  std::vector<TrainingStep> steps;
  unsigned firstStep = 0, lastStep = 0;
  std::vector<unsigned> positions;
  /// The last positions of copies that read a value.
  llvm::DenseMap<unsigned, unsigned> copyReads;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_RECOMPUTESEGMENT_H
