//===- ipu-run.cpp - Runs of models on the device -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Invocation.h"
#include "ToolSetup.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

static Status runInvocation(const Options &options) {
  DialectRegistry registry;
  registerDialects(registry);
  ipu::registerAllPasses();
  // Registering upstream's passes takes time, and only --pass-pipeline needs
  // them.
  if (!options.compilation.pipeline.empty()) {
    mlir::registerAllPasses();
    ipu::registerAllPipelines();
  }
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (options.threads > 1)
    context.setThreadPool(pool);
  remark::RemarkCategories categories;
  categories.passed = categories.missed = options.remarks;
  categories.analysis = categories.failed = options.remarks;
  if (!options.remarks.empty() &&
      failed(remark::enableOptimizationRemarks(
          context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
          /*printAsEmitRemarks=*/true)))
    return Status::BadUsage;
  return Invocation(options, &context).run();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitOnPipe=*/false);
  setUpTool();
  return runTool("ipu-run", [&] {
    FailureOr<Options> options = readCommandLine(argc, argv);
    return succeeded(options) ? runInvocation(*options) : Status::BadUsage;
  });
}
