//===- CommandLine.h - Flags of ipu-run -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H
#define IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H

#include "Options.h"

namespace mlir::ipu::run {

/// Reads the command line. Reports an error and fails if the command line is
/// not valid.
FailureOr<Options> readCommandLine(int argc, char **argv);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H
