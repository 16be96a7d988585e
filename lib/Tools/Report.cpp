//===- Report.cpp - Results and messages of tools ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Report.h"

#include "ipu-mlir/Tools/PlainText.h"
#include "ipu-mlir/Tools/Progress.h"
#include "llvm/Support/WithColor.h"
#include <csignal>
#include <cstdlib>
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;

static std::string &getName() {
  static std::string name;
  return name;
}

StringRef tools::getToolName() { return getName(); }

/// The innermost collector of this thread, or null.
static thread_local ReportCollector *collector = nullptr;

ReportCollector::ReportCollector() : outer(collector) { collector = this; }
ReportCollector::~ReportCollector() { collector = outer; }

Status tools::report(Status status, const Twine &message) {
  if (collector) {
    collector->messages.push_back(message.str());
    return status;
  }
  Progress::get().clear();
  llvm::WithColor::error(llvm::errs(), getName())
      << escapeControls(message.str()) << '\n';
  return status;
}

Status tools::report(Status status, llvm::Error error) {
  return report(status, llvm::toString(std::move(error)));
}

llvm::Error tools::makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Lets memory that one variable leaves be used for the next one. Memory that
/// goes back to the system comes again page by page, which takes more time than
/// what is computed in it.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// Reports what could not be written to standard output, if anything.
static bool hasOutputFailed() {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return false;
  std::error_code code = llvm::outs().error();
  // Else the stream ends the process.
  llvm::outs().clear_error();
  report(Status::BadUsage, "standard output: " + code.message());
  return true;
}

/// Options such as --help end the process without a return to runTool(). The
/// objects that are used at the end have to exist before.
static void checkOutputAtExit() {
  (void)llvm::outs();
  (void)llvm::errs();
  (void)Progress::get();
  std::atexit([] {
    if (hasOutputFailed())
      std::_Exit(static_cast<int>(Status::BadUsage));
  });
}

int tools::runTool(StringRef name, function_ref<Status()> body) {
  getName() = name.str();
  keepFreedMemory();
  // A closed pipe is then an error of the stream, which is told below.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that gets larger than the limit.
  std::signal(SIGXFSZ, SIG_IGN);
  checkOutputAtExit();

  Status status = body();

  Progress::get().clear();
  if (hasOutputFailed())
    status = Status::BadUsage;
  return static_cast<int>(status);
}
