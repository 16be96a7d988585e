//===- ToolSetup.h - The common start of all tools --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_TOOLSETUP_H
#define IPU_MLIR_TOOLS_TOOLSETUP_H

namespace mlir::ipu {

/// Prepares what all tools of this project have in common: the text of
/// --version, the text of a crash, colours, and the order of --help. `main`
/// calls this function before it registers or parses options.
void setUpTool();

} // namespace mlir::ipu

#endif // IPU_MLIR_TOOLS_TOOLSETUP_H
