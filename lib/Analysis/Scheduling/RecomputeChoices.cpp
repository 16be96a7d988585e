//===- RecomputeChoices.cpp - Choices of recomputed nodes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/RecomputeSearch.h"

#include "TrainingUses.h"
#include <cmath>

using namespace mlir::ipu;

void mlir::ipu::completeChoice(const TrainingGraph &graph,
                               RecomputeChoice &choice) {
  completeChoice(graph, choice, 0, graph.numForward);
}

void mlir::ipu::completeChoice(const TrainingGraph &graph,
                               RecomputeChoice &choice, unsigned first,
                               unsigned last) {
  for (unsigned number = first; number < last; ++number) {
    const TrainingNode &node = graph.nodes[number];
    for (unsigned result : node.results)
      if (std::optional<unsigned> source = graph.values[result].viewOf) {
        std::optional<unsigned> producer = graph.values[*source].node;
        choice[number] = producer && choice[*producer];
      }
    choice[number] = node.isRepeatable && (choice[number] || node.isForced);
  }
}

RecomputeChoice mlir::ipu::chooseForced(const TrainingGraph &graph) {
  RecomputeChoice choice(graph.numForward);
  completeChoice(graph, choice);
  return choice;
}

RecomputeChoice mlir::ipu::chooseAll(const TrainingGraph &graph) {
  RecomputeChoice choice(graph.numForward, true);
  completeChoice(graph, choice);
  return choice;
}

/// Returns the choice with boundaries in `numIntervals` intervals, of which the
/// last one has length 1, the one before it length 2, and so on, in units of
/// the same number of nodes.
static RecomputeChoice chooseByIntervals(const TrainingGraph &graph,
                                         const TrainingUses &uses,
                                         unsigned numIntervals) {
  uint64_t numUnits = uint64_t(numIntervals) * (numIntervals + 1) / 2;
  RecomputeChoice choice(graph.numForward);
  unsigned previous = 0;
  uint64_t unit = 0;
  for (unsigned length = numIntervals; length > 0; --length) {
    unsigned first = unit * graph.numForward / numUnits + 1;
    unit += length;
    unsigned last = unit * graph.numForward / numUnits;
    if (first > last)
      continue;
    unsigned boundary = uses.findLowestBoundary(first, last);
    for (unsigned node = previous; node < boundary; ++node)
      choice[node] = !uses.isKeptBy(node, boundary);
    previous = boundary;
  }
  completeChoice(graph, choice);
  return choice;
}

RecomputeChoice mlir::ipu::chooseStandard(const TrainingGraph &graph) {
  TrainingUses uses(graph);
  RecomputeChoice best = chooseForced(graph);
  RecomputeEffect lowest = measureRecompute(graph, best);
  unsigned maxIntervals =
      std::min<unsigned>(graph.numForward, 2 * std::sqrt(graph.numForward));
  // The numbers grow by a quarter, and at least by 1.
  for (unsigned n = 1; n <= maxIntervals; n += 1 + n / 4) {
    RecomputeChoice choice = chooseByIntervals(graph, uses, n);
    RecomputeEffect effect = measureRecompute(graph, choice);
    if (std::pair(effect.peak, effect.operations) >=
        std::pair(lowest.peak, lowest.operations))
      continue;
    lowest = effect;
    best = std::move(choice);
  }
  return best;
}
