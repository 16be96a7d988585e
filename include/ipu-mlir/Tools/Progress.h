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

  /// Shows nothing from now on.
  void turnOff() { isTerminal = false; }

  /// Shows `phase` instead of the previous phase.
  void show(llvm::StringRef phase);

  /// Starts to measure the time of all runs. showRun() uses this time to
  /// estimate the remaining time.
  void startRuns() { start = Clock::now(); }

  /// Returns whether standard error is a terminal and showRun() or showText()
  /// should be called again, because enough time has passed since the last
  /// call.
  bool isDue() const;

  /// Shows `phase`, the completed fraction of all runs, and the step that
  /// begins. If `fraction` is not 0, also shows the remaining time.
  void showRun(llvm::StringRef phase, double fraction, llvm::StringRef step);

  /// Shows the name of the tool and `text`.
  void showText(llvm::StringRef text);

  /// Clears the line for other output.
  void clear();

private:
  using Clock = std::chrono::steady_clock;

  Progress();
  void print(std::string text);

  Clock::time_point start, lastShown;
  /// This flag is set if lines on standard error can be erased.
  bool isTerminal;
  bool isShown = false;
};

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_PROGRESS_H
