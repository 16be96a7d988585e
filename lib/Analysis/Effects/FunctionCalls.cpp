//===- FunctionCalls.cpp - Functions and their callers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ipu;

static bool hasTypesOf(CallOpInterface call, FunctionOpInterface function) {
  return llvm::equal(call.getArgOperands().getTypes(),
                     function.getArgumentTypes()) &&
         llvm::equal(call->getResultTypes(), function.getResultTypes());
}

FunctionOpInterface mlir::ipu::lookupCallee(CallOpInterface call,
                                            SymbolTable &symbols) {
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol || !symbol.getNestedReferences().empty())
    return {};
  auto function =
      symbols.lookup<FunctionOpInterface>(symbol.getRootReference());
  return function && hasTypesOf(call, function) ? function
                                                : FunctionOpInterface();
}

FunctionOpInterface mlir::ipu::getMainFunction(ModuleOp module) {
  FunctionOpInterface only;
  unsigned count = 0;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (SymbolTable::getSymbolName(function).getValue() == "main")
      return function;
    ++count;
    only = function;
  }
  return count == 1 ? only : FunctionOpInterface();
}

llvm::SetVector<Operation *>
mlir::ipu::getReachedFunctions(ModuleOp module,
                               ArrayRef<FunctionOpInterface> roots) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> reached;
  for (FunctionOpInterface root : roots)
    reached.insert(root);
  // Grows while it is walked.
  for (size_t i = 0; i < reached.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(reached[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (auto function = symbols.lookup<FunctionOpInterface>(
                use.getSymbolRef().getRootReference()))
          reached.insert(function);
  return reached;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

FunctionCalls::FunctionCalls(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    functions.push_back(function);
    function->walk([&](CallOpInterface call) {
      FunctionOpInterface callee = lookupCallee(call, symbols);
      if (!callee)
        return;
      callees[call] = callee;
      callsIn[function].push_back(call);
      callsOf[callee].push_back(call);
    });
  }
}

ArrayRef<CallOpInterface>
FunctionCalls::getCallsIn(FunctionOpInterface function) const {
  auto it = callsIn.find(function);
  return it == callsIn.end() ? ArrayRef<CallOpInterface>() : it->second;
}

ArrayRef<CallOpInterface>
FunctionCalls::getCallsOf(FunctionOpInterface function) const {
  auto it = callsOf.find(function);
  return it == callsOf.end() ? ArrayRef<CallOpInterface>() : it->second;
}

namespace {
/// A function that is being visited, and how many of its calls are done.
struct Frame {
  FunctionOpInterface function;
  unsigned numDone = 0;
};
} // namespace

void FunctionCalls::visit(VisitFn enter, VisitFn leave) const {
  llvm::SmallPtrSet<Operation *, 8> seen;
  // Calls may nest deeper than the stack of the process allows.
  SmallVector<Frame> stack;
  auto push = [&](FunctionOpInterface function) {
    if (!seen.insert(function).second)
      return;
    enter(function);
    stack.push_back({function});
  };
  auto visitFrom = [&](FunctionOpInterface root) {
    push(root);
    while (!stack.empty()) {
      Frame &frame = stack.back();
      ArrayRef<CallOpInterface> calls = getCallsIn(frame.function);
      if (frame.numDone < calls.size()) {
        push(getCallee(calls[frame.numDone++]));
        continue;
      }
      leave(frame.function);
      stack.pop_back();
    }
  };
  for (FunctionOpInterface function : functions)
    if (getCallsOf(function).empty())
      visitFrom(function);
  // Recursions without callers.
  llvm::for_each(functions, visitFrom);
}

SmallVector<FunctionOpInterface> FunctionCalls::getPreOrder() const {
  SmallVector<FunctionOpInterface> order;
  visit([&](FunctionOpInterface function) { order.push_back(function); },
        [](FunctionOpInterface) {});
  return order;
}

SmallVector<FunctionOpInterface> FunctionCalls::getPostOrder() const {
  SmallVector<FunctionOpInterface> order;
  visit([](FunctionOpInterface) {},
        [&](FunctionOpInterface function) { order.push_back(function); });
  return order;
}

LogicalResult FunctionCalls::verifyNoRecursion() const {
  // After all that it calls, unless it is called by that.
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [i, function] : llvm::enumerate(getPostOrder()))
    position[function] = i;
  auto leadsBack = [&](CallOpInterface call, FunctionOpInterface caller) {
    return position.lookup(getCallee(call)) >= position.lookup(caller);
  };
  for (FunctionOpInterface last : functions)
    for (CallOpInterface back : getCallsIn(last)) {
      if (!leadsBack(back, last))
        continue;
      // From the callee there is a way to the caller: the shortest one.
      FunctionOpInterface first = getCallee(back);
      llvm::DenseMap<Operation *, CallOpInterface> reachedBy;
      SmallVector<FunctionOpInterface> queue{first};
      for (unsigned i = 0; i < queue.size() && !reachedBy.contains(last); ++i)
        for (CallOpInterface call : getCallsIn(queue[i]))
          if (getCallee(call) != first &&
              reachedBy.try_emplace(getCallee(call), call).second)
            queue.push_back(getCallee(call));
      InFlightDiagnostic diagnostic =
          back->emitOpError()
          << "expects no recursion, but this call is part of a recursion of @"
          << SymbolTable::getSymbolName(first).getValue();
      SmallVector<CallOpInterface> path;
      for (FunctionOpInterface at = last; at != first;) {
        path.push_back(reachedBy.lookup(at));
        at = path.back()->getParentOfType<FunctionOpInterface>();
      }
      for (CallOpInterface call : llvm::reverse(path))
        diagnostic.attachNote(call.getLoc())
            << "@" << SymbolTable::getSymbolName(getCallee(call)).getValue()
            << " is called here";
      return diagnostic;
    }
  return success();
}
