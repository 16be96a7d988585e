//===- Progress.h - Tells what takes long -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_PROGRESS_H
#define IPU_MLIR_TOOLS_IPU_RUN_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu::run {

/// One line on a terminal that says what is going on; nothing if standard error
/// is not a terminal.
class Progress {
public:
  /// The one of this process, as there is one terminal.
  static Progress &get() {
    static Progress progress;
    return progress;
  }

  /// Shows `phase` in place of the one before.
  void show(llvm::StringRef phase) {
    clear();
    if (!isTerminal)
      return;
    llvm::errs() << "ipu-run: " << phase << " ...";
    isShown = true;
  }

  /// Makes room for other output.
  void clear() {
    // Back to the start of the line, and erase it.
    if (isShown)
      llvm::errs() << "\r\x1b[K";
    isShown = false;
  }

private:
  Progress() = default;

  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  bool isShown = false;
};

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_PROGRESS_H
