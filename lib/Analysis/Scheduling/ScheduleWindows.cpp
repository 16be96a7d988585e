//===- ScheduleWindows.cpp - Optimal schedules of short windows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleWindows.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <limits>

using namespace mlir::ipu;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// A set of nodes of a window: bit I is the node at position I.
using NodeSet = uint32_t;

constexpr int64_t kUnreached = std::numeric_limits<int64_t>::max();

/// Live bytes, and what they cost in a step.
struct Live {
  int64_t bytes = 0, weight = 0;

  void operator+=(const Live &other) {
    bytes += other.bytes;
    weight += other.weight;
  }
  void operator-=(const Live &other) {
    bytes -= other.bytes;
    weight -= other.weight;
  }
};

/// The problem of finding the best order of the nodes of one window. Live bytes
/// are relative to those before the window.
class WindowProblem {
public:
  using Order = SmallVector<unsigned, kMaxWindowSize>;

  /// A value that several nodes of the window use.
  struct Value {
    Live live;
    /// These flags are set if the value is live before (after) the window.
    bool liveBefore, liveAfter;
    NodeSet users = 0;
  };
  struct Node {
    int64_t workspace = 0;
    /// The sum of the values that only this node of the window uses.
    Live allocated, freed;
    NodeSet predecessors = 0;
    SmallVector<unsigned, 4> values;
  };

  SmallVector<Node, kMaxWindowSize> nodes;
  SmallVector<Value, 16> values;

  /// Returns the live bytes of the nodes in ascending order.
  LiveBytes count() const;
  /// Returns the smallest peak of all orders.
  int64_t findSmallestPeak();
  /// Finds the order with the smallest sum of those whose peak is at most
  /// `limit`, and returns this sum. There must be such an order.
  int64_t findSmallestSum(int64_t limit, Order &order);

  int64_t getNumSteps() const { return numSteps; }

private:
  /// The live bytes during and after one node.
  struct Step {
    Live during, after;
  };
  NodeSet getAll() const { return (NodeSet(1) << nodes.size()) - 1; }
  Step getStep(NodeSet done, const Live &before, unsigned node) const;
  template <typename VisitFn>
  void forEachStep(ArrayRef<int64_t> best, VisitFn visit);

  int64_t numSteps = 0;
};
} // namespace

WindowProblem::Step WindowProblem::getStep(NodeSet done, const Live &before,
                                           unsigned node) const {
  NodeSet doneAfter = done | (NodeSet(1) << node);
  Live during = before, freed = nodes[node].freed;
  during += nodes[node].allocated;
  for (unsigned id : nodes[node].values) {
    const Value &value = values[id];
    if (!value.liveBefore && !(value.users & done))
      during += value.live;
    if (!value.liveAfter && !(value.users & ~doneAfter))
      freed += value.live;
  }
  Live after = during;
  after -= freed;
  during += {nodes[node].workspace, nodes[node].workspace};
  return {during, after};
}

LiveBytes WindowProblem::count() const {
  LiveBytes result;
  result.peak = std::numeric_limits<int64_t>::min();
  Live live;
  for (unsigned node = 0; node < nodes.size(); ++node) {
    Step step = getStep((NodeSet(1) << node) - 1, live, node);
    result.peak = std::max(result.peak, step.during.bytes);
    result.sum += step.during.weight;
    live = step.after;
  }
  return result;
}

/// Calls `visit` for each set of nodes that `best` marks as reached and for
/// each node that may follow this set.
template <typename VisitFn>
void WindowProblem::forEachStep(ArrayRef<int64_t> best, VisitFn visit) {
  std::vector<Live> live(getAll() + 1);
  for (NodeSet done = 0; done < getAll(); ++done) {
    if (best[done] == kUnreached)
      continue;
    for (unsigned node = 0; node < nodes.size(); ++node) {
      NodeSet bit = NodeSet(1) << node;
      if ((done & bit) || (nodes[node].predecessors & ~done))
        continue;
      numSteps += 1 + nodes[node].values.size();
      Step step = getStep(done, live[done], node);
      live[done | bit] = step.after;
      visit(done, node, step.during);
    }
  }
}

