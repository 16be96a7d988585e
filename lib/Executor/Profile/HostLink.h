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

/// A host copy of a stream with a buffer of several tensors.
struct BufferedCopy {
  unsigned step = 0;
  unsigned stream = 0;
  bool isLoad = false;
  /// The number of tensors in the buffer.
  int64_t depth = 0;
  int64_t latency = 0;
  /// The cycles on the link and on the fullest tile of each IPU.
  SmallVector<int64_t> linkCycles, tileCycles;
};

/// The copies of the compute tiles of `program`, in the order of their steps.
std::vector<BufferedCopy> getBufferedCopies(const Program &program,
                                            ArrayRef<ProfileStep> steps);

/// The host link of one IPU, and the buffers of streams: docs/device-model.md
/// has the formulas.
class HostLink {
public:
  /// A copy without a buffer uses the link for `cycles`; other copies wait.
  void pause(int64_t cycles);
  /// The cycles that IPU `ipu` needs for `copy`, which starts at time `now`.
  int64_t copy(const BufferedCopy &copy, int64_t ipu, int64_t now);
  /// The time at which the host has received the contents of all buffers.
  int64_t getEnd() const;
  /// Appends all data on which future copies depend, relative to `now`. Times
  /// before `now - horizon` are equivalent.
  void appendLeads(int64_t now, int64_t horizon,
                   SmallVectorImpl<int64_t> &leads) const;
  /// Calls `extend` with each time and with the same time in `before`, a link
  /// with the same streams.
  void extend(const HostLink &before,
              function_ref<void(int64_t &, int64_t)> extend);

private:
  /// One direction of the link.
  struct Direction {
    /// The time from which the direction is free.
    int64_t free = 0;
    /// For each stream, the last `depth` times at which a load started, or at
    /// which the host received a stored tensor.
    std::map<unsigned, SmallVector<int64_t>> times;
  };

  /// The clock of the link stops during copies without a buffer.
  int64_t paused = 0;
  Direction loads, stores;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_HOSTLINK_H
