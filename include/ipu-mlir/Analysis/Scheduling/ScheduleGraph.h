//===- ScheduleGraph.h - Graphs of ops to schedule --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule graph has nodes, which are executed one at a time, dependences
// between nodes, and values. A value is live from the first to the last node
// that uses it; the node that computes a value counts as one of its users. This
// is plain C++ without IR.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULEGRAPH_H
#define IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULEGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlir::ipu {

/// The nodes of a schedule graph in the order of their execution.
using Schedule = std::vector<unsigned>;

/// A value of a schedule graph.
struct ScheduledValue {
  /// The bytes that count for the peak while the value is live.
  int64_t bytes;
  /// The cost of each step at which the value is live. It is `bytes`, except
  /// for an attraction, which has no bytes.
  int64_t weight;
  /// If this flag is set, the value is live from the start (to the end) of
  /// every schedule.
  bool liveBefore, liveAfter;
  /// The users, without duplicates.
  llvm::SmallVector<unsigned, 3> users;
};

/// A node of a schedule graph.
struct ScheduledNode {
  /// The bytes that are live only while the node is executed, in addition to
  /// the values.
  int64_t workspace;
  int64_t priority;
  /// The nodes that come before (after) this node in every schedule. They may
  /// have duplicates.
  llvm::SmallVector<unsigned, 4> predecessors, successors;
  /// The values of which the node is a user.
  llvm::SmallVector<unsigned, 4> values;
};

/// A schedule graph. Its nodes are numbered in the order of a schedule that
/// respects the dependences, the given order.
class ScheduleGraph {
public:
  /// Add a node or a value, and return its number. A node with a higher
  /// priority comes earlier: all nodes of this priority, and the nodes on which
  /// they depend, come before all other nodes of lower priorities.
  unsigned addNode(int64_t workspace = 0, int64_t priority = 0);
  unsigned addValue(int64_t bytes, llvm::ArrayRef<unsigned> users,
                    bool liveBefore = false, bool liveAfter = false);
  /// Adds a copy of `value` that has other users.
  unsigned addValue(ScheduledValue value, llvm::ArrayRef<unsigned> users);
  /// Requires that node `before` comes before node `after`, whose number must
  /// be the higher one.
  void addDependence(unsigned before, unsigned after);
  /// Attracts two nodes to each other: each step between them costs as much as
  /// `weight` live bytes, but does not count for the peak.
  void addAttraction(unsigned a, unsigned b, int64_t weight);

  unsigned getNumNodes() const { return nodes.size(); }
  const ScheduledNode &getNode(unsigned node) const { return nodes[node]; }
  llvm::ArrayRef<ScheduledNode> getNodes() const { return nodes; }
  llvm::ArrayRef<ScheduledValue> getValues() const { return values; }

  Schedule getGivenOrder() const;

  /// Returns the inherited priority of each node. This is the highest priority
  /// of the node and of all nodes that depend on it, directly or through other
  /// nodes.
  std::vector<int64_t> getInheritedPriorities() const;

private:
  std::vector<ScheduledNode> nodes;
  std::vector<ScheduledValue> values;
};

/// The live bytes of a schedule.
struct LiveBytes {
  /// The maximum over all steps.
  int64_t peak = 0;
  /// The sum over all steps.
  int64_t sum = 0;
  /// The cost of attractions, which counts like the sum in comparisons.
  int64_t attraction = 0;

  int64_t getCost() const { return sum + attraction; }
  bool operator<(const LiveBytes &other) const {
    return std::pair(peak, getCost()) < std::pair(other.peak, other.getCost());
  }
};

/// Returns the live bytes of `schedule`, in linear time.
LiveBytes countLiveBytes(const ScheduleGraph &graph, const Schedule &schedule);

/// Returns a text that says why `schedule` is not a schedule of `graph`, or an
/// empty string if it is one.
std::string verifySchedule(const ScheduleGraph &graph,
                           const Schedule &schedule);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULEGRAPH_H
