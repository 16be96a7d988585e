//===- AdjacentNodes.cpp - Schedules with adjacent nodes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If each set is one node of a graph, this graph must have no cycle. Nodes of
// one set therefore have the same level: the greatest number of added nodes on
// a path to them. Levels never decrease along a path, and increase after an
// added node, so that there is neither a path between two nodes of a set nor a
// cycle of several sets. A set that was added before counts as one node.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/AdjacentNodes.h"

#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace mlir::ipu;

AdjacentNodes::AdjacentNodes(const ScheduleGraph &graph)
    : graph(graph), sets(graph.getGivenOrder()) {
  for (unsigned node : sets)
    members.push_back({node});
}

/// Returns the level of each set: the number of nodes of `groups` on the path
/// to it that has the most of them.
std::vector<unsigned>
AdjacentNodes::getLevels(llvm::ArrayRef<Nodes> groups) const {
  std::vector<unsigned> levels(graph.getNumNodes());
  std::vector<bool> isAdded(graph.getNumNodes());
  for (const Nodes &group : groups)
    for (unsigned node : group)
      isAdded[node] = true;
  for (unsigned node : getSchedule())
    for (unsigned before : graph.getNode(node).predecessors)
      if (unsigned set = sets[before]; set != sets[node])
        levels[sets[node]] =
            std::max(levels[sets[node]], levels[set] + isAdded[set]);
  return levels;
}

void AdjacentNodes::addSet(llvm::ArrayRef<unsigned> set) {
  for (unsigned node : set) {
    sets[node] = set.back();
    members[node].clear();
  }
  members[set.back()].assign(set.begin(), set.end());
}

void AdjacentNodes::add(llvm::ArrayRef<Nodes> groups,
                        llvm::function_ref<int64_t(unsigned)> getSize,
                        int64_t maxSize) {
  std::vector<unsigned> levels = getLevels(groups);
  for (Nodes nodes : groups) {
    llvm::sort(nodes, [&](unsigned a, unsigned b) {
      return std::pair(levels[a], a) < std::pair(levels[b], b);
    });
    size_t first = 0;
    int64_t sizeOfSet = 0;
    for (auto [i, node] : llvm::enumerate(nodes)) {
      int64_t size = getSize(node);
      if (i > first && (levels[node] != levels[nodes[first]] ||
                        sizeOfSet > maxSize - size)) {
        addSet(llvm::ArrayRef(nodes).slice(first, i - first));
        first = i;
        sizeOfSet = 0;
      }
      sizeOfSet += size;
    }
    if (!nodes.empty())
      addSet(llvm::ArrayRef(nodes).drop_front(first));
  }
}

Schedule AdjacentNodes::getSchedule() const {
  std::vector<unsigned> numMissing(graph.getNumNodes());
  for (auto [node, set] : llvm::enumerate(sets))
    for (unsigned before : graph.getNode(node).predecessors)
      numMissing[set] += sets[before] != set;
  // The ready set whose last node is the first in the given order comes next.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>>
      ready;
  for (auto [node, set] : llvm::enumerate(sets))
    if (node == set && numMissing[set] == 0)
      ready.push(set);
  Schedule schedule;
  while (!ready.empty()) {
    unsigned set = ready.top();
    ready.pop();
    for (unsigned node : members[set]) {
      schedule.push_back(node);
      for (unsigned after : graph.getNode(node).successors)
        if (sets[after] != set && --numMissing[sets[after]] == 0)
          ready.push(sets[after]);
    }
  }
  return schedule;
}
