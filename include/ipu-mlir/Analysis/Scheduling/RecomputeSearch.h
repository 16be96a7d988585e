//===- RecomputeSearch.h - Choices of recomputed nodes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses nodes of the forward pass that are recomputed. Most choices are given
// by boundaries, which are positions between two nodes: values that are live at
// a boundary are kept, and the other nodes are recomputed (checkpointing; T.
// Chen et al., Training deep nets with sublinear memory cost, 2016). All
// choices contain the forced nodes. They depend on the graph alone.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTESEARCH_H
#define IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTESEARCH_H

#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"

namespace mlir::ipu {

/// Makes `choice` a possible choice: adds forced nodes, removes nodes that are
/// not repeatable, and lets views be recomputed exactly if their storage is.
void completeChoice(const TrainingGraph &graph, RecomputeChoice &choice);
/// Does the same for the nodes from `first` to the one before `last`.
void completeChoice(const TrainingGraph &graph, RecomputeChoice &choice,
                    unsigned first, unsigned last);

/// Returns only the forced nodes, or all repeatable nodes.
RecomputeChoice chooseForced(const TrainingGraph &graph);
RecomputeChoice chooseAll(const TrainingGraph &graph);

/// Returns the choice with the lowest peak among those with boundaries at the
/// fewest live bytes of intervals. The lengths of the intervals decrease
/// towards the end of the forward pass, and nodes after the last boundary are
/// not recomputed. The numbers of intervals that are tried are up to twice the
/// root of the number of nodes. Returns only the forced nodes if no choice has
/// a lower peak.
RecomputeChoice chooseStandard(const TrainingGraph &graph);

struct RecomputeSearchOptions {
  /// The greatest number of boundaries between which the search chooses, and of
  /// incomparable choices that it remembers at each of them.
  unsigned maxBoundaries = 64, maxChoices = 256;
};

/// Returns the choice with the fewest operations among those that the search
/// finds with a peak of at most `budget` bytes. If it finds none, returns the
/// choice with the lowest peak that it finds. The search compares the choices
/// of the other functions, those of all nodes with few operations for each
/// byte, and those of a dynamic programme over boundaries. If the forward pass
/// is a chain of at most `maxBoundaries` nodes, and the backward pass uses its
/// values from the last to the first, the result is optimal unless more than
/// `maxChoices` choices are incomparable.
RecomputeChoice chooseWithinBudget(const TrainingGraph &graph, int64_t budget,
                                   const RecomputeSearchOptions &options = {});

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_SCHEDULING_RECOMPUTESEARCH_H
