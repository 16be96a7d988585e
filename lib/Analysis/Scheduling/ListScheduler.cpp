//===- ListScheduler.cpp - List scheduling --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListScheduler.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::ipu;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// PartialSchedule
//===----------------------------------------------------------------------===//

PartialSchedule::PartialSchedule(const ScheduleGraph &graph,
                                 ListDirection direction)
    : graph(graph), isFromStart(direction == ListDirection::FromStart),
      isScheduled(graph.getNumNodes()) {
  for (const ScheduledNode &node : graph.getNodes())
    numMissing.push_back(isFromStart ? node.predecessors.size()
                                     : node.successors.size());
  for (const ScheduledValue &value : graph.getValues())
    numUsersLeft.push_back(value.users.size());
}

int64_t PartialSchedule::getAllocated(unsigned node) const {
  int64_t allocated = 0;
  for (unsigned id : graph.getNode(node).values) {
    const ScheduledValue &value = graph.getValues()[id];
    if (numUsersLeft[id] == value.users.size() && !isLiveBefore(value))
      allocated += value.weight;
  }
  return allocated;
}

int64_t PartialSchedule::getFreed(unsigned node) const {
  int64_t freed = 0;
  for (unsigned id : graph.getNode(node).values) {
    const ScheduledValue &value = graph.getValues()[id];
    if (numUsersLeft[id] == 1 && !isLiveAfter(value))
      freed += value.weight;
  }
  return freed;
}

void PartialSchedule::append(unsigned node,
                             llvm::function_ref<void(unsigned)> notifyReady) {
  isScheduled[node] = true;
  for (unsigned id : graph.getNode(node).values)
    --numUsersLeft[id];
  for (unsigned successor : getSuccessors(node))
    if (--numMissing[successor] == 0)
      notifyReady(successor);
}

void PartialSchedule::removeLast(unsigned node) {
  isScheduled[node] = false;
  for (unsigned id : graph.getNode(node).values)
    ++numUsersLeft[id];
  for (unsigned successor : getSuccessors(node))
    ++numMissing[successor];
}

void PartialSchedule::forEachChanged(
    unsigned node, llvm::function_ref<void(unsigned)> notify) const {
  for (unsigned id : graph.getNode(node).values) {
    const ScheduledValue &value = graph.getValues()[id];
    // The first use allocates the value, and the last one frees it. The other
    // uses change nothing, so the users are visited at most twice.
    bool isFirst = numUsersLeft[id] + 1 == value.users.size();
    if (!isFirst && numUsersLeft[id] != 1)
      continue;
    for (unsigned user : value.users)
      if (isReady(user))
        notify(user);
  }
}

//===----------------------------------------------------------------------===//
// ListScheduler
//===----------------------------------------------------------------------===//

/// The greatest number of nodes in a group.
static constexpr size_t kMaxGroupSize = 24;
/// A group ends at a node with more successors, so that its cost is bounded.
static constexpr size_t kMaxFanOut = 16;

ListScheduler::ListScheduler(const ScheduleGraph &graph, ListPolicy policy,
                             ListDirection direction, const Schedule &reference)
    : graph(graph), policy(policy), direction(direction),
      state(graph, direction), ranks(graph.getNumNodes()),
      readySince(graph.getNumNodes()), keys(graph.getNumNodes()) {
  for (auto [position, node] : llvm::enumerate(reference))
    ranks[node] = direction == ListDirection::FromStart
                      ? position
                      : reference.size() - 1 - position;
}

/// Returns the node of `ready` that leaves the fewest live bytes.
unsigned ListScheduler::chooseNext(ArrayRef<unsigned> ready) const {
  return *llvm::min_element(ready, [&](unsigned a, unsigned b) {
    int64_t netA = state.getAllocated(a) - state.getFreed(a);
    int64_t netB = state.getAllocated(b) - state.getFreed(b);
    return netA != netB ? netA < netB : ranks[a] < ranks[b];
  });
}

ListScheduler::Group ListScheduler::lookAhead(unsigned node) {
  Group group;
  SmallVector<unsigned, 8> nodes;
  SmallVector<unsigned, 8> ready{node};
  int64_t live = 0, peak = 0;
  size_t numAppended = 0;
  while (!ready.empty() && nodes.size() < kMaxGroupSize) {
    unsigned next = chooseNext(ready);
    ready.erase(llvm::find(ready, next));
    live += state.getAllocated(next);
    peak = std::max(peak, live + graph.getNode(next).workspace);
    live -= state.getFreed(next);
    nodes.push_back(next);
    if (nodes.size() == 1 || live < group.net) {
      group.nodes = nodes;
      group.net = live;
      group.peak = peak;
    }
    // The rest of a group that frees bytes is a group of its own.
    if (live < 0 || state.getNumSuccessors(next) > kMaxFanOut)
      break;
    state.append(next, [&](unsigned enabled) { ready.push_back(enabled); });
    ++numAppended;
  }
  nodes.truncate(numAppended);
  for (unsigned appended : llvm::reverse(nodes))
    state.removeLast(appended);
  return group;
}

ListScheduler::Key ListScheduler::getKey(unsigned node) {
  int64_t allocated = state.getAllocated(node);
  int64_t net = allocated - state.getFreed(node);
  unsigned rank = ranks[node];
  switch (policy) {
  case ListPolicy::LeastLive:
    return {net, allocated + graph.getNode(node).workspace, rank};
  case ListPolicy::DepthFirst:
    return {-int64_t(readySince[node]), net, rank};
  case ListPolicy::Eager:
    return {net <= 0 ? 0 : 1, net <= 0 ? net : 0, rank};
  case ListPolicy::HillValley: {
    Group group = lookAhead(node);
    return group.net <= 0 ? Key{0, group.peak, rank}
                          : Key{1, group.net - group.peak, rank};
  }
  }
  llvm_unreachable("unknown policy");
}

void ListScheduler::push(unsigned node) {
  Key key = getKey(node);
  keys[node] = key;
  queue.push({key, node});
}

void ListScheduler::schedule(unsigned node) {
  result.push_back(node);
  SmallVector<unsigned, 8> enabled;
  state.append(node, [&](unsigned other) { enabled.push_back(other); });
  for (unsigned other : enabled) {
    readySince[other] = result.size();
    push(other);
  }
  state.forEachChanged(node, [&](unsigned other) {
    if (getKey(other) != keys[other])
      push(other);
  });
}

Schedule ListScheduler::run() {
  for (unsigned node = 0; node < graph.getNumNodes(); ++node)
    if (state.isReady(node))
      push(node);
  while (!queue.empty()) {
    Entry entry = queue.top();
    queue.pop();
    // A node that changed has a newer entry.
    if (!state.isReady(entry.node) || entry.key != keys[entry.node])
      continue;
    if (policy != ListPolicy::HillValley) {
      schedule(entry.node);
      continue;
    }
    // Nodes of other groups may have changed what this group does.
    Key key = getKey(entry.node);
    if (key > entry.key) {
      push(entry.node);
      continue;
    }
    for (unsigned node : lookAhead(entry.node).nodes)
      schedule(node);
  }
  if (direction == ListDirection::FromEnd)
    std::reverse(result.begin(), result.end());
  return std::move(result);
}
