//===- ipu-run.cpp - Runs a model on the simulated device -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Invocation.h"
#include "Progress.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include <csignal>
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

#ifdef IPU_BUILD_TESTS
namespace mlir::ipu::test {
void registerTestContracts();
} // namespace mlir::ipu::test
#endif

static Status runInvocation(const Options &options) {
  DialectRegistry registry;
  registerDialects(registry);
  // The registry of all passes is built only for those who name passes.
  if (!options.pipeline.empty()) {
    mlir::registerAllPasses();
    ipu::registerAllPasses();
    ipu::registerAllPipelines();
#ifdef IPU_BUILD_TESTS
    ipu::test::registerTestContracts();
#endif
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

/// Lets memory that one variable leaves be used for the next one. Memory that
/// goes back to the system comes again page by page, which takes more time than
/// what is computed in it.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitOnPipe=*/false);
  keepFreedMemory();
  // A closed pipe is then an error of the stream, which is told below.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that gets larger than the limit.
  std::signal(SIGXFSZ, SIG_IGN);

  FailureOr<Options> options = readCommandLine(argc, argv);
  Status status =
      succeeded(options) ? runInvocation(*options) : Status::BadUsage;

  Progress::get().clear();
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    std::error_code code = llvm::outs().error();
    llvm::outs().clear_error();
    status = report(Status::BadUsage, "standard output: " + code.message());
  }
  return static_cast<int>(status);
}
