//===- Progress.h - Progress messages ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_PROGRESS_H
#define IPU_MLIR_TOOLS_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <string>

namespace mlir::ipu::tools {

/// One line on a terminal that says what is going on; nothing if standard error
/// is not a terminal.
class Progress {
public:
  /// The one of this process, as there is one terminal.
  static Progress &get() {
    static Progress progress;
    return progress;
  }

  /// Whether there is a terminal.
  bool isOn() const { return isTerminal; }

  /// Shows `phase` in place of the one before.
  void show(llvm::StringRef phase);

  /// Starts the time that the runs take.
  void startRuns() { start = Clock::now(); }

  /// Whether there is a terminal and it is time for the next line of showRun()
  /// or showText().
  bool isDue() const;

  /// Shows which fraction of all runs is done, what begins and, once a part is
  /// done, how long the rest takes.
  void showRun(llvm::StringRef phase, double fraction, llvm::StringRef step);

  /// Shows `text` as it is.
  void showText(llvm::StringRef text);

  /// Makes room for other output.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  Progress() = default;
  void print(std::string text);

  Clock::time_point start, lastShown;
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  bool isShown = false;
};

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_PROGRESS_H
