//===- ConvertPopToIPU.cpp - Conversion of mapped pop functions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of decomposed pop functions. Their tensors have tile mappings,
// and no values are passed through calls or regions.
//
// Each op of the entry, and of the functions that it calls, is converted in
// program order.
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Support/Entry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_CONVERTPOPTOIPUPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Returns `entry` and the functions that it calls or whose code it loads,
/// directly or through other functions. `entry` is first.
static llvm::SetVector<Operation *> findFunctions(func::FuncOp entry,
                                                  const SymbolTable &symbols) {
  llvm::SetVector<Operation *> functions;
  functions.insert(entry);
  auto add = [&](StringRef name) {
    if (auto function = symbols.lookup<func::FuncOp>(name))
      functions.insert(function);
  };
  // The loop adds functions to the set.
  for (size_t next = 0; next < functions.size();)
    functions[next++]->walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        add(call.getCallee());
      if (ArrayAttr graphs = pop::getMovedGraphs(op))
        for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
          add(graph.getValue());
    });
  return functions;
}

/// Returns whether a function uses symbols that the conversion replaces.
static bool usesSymbols(func::FuncOp function) {
  return function
      .walk([](SymbolUserOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct ConvertPopToIPU : ipu::impl::ConvertPopToIPUPassBase<ConvertPopToIPU> {
  using ConvertPopToIPUPassBase::ConvertPopToIPUPassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> function = lookupEntry(getOperation(), entry);
    if (failed(function))
      return signalPassFailure();
    ProgramState state(getOperation());
    llvm::SetVector<Operation *> functions =
        findFunctions(*function, state.symbols);
    // A function that the program does not reach is erased if it uses replaced
    // symbols.
    for (auto other :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!functions.contains(other) && usesSymbols(other))
        state.symbols.erase(other);
    if (failed(convertSymbols(state)))
      return signalPassFailure();
    for (Operation *op : functions)
      if (failed(FunctionConverter(state, cast<func::FuncOp>(op))
                     .run(/*isEntry=*/op == *function)))
        return signalPassFailure();
    convertAdvances(state);
  }
};
} // namespace
