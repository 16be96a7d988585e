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
  /// A lower bound of the number of uses in a run.
  int64_t count = 0;
  /// The step of the first use.
  unsigned step = 0;
  bool isLoad = false;
};

/// The known uses of streams, by the numbers of the streams.
struct StreamUses {
  std::vector<StreamUse> counts;
  /// Whether the user was warned. There is one warning for all runs.
  std::vector<bool> isTold;
};

/// The uses of each stream. Loops whose number of iterations is not known count
/// as no uses; a branch counts as the uses that both of its bodies have.
std::vector<StreamUse> countStreamUses(const Program &program);

/// Warns at a use that a run has more uses than `tensors`, the number of
/// tensors that the host gives or takes in a run. `count` is the number of uses
/// as text: "at least 3".
void warnOfStreamUses(const Program &program, unsigned stream,
                      const StreamUse &use, int64_t tensors,
                      const Twine &count);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H
