//===- ListScheduler.h - List scheduling ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a schedule from its start or from its end. Of the nodes whose
// predecessors are scheduled, the next node is the one with the smallest key.
// With N nodes and E dependences and uses of values, list scheduling takes
// O((N + E) log N) time, except that HillValley also looks ahead by at most a
// constant number of nodes for each node.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LISTSCHEDULER_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LISTSCHEDULER_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <queue>
#include <tuple>

namespace mlir::ipu {

/// The rule by which a list scheduler chooses the next node.
enum class ListPolicy {
  /// The node after which the fewest bytes are live.
  LeastLive,
  /// The node whose predecessor was scheduled last.
  DepthFirst,
  /// A node together with nodes that it makes ready, as far as this minimises
  /// the bytes that are live afterwards. As in the optimal schedule of
  /// independent chains, groups that free bytes come first, in ascending order
  /// of their peaks. Other groups come in descending order of the difference
  /// between their peak and the bytes that they leave.
  HillValley,
  /// A node that does not increase the live bytes; otherwise, the first node of
  /// the reference schedule.
  Eager,
};

enum class ListDirection { FromStart, FromEnd };

/// The values and dependences of a schedule of which one end is known.
class PartialSchedule {
public:
  PartialSchedule(const ScheduleGraph &graph, ListDirection direction);

  bool isReady(unsigned node) const {
    return numMissing[node] == 0 && !isScheduled[node];
  }
  size_t getNumSuccessors(unsigned node) const {
    return getSuccessors(node).size();
  }
  /// Return the bytes by which the live bytes grow when `node` starts, and by
  /// which they shrink when it ends. Here and below, attractions count as
  /// bytes.
  int64_t getAllocated(unsigned node) const;
  int64_t getFreed(unsigned node) const;

  /// Appends `node`, which must be ready. Calls `notifyReady` for the nodes
  /// that become ready, in a fixed order.
  void append(unsigned node, llvm::function_ref<void(unsigned)> notifyReady);
  /// Takes back the last append(), which was for `node`.
  void removeLast(unsigned node);

  /// Calls `notify` for the ready nodes for which the last append(), which was
  /// for `node`, changed the allocated or freed bytes.
  void forEachChanged(unsigned node,
                      llvm::function_ref<void(unsigned)> notify) const;

private:
  bool isLiveBefore(const ScheduledValue &value) const {
    return isFromStart ? value.liveBefore : value.liveAfter;
  }
  bool isLiveAfter(const ScheduledValue &value) const {
    return isFromStart ? value.liveAfter : value.liveBefore;
  }
  llvm::ArrayRef<unsigned> getSuccessors(unsigned node) const {
    const ScheduledNode &scheduled = graph.getNode(node);
    return isFromStart ? scheduled.successors : scheduled.predecessors;
  }

  const ScheduleGraph &graph;
  bool isFromStart;
  /// `numMissing` has the number of dependences of each node on unscheduled
  /// nodes.
  std::vector<unsigned> numMissing;
  /// `numUsersLeft` has the number of unscheduled users of each value.
  std::vector<unsigned> numUsersLeft;
  std::vector<bool> isScheduled;
};

/// Creates one schedule.
class ListScheduler {
public:
  /// `reference` decides between nodes with equal keys.
  ListScheduler(const ScheduleGraph &graph, ListPolicy policy,
                ListDirection direction, const Schedule &reference);

  Schedule run();

private:
  /// The last element is the position of the node in the reference schedule.
  using Key = std::tuple<int64_t, int64_t, unsigned>;
  struct Entry {
    Key key;
    unsigned node;
    bool operator>(const Entry &other) const { return key > other.key; }
  };
  /// Nodes that are scheduled together.
  struct Group {
    llvm::SmallVector<unsigned, 8> nodes;
    /// The change of the live bytes by the group, and the highest change while
    /// the group is executed.
    int64_t net = 0, peak = 0;
  };

  Group lookAhead(unsigned node);
  Key getKey(unsigned node);
  void push(unsigned node);
  void schedule(unsigned node);
  unsigned chooseNext(llvm::ArrayRef<unsigned> ready) const;

  const ScheduleGraph &graph;
  ListPolicy policy;
  ListDirection direction;
  PartialSchedule state;
  /// The positions of the nodes in the reference schedule, counted from the
  /// known end.
  std::vector<unsigned> ranks;
  /// `readySince` has the number of scheduled nodes when a node became ready.
  std::vector<unsigned> readySince;
  std::vector<Key> keys;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  Schedule result;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_LISTSCHEDULER_H
