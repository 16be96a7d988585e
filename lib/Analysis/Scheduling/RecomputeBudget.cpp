//===- RecomputeBudget.cpp - Cheapest choices within a budget -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic programme over boundaries chooses segments. It remembers, for each
// boundary, the choices before the boundary of which no other one keeps fewer
// bytes and has fewer operations. Its estimates of peaks are exact for chains.
// The budget of the programme is adapted for other graphs, until the measured
// peak fits.
//
//===----------------------------------------------------------------------===//

#include "RecomputeSegment.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir::ipu;
using llvm::ArrayRef;

namespace {
/// A choice for the nodes before a boundary.
struct PartialChoice {
  /// The bytes that are kept for the backward pass.
  int64_t keptBytes;
  int64_t operations;
  /// The boundary before the last segment, and the choice up to this boundary,
  /// by their numbers.
  unsigned boundary, index;
  /// The kind of the last segment.
  SegmentKind kind;
};

class BoundarySearch {
public:
  BoundarySearch(const TrainingGraph &graph,
                 const RecomputeSearchOptions &options);

  /// Returns the choice with the fewest operations whose estimated peak is at
  /// most `budget`, or std::nullopt if there is none.
  std::optional<RecomputeChoice> find(int64_t budget) const;

private:
  void addBoundaries(unsigned maxBoundaries);
  void addChoices(unsigned to, int64_t budget,
                  std::vector<std::vector<PartialChoice>> &choices) const;
  RecomputeChoice trace(ArrayRef<std::vector<PartialChoice>> choices,
                        PartialChoice last) const;

  const TrainingGraph &graph;
  unsigned maxChoices;
  TrainingUses uses;
  SegmentModel model;
  std::vector<unsigned> boundaries;
  /// The bytes that are live at each boundary.
  std::vector<int64_t> entryBytes;
  /// `segments[a][b]` has the effects of the segment between the boundaries
  /// with the numbers a and b, in the order of kSegmentKinds.
  std::vector<std::vector<llvm::SmallVector<SegmentEffect, 0>>> segments;
};
} // namespace

BoundarySearch::BoundarySearch(const TrainingGraph &graph,
                               const RecomputeSearchOptions &options)
    : graph(graph), maxChoices(options.maxChoices), uses(graph),
      model(graph, uses) {
  addBoundaries(options.maxBoundaries);
  segments.resize(boundaries.size());
  for (unsigned from = 0; from < boundaries.size(); ++from) {
    llvm::SmallVector<unsigned> entries = model.getEntries(boundaries[from]);
    entryBytes.push_back(model.countBytes(entries));
    segments[from].resize(boundaries.size());
    for (unsigned to = from + 1; to < boundaries.size(); ++to)
      for (SegmentKind kind : kSegmentKinds)
        segments[from][to].push_back(
            Segment(model, entries, boundaries[from], boundaries[to], kind)
                .measure());
  }
}

/// Takes all boundaries or, if there are too many, the lowest boundary of each
/// of a number of intervals of equal length.
void BoundarySearch::addBoundaries(unsigned maxBoundaries) {
  boundaries.push_back(0);
  uint64_t numIntervals = std::min(graph.numForward, maxBoundaries - 1);
  for (uint64_t i = 0; i < numIntervals; ++i)
    if (unsigned boundary =
            uses.findLowestBoundary(i * graph.numForward / numIntervals + 1,
                                    (i + 1) * graph.numForward / numIntervals);
        i + 1 < numIntervals)
      boundaries.push_back(boundary);
  if (graph.numForward > 0)
    boundaries.push_back(graph.numForward);
}

