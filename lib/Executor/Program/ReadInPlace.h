//===- ReadInPlace.h - Contractions that read views -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program in which an exchange copies a view of a variable, as of one
// with its dimensions in another order, to what contractions read. Out: one in
// which these read the view, and nothing is copied.
//
// Contractions pack their operands anyway, so that strides cost nothing. What
// an exchange brings to tiles is for the device; the host has one memory.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Removes moves whose targets only contractions read, and lets the sources
/// live on until these have run.
void readInPlace(Program &program);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
