//===- StepTimer.h - Times of executed steps --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_STEPTIMER_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_STEPTIMER_H

#include "HostLink.h"
#include "ipu-mlir/Executor/Profile/Profile.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include <optional>

namespace mlir::ipu {

/// The clocks of the IPUs of one replica, and the host link of each clock.
struct ReplicaClocks {
  std::vector<IPUClock> clocks;
  std::vector<HostLink> links;
};

/// One execution of a step on one IPU: the times at which it started and ended,
/// and the cycles that buffers of streams hid.
struct StepExecution {
  int64_t start = 0;
  int64_t end = 0;
  int64_t hidden = 0;
};

/// The time in which the compute tiles of each IPU executed steps, from the
/// first one to the last one. Steps that take no time do not count.
class BusyTimes {
public:
  explicit BusyTimes(int64_t numIPUs = 0) : ranges(numIPUs) {}

  void add(int64_t ipu, int64_t start, int64_t end) {
    if (start == end)
      return;
    Range &range = ranges[ipu];
    range.start = range.start < 0 ? start : std::min(range.start, start);
    range.end = std::max(range.end, end);
  }
  /// Adds `other`, whose times are `shifts` earlier. Times saturate.
  void add(const BusyTimes &other, ArrayRef<int64_t> shifts);
  /// Adds a call of `function` that took these times to `calls`.
  void addCall(unsigned function, std::vector<ProfileCall> &calls) const {
    for (auto [ipu, range] : llvm::enumerate(ranges))
      if (range.start >= 0 && calls.size() < ReplicaTimeline::kMaxCalls)
        calls.push_back(
            {function, static_cast<int64_t>(ipu), range.start, range.end});
  }

private:
  struct Range {
    int64_t start = -1, end = -1;
  };
  SmallVector<Range, 1> ranges;
};

/// Executes the steps of a program on clocks.
class StepTimer {
public:
  StepTimer(const Program &program, ArrayRef<ProfileStep> steps);

  /// Returns the clocks at the start of a run.
  ReplicaClocks getStart() const;
  /// Executes a step on IPU `ipu` and advances its clock.
  StepExecution run(ReplicaClocks &clocks, unsigned step, int64_t ipu) const;

  /// Returns the copies of streams with buffers.
  ArrayRef<BufferedCopy> getCopies() const { return copies; }
  /// Returns the index in getCopies() of the copy that `step` executes.
  std::optional<unsigned> findCopy(unsigned step) const;
  bool isOnIOTiles(unsigned step) const {
    return steps[step].tiles == StepTiles::IO;
  }
  /// Returns the time after which the contents of a buffer no longer affect
  /// future times.
  int64_t getHorizon() const { return horizon; }

private:
  int64_t numIPUs;
  ArrayRef<ProfileStep> steps;
  std::vector<BufferedCopy> copies;
  DenseMap<unsigned, unsigned> copyOfStep;
  int64_t horizon = 0;
};

/// Lets `clock` wait until `time`, if this is in the future.
void waitUntil(IPUClock &clock, int64_t time);

/// Lets the tiles that compute, or the I/O tiles if `tiles` is IO, wait for the
/// last of `clocks`.
void waitForLast(ArrayRef<IPUClock *> clocks, StepTiles tiles);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_STEPTIMER_H
