//===- ToolSetup.cpp - The common start of all tools ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only programs link this file, because it is compiled again after each commit.
//
//===----------------------------------------------------------------------===//

#include "ToolSetup.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <string>

namespace cl = llvm::cl;

/// The version of this project, with the commit if the sources are those of a
/// git repository.
static constexpr char kVersion[] = IPUMLIR_VERSION
#include "Commit.inc"
    ;

/// Any text but the empty one turns colours off: see https://no-color.org. LLVM
/// itself uses no colours on a terminal that does not support them.
static void setColors() {
  const char *noColor = std::getenv("NO_COLOR");
  if (!noColor || !*noColor)
    return;
  llvm::outs().enable_colors(false);
  llvm::errs().enable_colors(false);
}

/// Moves the options that LLVM's libraries have registered for LLVM's tools
/// from
/// --help to --help-hidden. The options of the tool itself are registered
/// later.
static void hideForeignOptions() {
  static cl::OptionCategory category("Options of LLVM's libraries");
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    cl::OptionCategory *&current = option->Categories.front();
    if (current->getName() == "Generic Options" ||
        current->getName() == "Color Options")
      continue;
    option->Categories.assign(1, &category);
    if (option->getOptionHiddenFlag() == cl::NotHidden)
      option->setHiddenFlag(cl::Hidden);
  }
}

void mlir::ipu::setUpTool() {
  static const std::string bugReport =
      std::string("This is a bug in ipu-mlir ") + kVersion +
      ". Please report it to " IPUMLIR_BUG_REPORT_TO
      " with the command, its input files and the following text.\n";
  llvm::setBugReportMsg(bugReport.c_str());
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "ipu-mlir " << kVersion << "\nLLVM " LLVM_VERSION_STRING "\n";
  });
  setColors();
  hideForeignOptions();
}
