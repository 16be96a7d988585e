//===- StreamUses.h - Counts of stream uses ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Loads or stores of a stream.
struct StreamUse {
  /// How many there are in a run, at least.
  int64_t count = 0;
  /// The first of them, a step.
  unsigned step = 0;
  bool isLoad = false;
};

/// What is known of the uses of streams, by their numbers.
struct StreamUses {
  std::vector<StreamUse> counts;
  /// Users are told once, though there may be many runs.
  std::vector<bool> isTold;
};

/// The uses of each stream. Loops whose rounds are not known count as none, a
/// branch as what both of its bodies use.
std::vector<StreamUse> countStreamUses(const Program &program);

/// Warns at a use that there are more of them than the `tensors` that the host
/// gives or takes in a run. `count` says how many: "at least 3".
void warnOfStreamUses(const Program &program, unsigned stream,
                      const StreamUse &use, int64_t tensors,
                      const Twine &count);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H
