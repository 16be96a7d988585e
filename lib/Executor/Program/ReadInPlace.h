//===- ReadInPlace.h - Contractions that read views -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program with an exchange that copies a view of a variable, for example
// with permuted dimensions, to a variable that contractions read.
// Out: a program in which these contractions read the view, without the copy.
// Contractions pack their operands anyway, so strides have no cost. On the
// device, an exchange moves data between tiles, but the host has one memory.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Removes moves whose targets are only read by contractions, and extends the
/// live ranges of the sources until these contractions have run.
void readInPlace(Program &program);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
