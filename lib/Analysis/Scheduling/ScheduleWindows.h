//===- ScheduleWindows.h - Optimal schedules of short windows ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Improves a schedule by local search. A window is a sequence of adjacent
// nodes. Its optimal order is found by dynamic programming over the sets of
// nodes that may come first.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_SCHEDULING_SCHEDULEWINDOWS_H
#define IPU_MLIR_LIB_ANALYSIS_SCHEDULING_SCHEDULEWINDOWS_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"

namespace mlir::ipu {

/// The greatest size of a window.
constexpr unsigned kMaxWindowSize = 12;

/// Improves `schedule` by windows of `size` nodes, which overlap, until no
/// window improves it or `budget` is used up. The budget counts extensions of
/// sets by one node, and the function subtracts what it uses. The peak of the
/// schedule does not grow; with an equal peak, the sum does not grow.
void improveByWindows(const ScheduleGraph &graph, Schedule &schedule,
                      unsigned size, int64_t &budget);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_SCHEDULING_SCHEDULEWINDOWS_H