int64_t WindowProblem::findSmallestPeak() {
  std::vector<int64_t> best(getAll() + 1, kUnreached);
  best[0] = std::numeric_limits<int64_t>::min();
  forEachStep(best, [&](NodeSet done, unsigned node, const Live &during) {
    int64_t &peak = best[done | (NodeSet(1) << node)];
    peak = std::min(peak, std::max(best[done], during.bytes));
  });
  return best[getAll()];
}

int64_t WindowProblem::findSmallestSum(int64_t limit, Order &order) {
  std::vector<int64_t> best(getAll() + 1, kUnreached);
  std::vector<uint8_t> last(getAll() + 1);
  best[0] = 0;
  forEachStep(best, [&](NodeSet done, unsigned node, const Live &during) {
    NodeSet after = done | (NodeSet(1) << node);
    if (during.bytes > limit || best[done] + during.weight >= best[after])
      return;
    best[after] = best[done] + during.weight;
    last[after] = node;
  });
  assert(best[getAll()] != kUnreached && "an order has a peak below the limit");
  order.clear();
  for (NodeSet done = getAll(); done != 0;
       done &= ~(NodeSet(1) << order.back()))
    order.push_back(last[done]);
  std::reverse(order.begin(), order.end());
  return best[getAll()];
}

namespace {
/// Improves a schedule, window by window.
class WindowSearch {
public:
  WindowSearch(const ScheduleGraph &graph, Schedule &schedule, unsigned size,
               int64_t &budget);

  void run();

private:
  bool improveAll(int64_t globalPeak);
  bool improve(unsigned begin, unsigned end, int64_t globalPeak);
  WindowProblem makeProblem(unsigned begin, unsigned end);
  void addValue(unsigned id, unsigned begin, unsigned end,
                WindowProblem &problem);
  void reorder(unsigned begin, ArrayRef<unsigned> order);
  void updateRanges(unsigned begin, unsigned end);
  int64_t getNet(unsigned position) const;

  const ScheduleGraph &graph;
  Schedule &schedule;
  unsigned size;
  int64_t &budget;
  std::vector<unsigned> positions;
  /// `ranges` has the positions of the first and the last user of each value.
  std::vector<std::pair<unsigned, unsigned>> ranges;
  /// The live bytes before the current window.
  int64_t liveBefore = 0;
};
} // namespace

WindowSearch::WindowSearch(const ScheduleGraph &graph, Schedule &schedule,
                           unsigned size, int64_t &budget)
    : graph(graph), schedule(schedule), size(size), budget(budget),
      positions(schedule.size()), ranges(graph.getValues().size()) {
  for (auto [position, node] : llvm::enumerate(schedule))
    positions[node] = position;
  for (auto [value, range] : llvm::zip_equal(graph.getValues(), ranges)) {
    range = {schedule.size(), 0};
    for (unsigned user : value.users) {
      range.first = std::min(range.first, positions[user]);
      range.second = std::max(range.second, positions[user]);
    }
  }
}

/// Returns by how much the live bytes grow at `position`.
int64_t WindowSearch::getNet(unsigned position) const {
  int64_t net = 0;
  for (unsigned id : graph.getNode(schedule[position]).values) {
    const ScheduledValue &value = graph.getValues()[id];
    if (!value.liveBefore && ranges[id].first == position)
      net += value.bytes;
    if (!value.liveAfter && ranges[id].second == position)
      net -= value.bytes;
  }
  return net;
}

/// Adds the uses of a value by the nodes of a window, unless the value is live
/// everywhere in the window.
void WindowSearch::addValue(unsigned id, unsigned begin, unsigned end,
                            WindowProblem &problem) {
  const ScheduledValue &value = graph.getValues()[id];
  WindowProblem::Value inWindow{{value.bytes, value.weight},
                                value.liveBefore || ranges[id].first < begin,
                                value.liveAfter || ranges[id].second >= end};
  if (inWindow.liveBefore && inWindow.liveAfter)
    return;
  SmallVector<unsigned, kMaxWindowSize> users;
  for (unsigned user : value.users)
    if (begin <= positions[user] && positions[user] < end)
      users.push_back(positions[user] - begin);
  if (users.size() == 1) {
    WindowProblem::Node &node = problem.nodes[users.front()];
    if (!inWindow.liveBefore)
      node.allocated += inWindow.live;
    if (!inWindow.liveAfter)
      node.freed += inWindow.live;
    return;
  }
  for (unsigned user : users) {
    inWindow.users |= NodeSet(1) << user;
    problem.nodes[user].values.push_back(problem.values.size());
  }
  problem.values.push_back(inWindow);
}

