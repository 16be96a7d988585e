//===- AdjacentNodes.h - Schedules with adjacent nodes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders the nodes of a schedule graph so that chosen nodes are adjacent. All
// other nodes stay in the given order as far as the dependences allow.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_SCHEDULING_ADJACENTNODES_H
#define IPU_MLIR_ANALYSIS_SCHEDULING_ADJACENTNODES_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace mlir::ipu {

/// Sets of nodes that are adjacent in a schedule. A set takes the position of
/// its last node in the given order, and nodes that depend on it come later.
class AdjacentNodes {
public:
  explicit AdjacentNodes(const ScheduleGraph &graph);

  using Nodes = llvm::SmallVector<unsigned>;

  /// Divides each of `groups` into sets of nodes that can be adjacent. The
  /// nodes of a group are in the given order, and in no set yet. Two nodes are
  /// in one set only if the same number of nodes of all groups are on the
  /// longest path of dependences to them, also through sets that were added
  /// before. The sizes of the nodes of a set add up to at most `maxSize`, or
  /// the set has one node. Takes O((N + E) log N) time for a graph of N nodes
  /// and E dependences.
  void add(llvm::ArrayRef<Nodes> groups,
           llvm::function_ref<int64_t(unsigned)> getSize,
           int64_t maxSize = std::numeric_limits<int64_t>::max());

  /// Returns a schedule in which the nodes of each set are adjacent and in the
  /// given order. It is the given order if all sets have one node.
  Schedule getSchedule() const;

private:
  std::vector<unsigned> getLevels(llvm::ArrayRef<Nodes> groups) const;
  void addSet(llvm::ArrayRef<unsigned> set);

  const ScheduleGraph &graph;
  /// A set has the number of its last node. `sets` has the set of each node,
  /// and `members` the nodes of each set.
  std::vector<unsigned> sets;
  std::vector<llvm::SmallVector<unsigned, 1>> members;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_SCHEDULING_ADJACENTNODES_H
