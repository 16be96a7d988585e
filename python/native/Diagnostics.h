//===- Diagnostics.h - Diagnostics and exceptions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_DIAGNOSTICS_H
#define IPU_MLIR_PYTHON_NATIVE_DIAGNOSTICS_H

#include "ipu-mlir/Tools/Report.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include <pybind11/pybind11.h>
#include <string>
#include <tuple>
#include <vector>

namespace mlir::ipu::python {

/// A diagnostic that is independent of its context.
struct Message {
  /// The file, the line and the column.
  using Position = std::tuple<std::string, int64_t, int64_t>;

  std::string severity;
  std::string text;
  std::vector<Position> positions;
  std::string name;
  std::vector<Message> notes;

  Position getPosition() const {
    return positions.empty() ? Position("", 0, 0) : positions.front();
  }
  /// Returns `file:line:column: severity: text` and the notes, in lines.
  std::string print() const;
};

/// Collects the diagnostics of a context, and what report() reports on this
/// thread, as long as this object exists.
class MessageCollector {
public:
  explicit MessageCollector(MLIRContext *context);

  /// Returns whether there is an error.
  bool hasErrors() const;
  unsigned countErrors() const;
  std::vector<Message> take();

private:
  std::vector<Message> messages;
  tools::ReportCollector reports;
  ScopedDiagnosticHandler handler;
};

/// The exceptions of the module.
enum class ErrorKind { Base, Compile, Run, Expectation, Stopped };

/// Adds Diagnostic and the exceptions to `module`.
void bindDiagnostics(pybind11::module_ &module);

/// Raises an exception of `kind` with `messages`. Its text has the errors, or
/// is `text` if there are none.
[[noreturn]] void raiseError(ErrorKind kind, std::vector<Message> messages,
                             const std::string &text);

/// Raises ValueError with the message of `error`.
[[noreturn]] void raiseValueError(llvm::Error error);

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_DIAGNOSTICS_H
