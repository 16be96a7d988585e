//===- SaveModuleOp.cpp - Dumps of modules --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, and a file with its text.
//
//===----------------------------------------------------------------------===//

#include "SaveModuleOp.h"

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_SAVEMODULEOPPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

LogicalResult sdy::dumpModule(ModuleOp module, StringRef directory,
                              StringRef stage) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return module.emitError() << "cannot make the directory '" << directory
                              << "' for dumps: " << error.message();
  SmallString<128> path(directory);
  llvm::sys::path::append(path, stage + ".mlir");
  std::string message;
  auto file = openOutputFile(path, &message);
  if (!file)
    return module.emitError() << "cannot dump the module: " << message;
  module.print(file->os());
  file->os() << "\n";
  file->keep();
  return success();
}

namespace {
struct SaveModuleOpPass : sdy::impl::SaveModuleOpPassBase<SaveModuleOpPass> {
  using SaveModuleOpPassBase::SaveModuleOpPassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(
            verifyOptionsGiven(*this, getOperation(), moduleDumpDirectory)) ||
        failed(dumpModule(getOperation(), moduleDumpDirectory, fileName)))
      signalPassFailure();
  }
};
} // namespace
