//===- RemoveDeadSymbols.cpp - Removal of functions without callers -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: a module. Out: the same module, where all private functions have callers.
// Upstream's pass runs only if there is such a function, so that a large module
// without such functions is not verified again.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVEDEADSYMBOLSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;

static bool mayBeDead(Operation &op) {
  auto symbol = dyn_cast<SymbolOpInterface>(op);
  return (symbol && !symbol.isPublic()) || op.hasTrait<OpTrait::SymbolTable>();
}

namespace {
struct RemoveDeadSymbolsPass
    : sdy::impl::RemoveDeadSymbolsPassBase<RemoveDeadSymbolsPass> {
  using RemoveDeadSymbolsPassBase::RemoveDeadSymbolsPassBase;
  void runOnOperation() override {
    if (llvm::none_of(*getOperation().getBody(), mayBeDead)) {
      markAllAnalysesPreserved();
      return;
    }
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
