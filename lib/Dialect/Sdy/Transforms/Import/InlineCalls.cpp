//===- InlineCalls.cpp - Inline all calls ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: calls of functions with a body inlined, functions that
// nobody can call any more removed. Upstream's passes, run where there are
// calls only, so that a large module without is not verified again.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct InlineCallsPass : sdy::impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;
  void runOnOperation() override {
    WalkResult found = getOperation().walk(
        [](CallOpInterface) { return WalkResult::interrupt(); });
    if (!found.wasInterrupted()) {
      markAllAnalysesPreserved();
      return;
    }
    OpPassManager pm(ModuleOp::getOperationName());
    // Constants stay where they are, so no canonicalizer runs in between.
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
