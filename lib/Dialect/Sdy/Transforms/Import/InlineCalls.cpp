//===- InlineCalls.cpp - Inlining of calls --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: a module. Out: calls of functions with a body are inlined, and private
// functions without callers are erased. Upstream's passes run only if there is
// such a call, so that a large module without calls is not verified again.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;

/// The inliner loses what is said of arguments and results.
static void warnOfShardings(FunctionOpInterface callee, CallOpInterface call) {
  auto name = StringAttr::get(callee.getContext(), sdy::kShardingAttrName);
  bool has = false;
  for (unsigned i = 0; i < callee.getNumArguments(); ++i)
    has |= static_cast<bool>(callee.getArgAttr(i, name));
  for (unsigned i = 0; i < callee.getNumResults(); ++i)
    has |= static_cast<bool>(callee.getResultAttr(i, name));
  if (!has)
    return;
  InFlightDiagnostic warning = callee.emitWarning()
                               << "shardings of the arguments and results of @"
                               << callee.getName()
                               << " are lost because its calls are inlined; "
                                  "`inline-calls=false` keeps them";
  warning.attachNote(call.getLoc()) << "called here";
}

namespace {
struct InlineCallsPass : sdy::impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;
  void runOnOperation() override {
    bool found = false;
    llvm::DenseSet<Operation *> seen;
    SymbolTableCollection symbols;
    getOperation().walk([&](CallOpInterface call) {
      found = true;
      auto callee = dyn_cast_or_null<FunctionOpInterface>(
          call.resolveCallableInTable(&symbols));
      if (callee && !callee.isExternal() && seen.insert(callee).second)
        warnOfShardings(callee, call);
    });
    if (!found) {
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
