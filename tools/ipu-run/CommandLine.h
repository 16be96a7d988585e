//===- CommandLine.h - Flags of ipu-run -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H
#define IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H

#include "Options.h"

namespace mlir::ipu::run {

/// Reads the command line. Fails after it has reported an error.
FailureOr<Options> readCommandLine(int argc, char **argv);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_COMMANDLINE_H