/// Adds the choices for the nodes before boundary number `to`, in the order of
/// their bytes.
void BoundarySearch::addChoices(
    unsigned to, int64_t budget,
    std::vector<std::vector<PartialChoice>> &choices) const {
  std::vector<PartialChoice> all;
  for (unsigned from = 0; from < to; ++from)
    for (auto [index, choice] : llvm::enumerate(choices[from]))
      for (auto [effect, kind] :
           llvm::zip_equal(segments[from][to], kSegmentKinds))
        if (choice.keptBytes - entryBytes[from] + effect.peak <= budget)
          all.push_back({choice.keptBytes + effect.keptBytes,
                         choice.operations + effect.operations, from,
                         unsigned(index), kind});
  llvm::sort(all, [](const PartialChoice &a, const PartialChoice &b) {
    auto getKey = [](const PartialChoice &choice) {
      return std::tuple(choice.keptBytes, choice.operations, choice.boundary,
                        choice.index, choice.kind);
    };
    return getKey(a) < getKey(b);
  });
  for (const PartialChoice &choice : all)
    if (choices[to].size() < maxChoices &&
        (choices[to].empty() ||
         choice.operations < choices[to].back().operations))
      choices[to].push_back(choice);
}

RecomputeChoice
BoundarySearch::trace(ArrayRef<std::vector<PartialChoice>> choices,
                      PartialChoice last) const {
  RecomputeChoice result(graph.numForward);
  unsigned to = boundaries.size() - 1;
  while (to > 0) {
    model.choose(boundaries[last.boundary], boundaries[to], last.kind, result);
    to = last.boundary;
    last = choices[to][last.index];
  }
  completeChoice(graph, result);
  return result;
}

std::optional<RecomputeChoice> BoundarySearch::find(int64_t budget) const {
  std::vector<std::vector<PartialChoice>> choices(boundaries.size());
  choices[0].push_back({entryBytes[0], 0, 0, 0, SegmentKind::None});
  for (unsigned to = 1; to < boundaries.size(); ++to)
    addChoices(to, budget, choices);
  if (choices.back().empty())
    return std::nullopt;
  return trace(choices, choices.back().back());
}

/// Returns the choice of all nodes that have at most `most` operations for each
/// byte of their results.
static RecomputeChoice chooseCheap(const TrainingGraph &graph, int64_t most) {
  RecomputeChoice choice(graph.numForward);
  for (unsigned node = 0; node < graph.numForward; ++node) {
    int64_t bytes = 0;
    for (unsigned result : graph.nodes[node].results)
      bytes += graph.values[result].bytes;
    choice[node] = graph.nodes[node].operations / most <= bytes;
  }
  completeChoice(graph, choice);
  return choice;
}

RecomputeChoice
mlir::ipu::chooseWithinBudget(const TrainingGraph &graph, int64_t budget,
                              const RecomputeSearchOptions &options) {
  RecomputeChoice best = chooseForced(graph);
  RecomputeEffect bestEffect = measureRecompute(graph, best);
  // Returns the measured peak of `choice`.
  auto consider = [&](RecomputeChoice choice) {
    RecomputeEffect effect = measureRecompute(graph, choice);
    auto getRank = [&](const RecomputeEffect &effect) {
      bool fits = effect.peak <= budget;
      return std::tuple(!fits, fits ? effect.operations : effect.peak,
                        fits ? effect.peak : effect.operations);
    };
    if (getRank(effect) < getRank(bestEffect)) {
      best = std::move(choice);
      bestEffect = effect;
    }
    return effect.peak;
  };
  if (bestEffect.peak <= budget)
    return best;
  int64_t forcedPeak = bestEffect.peak;
  consider(chooseAll(graph));
  consider(chooseStandard(graph));
  constexpr int64_t kMostPerByte = 1 << 12;
  for (int64_t most = 1; most <= kMostPerByte; most *= 2)
    consider(chooseCheap(graph, most));
  BoundarySearch search(graph, options);
  // The estimates of chains are exact. Those of other graphs may be too low or,
  // if several segments read a value, too high.
  constexpr unsigned kNumTrials = 12;
  int64_t least = 0, most = forcedPeak, estimate = budget;
  for (unsigned trial = 0; trial < kNumTrials && least < most; ++trial) {
    std::optional<RecomputeChoice> choice = search.find(estimate);
    if (!choice || consider(*choice) <= budget)
      least = estimate + 1;
    else
      most = estimate;
    estimate = least + (most - least) / 2;
  }
  return best;
}
