//===- BugReport.cpp - The text of a crash --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/BugReport.h"

#include "llvm/Support/PrettyStackTrace.h"

void mlir::ipu::setBugReportText() {
  llvm::setBugReportMsg(
      "This is a bug in ipu-mlir " IPUMLIR_VERSION
      ". Please report it to " IPUMLIR_BUG_REPORT_TO
      " with the command, its input files and the following text.\n");
}
