//===- ReadInPlace.h - Contractions that read views -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program with an exchange that copies a view of a variable to a variable
// that contractions read. The view may, for example, have permuted dimensions.
// Out: a program in which these contractions read the view directly, and the
// copy is removed. On the device, the exchange moves data between tiles, but
// the host has one memory. Contractions pack their operands in any case, so the
// strides of the view cost no time.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Removes moves whose targets only contractions read. Extends the live ranges
/// of the sources until these contractions have been executed.
void readInPlace(Program &program);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_READINPLACE_H
