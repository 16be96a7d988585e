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

/// Shows the progress in one line on a terminal. Shows nothing if standard
/// error is not a terminal.
class Progress {
public:
  /// Returns the single object of this process, which has one terminal.
  static Progress &get() {
    static Progress progress;
    return progress;
  }

  /// Returns whether standard error is a terminal.
  bool isOn() const { return isTerminal; }

  /// Shows `phase` instead of the previous phase.
  void show(llvm::StringRef phase);

  /// Starts the measurement of the time of runs.
  void startRuns() { start = Clock::now(); }

  /// Returns whether standard error is a terminal, and enough time has passed
  /// to call showRun() or showText() again.
  bool isDue() const;

  /// Shows the completed fraction of all runs and the step that begins. Also
  /// shows the remaining time if a part of the runs is complete.
  void showRun(llvm::StringRef phase, double fraction, llvm::StringRef step);

  /// Shows `text` unchanged.
  void showText(llvm::StringRef text);

  /// Clears the line for other output.
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
