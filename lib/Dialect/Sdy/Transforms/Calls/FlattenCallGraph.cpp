//===- FlattenCallGraph.cpp - Separate functions for calls ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: functions that several calls share. Out: each call of a private function
// has a separate function, so that it can be sharded separately. The first call
// calls the original function. The other calls call private copies of it and of
// the functions that it calls. Each copy has the name of the copied function as
// `sdy.original_func_name`. A public function stays for external callers, and
// all its calls get copies. With `only-manual-axes`, calls share a function if
// the same axes are manual around them. Declarations do not change.
//
//===----------------------------------------------------------------------===//

#include "CallUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_FLATTENCALLGRAPHPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
class Flattener {
public:
  explicit Flattener(ModuleOp module) : calls(module), symbols(module) {}

  const FunctionCalls &getCalls() const { return calls; }
  bool hasChanged() const { return changed; }

  /// A function for each call.
  void flatten() {
    llvm::SmallPtrSet<Operation *, 8> used;
    for (FunctionOpInterface function : calls.getPostOrder())
      for (CallOpInterface call : calls.getCallsIn(function)) {
        FunctionOpInterface callee = calls.getCallee(call);
        if (callee.isExternal() ||
            (!callee.isPublic() && used.insert(callee).second))
          continue;
        setCallee(call, copyCallTree(callee, symbols));
        changed = true;
      }
  }

  /// A function for all calls within the same manual axes.
  void separateManualAxes();

private:
  FunctionCalls calls;
  SymbolTable symbols;
  bool changed = false;
};
} // namespace

void Flattener::separateManualAxes() {
  // The function that stands for another one (itself, or what it is a copy of)
  // within manual axes.
  llvm::DenseMap<std::pair<Operation *, Attribute>, FunctionOpInterface> chosen;
  llvm::DenseMap<Operation *, FunctionOpInterface> originals;
  struct Item {
    FunctionOpInterface function;
    ArrayAttr manualAxes;
  };
  SmallVector<Item> queue;
  auto choose = [&](FunctionOpInterface original, FunctionOpInterface function,
                    ArrayAttr manualAxes) {
    originals[function] = original;
    chosen[{original, manualAxes}] = function;
    queue.push_back({function, manualAxes});
    return function;
  };
  auto getFree = [&](FunctionOpInterface original) {
    if (!originals.contains(original))
      return original;
    changed = true;
    return copyFunction(original, symbols);
  };
  for (FunctionOpInterface function : calls.getFunctions())
    if (function.isPublic() || calls.getCallsOf(function).empty())
      choose(function, function, ArrayAttr::get(function->getContext(), {}));
  // Items are added meanwhile.
  for (size_t next = 0; next < queue.size();) {
    Item item = queue[next++];
    item.function->walk([&](CallOpInterface call) {
      FunctionOpInterface callee = lookupCallee(call, symbols);
      if (!callee || callee.isExternal())
        return;
      FunctionOpInterface original = originals.lookup(callee);
      original = original ? original : callee;
      ArrayAttr manualAxes = getManualAxesAround(call, item.manualAxes);
      FunctionOpInterface target = chosen.lookup({original, manualAxes});
      if (!target)
        target = choose(original, getFree(original), manualAxes);
      if (target != callee)
        setCallee(call, target);
    });
  }
}

namespace {
struct FlattenCallGraphPass
    : sdy::impl::FlattenCallGraphPassBase<FlattenCallGraphPass> {
  using FlattenCallGraphPassBase::FlattenCallGraphPassBase;
  void runOnOperation() override {
    Flattener flattener(getOperation());
    const FunctionCalls &calls = flattener.getCalls();
    if (failed(onlyManualAxes ? calls.verifyNoRecursion()
                              : verifyExpandable(calls)))
      return signalPassFailure();
    if (onlyManualAxes)
      flattener.separateManualAxes();
    else
      flattener.flatten();
    if (!flattener.hasChanged())
      markAllAnalysesPreserved();
  }
};
} // namespace
