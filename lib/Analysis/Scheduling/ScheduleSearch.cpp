//===- ScheduleSearch.cpp - Search for schedules --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/ScheduleSearch.h"

#include "ListScheduler.h"
#include "ScheduleWindows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::ipu;

namespace {
/// A schedule and its live bytes.
struct Candidate {
  Schedule schedule;
  LiveBytes live;
};

/// Searches for a schedule of a graph without priorities.
class ScheduleSearch {
public:
  ScheduleSearch(const ScheduleGraph &graph,
                 const ScheduleSearchOptions &options)
      : graph(graph), options(options) {}

  Schedule run();

private:
  Candidate makeCandidate(Schedule schedule) const {
    LiveBytes live = countLiveBytes(graph, schedule);
    return {std::move(schedule), live};
  }
  Candidate list(ListPolicy policy, ListDirection direction,
                 const Candidate &reference) const {
    return makeCandidate(
        ListScheduler(graph, policy, direction, reference.schedule).run());
  }
  bool shift(Candidate &candidate) const;
  void improve(Candidate &candidate, int64_t budget) const;

  const ScheduleGraph &graph;
  const ScheduleSearchOptions &options;
};
} // namespace

static constexpr ListDirection kDirections[] = {ListDirection::FromStart,
                                                ListDirection::FromEnd};

/// Moves nodes that free bytes to earlier positions and nodes that allocate
/// bytes to later positions, also over long distances. Returns whether this
/// improves the candidate; otherwise, does not change it.
bool ScheduleSearch::shift(Candidate &candidate) const {
  bool isImproved = false;
  for (ListDirection direction : kDirections) {
    Candidate shifted = list(ListPolicy::Eager, direction, candidate);
    if (!(shifted.live < candidate.live))
      continue;
    candidate = std::move(shifted);
    isImproved = true;
  }
  return isImproved;
}

/// Returns the size of windows with which the local search visits all windows
/// of a graph before its budget is used up.
static unsigned getWindowSize(unsigned numNodes) {
  if (numNodes > 20000)
    return 6;
  return numNodes > 2000 ? 8 : kMaxWindowSize;
}

/// Improves a candidate by local search.
void ScheduleSearch::improve(Candidate &candidate, int64_t budget) const {
  unsigned size =
      std::min(options.windowSize, getWindowSize(graph.getNumNodes()));
  if (size <= 1)
    return;
  do {
    improveByWindows(graph, candidate.schedule, size, budget);
    candidate.live = countLiveBytes(graph, candidate.schedule);
  } while (shift(candidate) && budget > 0);
}

Schedule ScheduleSearch::run() {
  std::vector<Candidate> candidates;
  candidates.push_back(makeCandidate(graph.getGivenOrder()));
  for (ListPolicy policy :
       {ListPolicy::LeastLive, ListPolicy::DepthFirst, ListPolicy::HillValley})
    for (ListDirection direction : kDirections)
      candidates.push_back(list(policy, direction, candidates.front()));
  // The given order is first, and stays first among equally good candidates.
  std::vector<std::pair<LiveBytes, unsigned>> ranking;
  for (auto [index, candidate] : llvm::enumerate(candidates)) {
    shift(candidate);
    ranking.emplace_back(candidate.live, index);
  }
  llvm::sort(ranking);
  // The local search is slow, so that it improves only a few candidates.
  constexpr size_t kNumImproved = 3;
  constexpr int64_t kBudget = 60'000'000;
  Candidate *best = nullptr;
  for (auto &[live, index] : llvm::ArrayRef(ranking).take_front(kNumImproved)) {
    improve(candidates[index], kBudget / kNumImproved);
    if (!best || candidates[index].live < best->live)
      best = &candidates[index];
  }
  return std::move(best->schedule);
}

//===----------------------------------------------------------------------===//
// Priorities
//===----------------------------------------------------------------------===//

namespace {
/// A graph with the nodes of another graph in the order of their priorities. A
/// barrier, a node without values, separates the nodes of two priorities.
struct PrioritizedGraph {
  explicit PrioritizedGraph(const ScheduleGraph &original);

  /// Returns the schedule of the original graph that corresponds to `schedule`.
  Schedule translate(const Schedule &schedule) const;

  ScheduleGraph graph;
  /// `originals` has the node of the original graph for each node of `graph`,
  /// or kBarrier.
  std::vector<unsigned> originals;
  static constexpr unsigned kBarrier = ~0u;
};
} // namespace

PrioritizedGraph::PrioritizedGraph(const ScheduleGraph &original) {
  std::vector<int64_t> priorities = original.getInheritedPriorities();
  Schedule order = original.getGivenOrder();
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(priorities[b], a) < std::pair(priorities[a], b);
  });
  std::vector<unsigned> numbers(order.size());
  unsigned barrier = kBarrier, begin = 0;
  for (auto [position, node] : llvm::enumerate(order)) {
    if (position > 0 && priorities[order[position - 1]] != priorities[node]) {
      barrier = graph.addNode();
      originals.push_back(kBarrier);
      for (unsigned before = begin; before < barrier; ++before)
        graph.addDependence(before, barrier);
      begin = barrier;
    }
    numbers[node] = graph.addNode(original.getNode(node).workspace);
    originals.push_back(node);
    if (barrier != kBarrier)
      graph.addDependence(barrier, numbers[node]);
  }
  for (unsigned node : order)
    for (unsigned predecessor : original.getNode(node).predecessors)
      graph.addDependence(numbers[predecessor], numbers[node]);
  for (const ScheduledValue &value : original.getValues()) {
    llvm::SmallVector<unsigned> users;
    for (unsigned user : value.users)
      users.push_back(numbers[user]);
    graph.addValue(value, users);
  }
}

Schedule PrioritizedGraph::translate(const Schedule &schedule) const {
  Schedule result;
  for (unsigned node : schedule)
    if (originals[node] != kBarrier)
      result.push_back(originals[node]);
  return result;
}

Schedule mlir::ipu::findSchedule(const ScheduleGraph &graph,
                                 const ScheduleSearchOptions &options) {
  if (llvm::all_equal(graph.getInheritedPriorities()))
    return ScheduleSearch(graph, options).run();
  PrioritizedGraph prioritized(graph);
  return prioritized.translate(
      ScheduleSearch(prioritized.graph, options).run());
}
