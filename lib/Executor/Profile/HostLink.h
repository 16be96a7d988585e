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

/// A host copy, a step, of a stream that several tensors are buffered of.
struct BufferedCopy {
  unsigned step = 0;
  unsigned stream = 0;
  bool isLoad = false;
  /// Tensors in the buffer.
  int64_t depth = 0;
  int64_t latency = 0;
  /// What it takes of the link and of the fullest tile of each IPU.
  SmallVector<int64_t> linkCycles, tileCycles;
};

/// Those of the compute tiles of `program`, in the order of their steps.
std::vector<BufferedCopy> getBufferedCopies(const Program &program,
                                            ArrayRef<ProfileStep> steps);

/// The host link of one IPU, and the buffers of streams: docs/device-model.md
/// has the formulas.
class HostLink {
public:
  /// A copy without a buffer has the link for `cycles`: others wait.
  void pause(int64_t cycles);
  /// Cycles that `copy`, which begins at time `now`, takes IPU `ipu`.
  int64_t copy(const BufferedCopy &copy, int64_t ipu, int64_t now);
  /// The time at which the host has all that is in buffers.
  int64_t getEnd() const;
  /// Appends all that copies to come depend on, seen from `now`. What is
  /// further back than `horizon` is the same to them.
  void appendLeads(int64_t now, int64_t horizon,
                   SmallVectorImpl<int64_t> &leads) const;
  /// Calls `extend` with each time and that time in `before`, a link that has
  /// seen the same streams.
  void extend(const HostLink &before,
              function_ref<void(int64_t &, int64_t)> extend);

private:
  /// One way of the link.
  struct Direction {
    /// From when on it is free.
    int64_t free = 0;
    /// For each stream, the last `depth` times at which a load began or the
    /// host had what was stored.
    std::map<unsigned, SmallVector<int64_t>> times;
  };

  /// Times of the link go on only while no copy without a buffer runs.
  int64_t paused = 0;
  Direction loads, stores;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_HOSTLINK_H
