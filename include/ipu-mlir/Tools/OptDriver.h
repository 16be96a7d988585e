//===- OptDriver.h - Driver of passes ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_OPTDRIVER_H
#define IPU_MLIR_TOOLS_OPTDRIVER_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

namespace mlir::ipu::tools {

/// Runs a tool like mlir-opt with the dialects and passes of MLIR and of this
/// project. `registerMore` registers the tool's own dialects and passes. The
/// tool checks contracts of passes: see docs/transforms.md. Returns the exit
/// status.
int runOptDriver(
    int argc, char **argv,
    function_ref<void(DialectRegistry &)> registerMore = [](DialectRegistry &) {
    });

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_OPTDRIVER_H
