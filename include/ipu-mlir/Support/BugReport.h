//===- BugReport.h - The text of a crash ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_BUGREPORT_H
#define IPU_MLIR_SUPPORT_BUGREPORT_H

namespace mlir::ipu {

/// Sets the text that a tool of this project prints when it crashes: the text
/// says where to report the crash. Without this call, the text names LLVM.
void setBugReportText();

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_BUGREPORT_H
