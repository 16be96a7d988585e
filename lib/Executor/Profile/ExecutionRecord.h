//===- ExecutionRecord.h - Executions of sequences --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record lists what the execution of a sequence did: its steps, and the
// executions of other sequences, such as called functions. Executions that do
// the same at the same times, relative to their starts, share one record. So
// the size of all records depends on the size of the program, and not on the
// number of executed steps.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_EXECUTIONRECORD_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_EXECUTIONRECORD_H

#include "ProfileBuilder.h"

namespace mlir::ipu {

/// A time of the compute tiles and a time of the I/O tiles of an IPU.
struct TileTimes {
  int64_t now = 0;
  int64_t io = 0;

  friend TileTimes operator+(const TileTimes &a, const TileTimes &b) {
    return {addSaturating(a.now, b.now), addSaturating(a.io, b.io)};
  }
  friend bool operator==(const TileTimes &a, const TileTimes &b) {
    return a.now == b.now && a.io == b.io;
  }
};

/// An entry of a record: the execution of a step, or `count` executions of a
/// sequence.
struct ExecutionEntry {
  /// All times are relative to the start of the execution that the record
  /// describes.
  struct OnIPU {
    /// The start and the end of a step; or the starts of the first and of the
    /// last execution of a sequence.
    TileTimes first, last;
    /// The cycles of a step that buffers of streams hid.
    int64_t hidden = 0;

    bool operator==(const OnIPU &other) const {
      return first == other.first && last == other.last &&
             hidden == other.hidden;
    }
  };

  bool isStep = true;
  /// The number of the step, or the number of the record of the sequence.
  unsigned number = 0;
  int64_t count = 1;
  SmallVector<OnIPU, 1> onIPUs;

  bool operator==(const ExecutionEntry &other) const {
    return isStep == other.isStep && number == other.number &&
           count == other.count && onIPUs == other.onIPUs;
  }
};

/// The entries are in the order of their starts.
using ExecutionRecord = std::vector<ExecutionEntry>;

/// Adds the executions of `program` to `path`. An entry for a sequence refers
/// to `records`, in which each record comes after the records that its entries
/// refer to.
void addExecutions(const ExecutionRecord &program,
                   ArrayRef<ExecutionRecord> records, const StepTimer &timer,
                   ReplicaPath &path);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_EXECUTIONRECORD_H
