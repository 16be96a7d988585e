//===- Report.h - Results and messages of tools -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_REPORT_H
#define IPU_MLIR_TOOLS_REPORT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu::tools {

/// Exit statuses; part of the interface of each tool.
enum class Status {
  Success = 0,
  /// The program ran, but its results are not what they should be.
  Mismatch = 1,
  /// Wrong arguments, or a file that cannot be read or written.
  BadUsage = 2,
  /// The model cannot be compiled or is not executable.
  BadModel = 3,
  /// The user ended it.
  Interrupted = 4,
};

/// The name that this process has in messages, as runTool() was given it.
StringRef getToolName();

/// Prints `TOOL: error: message` and gives `status` back.
Status report(Status status, const Twine &message);
Status report(Status status, llvm::Error error);

/// An error with a message.
llvm::Error makeError(const Twine &message);

/// Runs `body`, what a tool does after LLVM is initialized, and returns the
/// exit status. Errors of standard output, a closed pipe too, are reported.
int runTool(StringRef name, function_ref<Status()> body);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_REPORT_H
