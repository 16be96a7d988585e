//===- FuseFuzz.cpp - Random schedules of random programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each number from --seed: generates a graph of linalg ops, sends requests
// to its schedule, and checks that the loops compute the same as the ops.
// Prints the requested and accepted transforms, and the accepted share of the
// legal ones. Fails if a case fails or if that share is less than 60 %.
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::fuzz;

static llvm::cl::opt<uint64_t> count("count", llvm::cl::init(500),
                                     llvm::cl::desc("How many programs"));
static llvm::cl::opt<uint64_t> firstSeed("seed", llvm::cl::init(1),
                                         llvm::cl::desc("The first one"));
static llvm::cl::opt<uint64_t> jobs("jobs", llvm::cl::init(40),
                                    llvm::cl::desc("Programs per module"));
static llvm::cl::opt<bool>
    dump("dump", llvm::cl::desc("Print a reproducer of what fails"));
static llvm::cl::opt<uint64_t> maxFailures("max-failures", llvm::cl::init(20),
                                           llvm::cl::desc("End after so many"));

/// The least share of legal requests that is to be accepted.
static constexpr double kShare = 0.6;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void formFusions(ModuleOp module) {
  PassManager manager(module.getContext(), func::FuncOp::getOperationName());
  manager.enableVerifier(false);
  manager.addPass(createFormPass());
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(manager.run(function)))
      llvm::report_fatal_error("fuse-form fails");
}

/// What is to be printed if it crashes.
static Case *current = nullptr;

/// How many fail; none if nothing can be said.
static std::optional<uint64_t> runBatch(MLIRContext *context, uint64_t seed,
                                        uint64_t size, Statistics &statistics) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  OwningOpRef<ModuleOp> references = ModuleOp::create(UnknownLoc::get(context));
  // What crashes is not freed.
  auto &cases = *new std::vector<Case>;
  for (uint64_t i = 0; i < size; ++i) {
    llvm::PrettyStackTraceFormat trace("making program %llu",
                                       (unsigned long long)(seed + i));
    cases.emplace_back(seed + i).makeFunctions(*module, *references);
  }
  formFusions(*module);
  for (Case &one : cases) {
    llvm::PrettyStackTraceFormat trace("scheduling program %llu",
                                       (unsigned long long)one.getSeed());
    if (dump && size == 1)
      current = &one;
    one.schedule(statistics);
    if (one.hasFailed())
      one.erase();
  }
  module->getBody()->getOperations().splice(
      module->getBody()->end(), references->getBody()->getOperations());
  std::unique_ptr<Batch> batch = Batch::compile(*module);
  // It has to be found out for which one.
  if (!batch && size > 1)
    return std::nullopt;
  uint64_t failures = 0;
  for (Case &one : cases) {
    llvm::PrettyStackTraceFormat trace("running program %llu",
                                       (unsigned long long)one.getSeed());
    if (!one.hasFailed() && batch)
      one.run(*batch, statistics);
    else if (!one.hasFailed())
      one.fail("loops do not lower to LLVM");
    if (!one.hasFailed())
      continue;
    ++failures;
    llvm::outs() << "program " << one.getSeed() << ": " << one.getFailure()
                 << "\n";
    if (dump)
      llvm::outs() << one.getReproducer();
    llvm::outs().flush();
  }
  return failures;
}

/// The same, by parts if something crashes.
static uint64_t runSafely(const DialectRegistry &registry, uint64_t seed,
                          uint64_t size, Statistics &statistics) {
  const Statistics before = statistics;
  // Attributes of one module are of no use to the next.
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  std::optional<uint64_t> failures;
  llvm::CrashRecoveryContext recovery;
  bool hasEnded = recovery.RunSafely(
      [&] { failures = runBatch(context.get(), seed, size, statistics); });
  if (!hasEnded)
    (void)context.release();
  if (failures)
    return *failures;
  statistics = before;
  if (size > 1)
    return runSafely(registry, seed, size / 2, statistics) +
           runSafely(registry, seed + size / 2, size - size / 2, statistics);
  llvm::outs() << "program " << seed << ": crashes\n";
  if (current)
    llvm::outs() << current->getReproducer();
  return 1;
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

static double getShare(uint64_t part, uint64_t whole) {
  return whole == 0 ? 1 : double(part) / double(whole);
}

/// Whether enough is accepted.
static bool print(const Statistics &statistics, uint64_t failures) {
  auto &os = llvm::outs();
  Statistics::Count all;
  // utils/fuzz-compute-at adds these lines up.
  os << "request                   asked  accepted     legal      done   "
        "share\n";
  auto printCount = [&](StringRef name, const Statistics::Count &count) {
    os << llvm::left_justify(name, 23);
    for (uint64_t number :
         {count.asked, count.accepted, count.allowed, count.fulfilled})
      os << llvm::format("%8llu  ", (unsigned long long)number);
    if (count.allowed)
      os << llvm::format("%4.1f %%",
                         100 * getShare(count.fulfilled, count.allowed));
    os << "\n";
  };
  for (unsigned kind = 0; kind < Request::kNumKinds; ++kind) {
    const Statistics::Count &count = statistics.kinds[kind];
    printCount(getName(Request::Kind(kind)), count);
    all.asked += count.asked;
    all.accepted += count.accepted;
    all.allowed += count.allowed;
    all.fulfilled += count.fulfilled;
  }
  printCount("all", all);
  os << statistics.programs << " programs, " << statistics.fusions
     << " fusions, " << statistics.tensors << " tensors; "
     << statistics.refusedTypes << " refused for their loop types; "
     << statistics.exact << " compared to the bit, " << statistics.close
     << " within the error of their sums\n"
     << statistics.programs << " cases, " << failures << " failures\n";
  return getShare(all.fulfilled, all.allowed) >= kShare;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Random schedules of random linalg programs\n");
  registerAllPasses();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  ipu::registerAllDialects(registry);
  llvm::CrashRecoveryContext::Enable();
  Statistics statistics;
  uint64_t failures = 0;
  for (uint64_t done = 0; done < count && failures < maxFailures;
       done += jobs) {
    failures += runSafely(registry, firstSeed + done,
                          std::min<uint64_t>(jobs, count - done), statistics);
  }
  bool isEnough = print(statistics, failures);
  return failures || !isEnough ? 1 : 0;
}
