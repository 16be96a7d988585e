//===- StreamUses.h - Counts of stream uses ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The loads or the stores of a stream.
struct StreamUse {
  /// A lower bound of the number of loads or stores in a run.
  int64_t count = 0;
  /// The step of the first load or store.
  unsigned step = 0;
  bool isLoad = false;
};

/// The known uses of streams. The index is the number of the stream.
struct StreamUses {
  std::vector<StreamUse> counts;
  /// Whether the user was already warned about a stream. There is one warning
  /// for all runs.
  std::vector<bool> isTold;
};

/// Returns the uses of each stream. A loop whose number of iterations is not
/// known counts as no use. For a branch, the smaller count of its two bodies is
/// added.
std::vector<StreamUse> countStreamUses(const Program &program);

/// Emits a warning at the step of `use`: a run has more uses of the stream than
/// `tensors`, the number of tensors that the host gives or takes in a run.
/// `count` is a text for the number of uses, for example "at least 3".
void warnOfStreamUses(const Program &program, unsigned stream,
                      const StreamUse &use, int64_t tensors,
                      const Twine &count);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_STREAMUSES_H
