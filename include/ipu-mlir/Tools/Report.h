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
#include <string>
#include <vector>

namespace mlir::ipu::tools {

/// The exit statuses of tools, which are part of their interface.
enum class Status {
  Success = 0,
  /// The program ran, but its results differ from the expected ones.
  Mismatch = 1,
  /// Wrong arguments, or a file that cannot be read or written.
  BadUsage = 2,
  /// The model cannot be compiled or is not executable.
  BadModel = 3,
  /// The user interrupted the tool, which can continue from there.
  Interrupted = 4,
  /// The user interrupted the tool, which cannot continue from there.
  Stopped = 5,
};

/// Returns the name that messages use for the tool. This is the name that
/// runTool() received.
StringRef getToolName();

/// Prints `TOOL: error: message` and returns `status`.
Status report(Status status, const Twine &message);
Status report(Status status, llvm::Error error);

/// Receives the messages of report() on this thread as long as this object
/// exists. They are not printed. Objects may be nested.
class ReportCollector {
public:
  ReportCollector();
  ~ReportCollector();
  ReportCollector(const ReportCollector &) = delete;
  ReportCollector &operator=(const ReportCollector &) = delete;

  ArrayRef<std::string> getMessages() const { return messages; }

private:
  friend Status report(Status status, const Twine &message);

  std::vector<std::string> messages;
  ReportCollector *outer;
};

/// Returns an error with a message.
llvm::Error makeError(const Twine &message);

/// Runs `body`, which is the tool itself, and returns the exit status. Also
/// reports errors of standard output, such as a closed pipe.
int runTool(StringRef name, function_ref<Status()> body);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_REPORT_H
