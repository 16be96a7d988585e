//===- ipu-train.cpp - Training of models on the device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"
#include "Options.h"
#include "ToolSetup.h"
#include "ipu-mlir/InitAll.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

static Status runInvocation(const Options &options) {
  DialectRegistry registry;
  registerDialects(registry);
  ipu::registerAllPasses();
  ipu::registerAllPipelines();
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (options.threads > 1)
    context.setThreadPool(pool);
  return Invocation(options, &context).run();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitOnPipe=*/false);
  setUpTool();
  return runTool("ipu-train", [&] {
    FailureOr<Options> options = readCommandLine(argc, argv);
    return succeeded(options) ? runInvocation(*options) : Status::BadUsage;
  });
}
