//===- ScheduleSearch.h - Search for schedules ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches for the order of nodes with the smallest peak of live bytes, and,
// among the orders with this peak, for the one with the smallest sum of live
// bytes over all steps. Finding the optimum is NP-hard. The search compares the
// given order with list schedules from both ends and improves the best of these
// by local search. With N nodes and E dependences and uses of values, it takes
// O((N + E) log N) time. The result depends on the graph alone.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULESEARCH_H
#define IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULESEARCH_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"

namespace mlir::ipu {

struct ScheduleSearchOptions {
  /// The greatest number of adjacent nodes, at most 12, of which the local
  /// search finds the optimal order. There is no local search if it is 1 or
  /// less.
  unsigned windowSize = 12;
};

/// Returns the schedule of `graph` that the search finds. If the given order
/// respects the priorities of the nodes, the result is not worse than it.
Schedule findSchedule(const ScheduleGraph &graph,
                      const ScheduleSearchOptions &options = {});

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_SCHEDULING_SCHEDULESEARCH_H
