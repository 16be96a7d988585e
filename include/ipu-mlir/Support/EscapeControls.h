//===- EscapeControls.h - Text without control characters -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_ESCAPECONTROLS_H
#define IPU_MLIR_SUPPORT_ESCAPECONTROLS_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::ipu {

/// Returns `text` with each byte of a control character as `\XX`, where XX is
/// its hexadecimal number. Names come from models, and control characters in
/// names must not control the user's terminal. Line feeds, tabs and all other
/// characters of valid UTF-8 do not change; other bytes are replaced, too.
std::string escapeControls(StringRef text);

/// Applies escapeControls() to the text of all diagnostics of `context` from
/// now on. Tools whose diagnostics MLIR prints call this function.
void escapeDiagnostics(MLIRContext *context);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_ESCAPECONTROLS_H
