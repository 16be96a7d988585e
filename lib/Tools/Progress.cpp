//===- Progress.cpp - Progress messages -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Progress.h"

#include "ipu-mlir/Tools/PlainText.h"
#include "ipu-mlir/Tools/Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::ipu::tools;

using Seconds = std::chrono::duration<double>;

/// Seconds between two lines.
static constexpr double kInterval = 0.1;

Progress::Progress()
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed() &&
                 llvm::sys::Process::GetEnv("TERM") != "dumb") {}

void Progress::clear() {
  // Back to the start of the line, and erase it.
  if (isShown)
    llvm::errs() << "\r\x1b[K";
  isShown = false;
}

void Progress::print(std::string text) {
  clear();
  text = escapeControls(text);
  // A line that is broken into two cannot be erased.
  unsigned columns = llvm::sys::Process::StandardErrColumns();
  if (columns > 1 && text.size() >= columns)
    text.resize(columns - 1);
  llvm::errs() << text;
  isShown = true;
}

void Progress::show(llvm::StringRef phase) {
  if (isTerminal)
    print((getToolName() + ": " + phase + " ...").str());
}

bool Progress::isDue() const {
  return isTerminal && Seconds(Clock::now() - lastShown).count() >= kInterval;
}

static std::string formatDuration(double seconds) {
  if (seconds < 100)
    return llvm::formatv("{0:F0} s", seconds);
  if (seconds < 100 * 60)
    return llvm::formatv("{0:F0} min", seconds / 60);
  return llvm::formatv("{0:F1} h", seconds / 3600);
}

void Progress::showRun(llvm::StringRef phase, double fraction,
                       llvm::StringRef step) {
  if (!isTerminal)
    return;
  lastShown = Clock::now();
  std::string text =
      llvm::formatv("{0}: {1}, {2:F0} %", getToolName(), phase, fraction * 100);
  double elapsed = Seconds(lastShown - start).count();
  if (fraction > 0)
    text +=
        ", " + formatDuration(elapsed / fraction * (1 - fraction)) + " left";
  if (!step.empty())
    text += (", " + step).str();
  print(std::move(text));
}

void Progress::showText(llvm::StringRef text) {
  if (!isTerminal)
    return;
  lastShown = Clock::now();
  print((getToolName() + ": " + text).str());
}