WindowProblem WindowSearch::makeProblem(unsigned begin, unsigned end) {
  WindowProblem problem;
  problem.nodes.resize(end - begin);
  SmallVector<unsigned, 32> ids;
  for (unsigned position = begin; position < end; ++position) {
    const ScheduledNode &node = graph.getNode(schedule[position]);
    problem.nodes[position - begin].workspace = node.workspace;
    for (unsigned predecessor : node.predecessors)
      if (positions[predecessor] >= begin)
        problem.nodes[position - begin].predecessors |=
            NodeSet(1) << (positions[predecessor] - begin);
    llvm::append_range(ids, node.values);
  }
  llvm::sort(ids);
  ids.erase(llvm::unique(ids), ids.end());
  for (unsigned id : ids)
    addValue(id, begin, end, problem);
  return problem;
}

void WindowSearch::reorder(unsigned begin, ArrayRef<unsigned> order) {
  SmallVector<unsigned, kMaxWindowSize> nodes;
  for (unsigned position : order)
    nodes.push_back(schedule[begin + position]);
  for (auto [offset, node] : llvm::enumerate(nodes)) {
    schedule[begin + offset] = node;
    positions[node] = begin + offset;
  }
  updateRanges(begin, begin + order.size());
}

/// Updates the ranges of the values after the nodes from `begin` to `end` have
/// got other positions. Visits only uses by these nodes.
void WindowSearch::updateRanges(unsigned begin, unsigned end) {
  auto forEachUse = [&](auto visit) {
    for (unsigned position = begin; position < end; ++position)
      for (unsigned id : graph.getNode(schedule[position]).values)
        visit(position, ranges[id].first, ranges[id].second);
  };
  forEachUse([&](unsigned, unsigned &first, unsigned &last) {
    if (begin <= first && first < end)
      first = end;
    if (begin <= last && last < end)
      last = begin;
  });
  forEachUse([](unsigned position, unsigned &first, unsigned &last) {
    first = std::min(first, position);
    last = std::max(last, position);
  });
}

bool WindowSearch::improve(unsigned begin, unsigned end, int64_t globalPeak) {
  WindowProblem problem = makeProblem(begin, end);
  LiveBytes current = problem.count();
  // Only the highest peak counts, so that other windows may grow up to it.
  int64_t limit = globalPeak - liveBefore;
  bool hasPeak = current.peak >= limit;
  if (hasPeak)
    limit = problem.findSmallestPeak();
  WindowProblem::Order order;
  int64_t sum = problem.findSmallestSum(limit, order);
  budget -= problem.getNumSteps();
  if ((!hasPeak || limit == current.peak) && sum >= current.sum)
    return false;
  reorder(begin, order);
  return true;
}

bool WindowSearch::improveAll(int64_t globalPeak) {
  bool isImproved = false;
  liveBefore = 0;
  for (const ScheduledValue &value : graph.getValues())
    liveBefore += value.liveBefore ? value.bytes : 0;
  unsigned stride = std::max(size / 2, 1u);
  for (unsigned begin = 0; begin < schedule.size() && budget > 0;
       begin += stride) {
    unsigned end = std::min<size_t>(begin + size, schedule.size());
    isImproved |= improve(begin, end, globalPeak);
    if (end == schedule.size())
      break;
    for (unsigned position = begin; position < begin + stride; ++position)
      liveBefore += getNet(position);
  }
  return isImproved;
}

void WindowSearch::run() {
  while (budget > 0 && improveAll(countLiveBytes(graph, schedule).peak))
    ;
}

void mlir::ipu::improveByWindows(const ScheduleGraph &graph, Schedule &schedule,
                                 unsigned size, int64_t &budget) {
  assert(size <= kMaxWindowSize && "sets of nodes are small");
  WindowSearch(graph, schedule, size, budget).run();
}
