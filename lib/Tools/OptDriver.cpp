//===- OptDriver.cpp - Driver of passes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/OptDriver.h"

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/InitAll.h"
#include "ipu-mlir/Support/EscapeControls.h"
#include "ipu-mlir/Support/InputFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::ipu;

static void registerAll(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::registerAllPasses();
  ipu::registerAllDialects(registry);
  ipu::registerAllPasses();
  ipu::registerAllPipelines();
}

/// Returns the configuration from MLIR's options, and adds checks of contracts.
/// The contract of the pipeline is always checked. With `verifyContracts`, the
/// effects of passes are checked, too. Diagnostics of passes are plain text.
static MlirOptMainConfig makeConfig(bool verifyContracts) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn(
      [plain = config, verifyContracts](PassManager &manager) {
        escapeDiagnostics(manager.getContext());
        if (failed(plain.setupPassPipeline(manager)) ||
            failed(pop::verifyPipelineContracts(
                manager, UnknownLoc::get(manager.getContext()))))
          return failure();
        if (verifyContracts)
          pop::addContractInstrumentation(manager);
        return success();
      });
  return config;
}

/// MLIR's function would wait for a writer of a pipe without an end.
static std::unique_ptr<llvm::MemoryBuffer> openInput(StringRef name,
                                                     std::string &error) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(name, status) ||
      status.type() != llvm::sys::fs::file_type::fifo_file)
    return openInputFile(name, &error);
  auto input = ipu::readInputFile(name, /*isText=*/true);
  if (input)
    return std::move(*input);
  error = ("cannot open input file '" + name +
           "': " + llvm::toString(input.takeError()))
              .str();
  return nullptr;
}

static LogicalResult run(const MlirOptMainConfig &config, StringRef inputName,
                         StringRef outputName, DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInput(inputName, error);
  if (!input) {
    llvm::errs() << error << "\n";
    return failure();
  }
  // Opening the output erases a file that the input may still map.
  if (llvm::sys::fs::is_regular_file(outputName) &&
      llvm::sys::fs::equivalent(inputName, outputName)) {
    llvm::errs() << "expects an output file other than the input file '"
                 << inputName << "'\n";
    return failure();
  }
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int tools::runOptDriver(int argc, char **argv,
                        function_ref<void(DialectRegistry &)> registerMore) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerAll(registry);
  registerMore(registry);
  llvm::cl::opt<bool> verifyContracts(
      "verify-contracts",
      llvm::cl::desc("Check the contract of each pass on a module before and "
                     "after the pass; for a pass that runs nested passes, "
                     "check their combined contract"));
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "ipu-mlir optimizer driver\n", registry);
  MlirOptMainConfig config = makeConfig(verifyContracts);
  // These options read no file.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputName, outputName, registry));
  return asMainReturnCode(run(config, inputName, outputName, registry));
}
