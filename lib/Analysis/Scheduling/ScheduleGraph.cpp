//===- ScheduleGraph.cpp - Graphs of ops to schedule ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>
#include <numeric>

using namespace mlir::ipu;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// ScheduleGraph
//===----------------------------------------------------------------------===//

unsigned ScheduleGraph::addNode(int64_t workspace, int64_t priority) {
  nodes.push_back({workspace, priority, {}, {}, {}});
  return nodes.size() - 1;
}

unsigned ScheduleGraph::addValue(ScheduledValue value,
                                 ArrayRef<unsigned> users) {
  value.users.assign(users.begin(), users.end());
  llvm::sort(value.users);
  value.users.erase(llvm::unique(value.users), value.users.end());
  for (unsigned user : value.users)
    nodes[user].values.push_back(values.size());
  values.push_back(std::move(value));
  return values.size() - 1;
}

unsigned ScheduleGraph::addValue(int64_t bytes, ArrayRef<unsigned> users,
                                 bool liveBefore, bool liveAfter) {
  return addValue(
      ScheduledValue{bytes, /*weight=*/bytes, liveBefore, liveAfter, {}},
      users);
}

void ScheduleGraph::addAttraction(unsigned a, unsigned b, int64_t weight) {
  addValue(ScheduledValue{/*bytes=*/0, weight, false, false, {}}, {a, b});
}

void ScheduleGraph::addDependence(unsigned before, unsigned after) {
  assert(before < after && after < nodes.size() &&
         "the given order respects the dependences");
  nodes[before].successors.push_back(after);
  nodes[after].predecessors.push_back(before);
}

Schedule ScheduleGraph::getGivenOrder() const {
  Schedule order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int64_t> ScheduleGraph::getInheritedPriorities() const {
  std::vector<int64_t> priorities;
  priorities.reserve(nodes.size());
  for (const ScheduledNode &node : nodes)
    priorities.push_back(node.priority);
  for (unsigned node = nodes.size(); node-- > 0;)
    for (unsigned predecessor : nodes[node].predecessors)
      priorities[predecessor] =
          std::max(priorities[predecessor], priorities[node]);
  return priorities;
}

//===----------------------------------------------------------------------===//
// Live bytes
//===----------------------------------------------------------------------===//

LiveBytes mlir::ipu::countLiveBytes(const ScheduleGraph &graph,
                                    const Schedule &schedule) {
  ArrayRef<ScheduledValue> values = graph.getValues();
  // A value without users is live everywhere, or nowhere.
  int64_t live = 0, weight = 0;
  std::vector<unsigned> numUsersLeft;
  for (const ScheduledValue &value : values) {
    numUsersLeft.push_back(value.users.size());
    if (value.liveBefore) {
      live += value.bytes;
      weight += value.weight;
    }
  }
  LiveBytes result;
  for (unsigned node : schedule) {
    int64_t freed = 0, freedWeight = 0;
    for (unsigned id : graph.getNode(node).values) {
      const ScheduledValue &value = values[id];
      if (numUsersLeft[id] == value.users.size() && !value.liveBefore) {
        live += value.bytes;
        weight += value.weight;
      }
      if (--numUsersLeft[id] == 0 && !value.liveAfter) {
        freed += value.bytes;
        freedWeight += value.weight;
      }
    }
    int64_t workspace = graph.getNode(node).workspace;
    result.peak = std::max(result.peak, live + workspace);
    result.sum += live + workspace;
    result.attraction += weight - live;
    live -= freed;
    weight -= freedWeight;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

std::string mlir::ipu::verifySchedule(const ScheduleGraph &graph,
                                      const Schedule &schedule) {
  if (schedule.size() != graph.getNumNodes())
    return "expects " + std::to_string(graph.getNumNodes()) +
           " nodes but got " + std::to_string(schedule.size());
  constexpr unsigned kMissing = ~0u;
  std::vector<unsigned> positions(graph.getNumNodes(), kMissing);
  for (auto [position, node] : llvm::enumerate(schedule)) {
    if (node >= graph.getNumNodes() || positions[node] != kMissing)
      return "expects each node once but got node " + std::to_string(node) +
             " at position " + std::to_string(position);
    positions[node] = position;
  }
  std::vector<int64_t> priorities = graph.getInheritedPriorities();
  for (auto [position, node] : llvm::enumerate(schedule)) {
    for (unsigned predecessor : graph.getNode(node).predecessors)
      if (positions[predecessor] > position)
        return "expects node " + std::to_string(predecessor) + " before node " +
               std::to_string(node);
    if (position > 0 && priorities[schedule[position - 1]] < priorities[node])
      return "expects node " + std::to_string(node) +
             " of higher priority before node " +
             std::to_string(schedule[position - 1]);
  }
  return "";
}
