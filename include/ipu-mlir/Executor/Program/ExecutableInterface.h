//===- ExecutableInterface.h - Execution interface of ops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE_H
#define IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

class ProgramReader;

/// Attaches ExecutableOpInterface to the ops of programs of the ipu dialect.
void registerExecutableModels(DialectRegistry &registry);

} // namespace mlir::ipu

#include "ipu-mlir/Executor/Program/ExecutableInterface.h.inc"

#endif // IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE_H
