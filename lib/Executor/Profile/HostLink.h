//===- HostLink.h - Buffered copies between host and IPU --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_HOSTLINK_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_HOSTLINK_H

#include "ipu-mlir/Executor/Profile/Profile.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include <map>

namespace mlir::ipu {

/// A host copy of a stream whose buffer holds several tensors.
struct BufferedCopy {
  unsigned step = 0;
  unsigned stream = 0;
  bool isLoad = false;
  /// The number of tensors that the buffer can hold.
  int64_t depth = 0;
  int64_t latency = 0;
  /// For each IPU, the cycles of the copy on the link and on the fullest tile.
  SmallVector<int64_t> linkCycles, tileCycles;
};

/// Returns the buffered copies of `program` that compute tiles execute, in the
/// order of their steps.
std::vector<BufferedCopy> getBufferedCopies(const Program &program,
                                            ArrayRef<ProfileStep> steps);

/// The host link of one IPU, and the buffers of streams. docs/device-model.md
/// defines the formulas.
class HostLink {
public:
  /// Accounts for a copy without a buffer, which uses the link for `cycles`.
  /// Other copies wait during this time.
  void pause(int64_t cycles);
  /// Returns the number of cycles that IPU `ipu` needs for `copy`, which starts
  /// at time `now`.
  int64_t copy(const BufferedCopy &copy, int64_t ipu, int64_t now);
  /// Returns the time at which the host has received the contents of all
  /// buffers.
  int64_t getEnd() const;
  /// Appends all data on which the times of future copies depend to `leads`.
  /// Times are relative to `now`. All times before `now - horizon` have the
  /// same effect.
  void appendLeads(int64_t now, int64_t horizon,
                   SmallVectorImpl<int64_t> &leads) const;
  /// Calls `extend` for each time of this link, with a reference to the time
  /// and with the value of the time in `before`. `before` must have the same
  /// streams.
  void extend(const HostLink &before,
              function_ref<void(int64_t &, int64_t)> extend);
  /// The copies of a time turned `from` into this link. Sets this link to that
  /// into which they turn `to`, a link with the leads of `from` that starts
  /// `delay` cycles later.
  void rebase(const HostLink &from, const HostLink &to, int64_t delay);

private:
  /// One direction of the link.
  struct Direction {
    /// The time from which the link is free in this direction.
    int64_t free = 0;
    /// For each stream, the last `depth` times at which a load started, or at
    /// which the host received a stored tensor; `depth` is that of the copies
    /// of the stream.
    std::map<unsigned, SmallVector<int64_t>> times;
  };

  /// The total cycles of copies without a buffer. The clock of the link stops
  /// during these copies.
  int64_t paused = 0;
  Direction loads, stores;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_HOSTLINK_H
