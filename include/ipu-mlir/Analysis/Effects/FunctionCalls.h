//===- FunctionCalls.h - Functions and their callers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_EFFECTS_FUNCTIONCALLS_H
#define IPU_MLIR_ANALYSIS_EFFECTS_FUNCTIONCALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {

/// The functions of a module and the direct calls in them, at the time of
/// construction. A call has no callee if it names no function of the module
/// whose type fits the call.
class FunctionCalls {
public:
  explicit FunctionCalls(ModuleOp module);

  /// In the order of the module.
  ArrayRef<FunctionOpInterface> getFunctions() const { return functions; }
  /// Null if the call has no callee. The callee may be a declaration.
  FunctionOpInterface getCallee(CallOpInterface call) const {
    return callees.lookup(call);
  }
  /// In the order of the program, without calls that have no callee.
  ArrayRef<CallOpInterface> getCallsIn(FunctionOpInterface function) const;
  ArrayRef<CallOpInterface> getCallsOf(FunctionOpInterface function) const;

  /// Callers before (after) their callees, in a depth-first traversal.
  SmallVector<FunctionOpInterface> getPreOrder() const;
  SmallVector<FunctionOpInterface> getPostOrder() const;

  /// Fails at a call that leads back to its own function.
  LogicalResult verifyNoRecursion() const;

private:
  using VisitFn = function_ref<void(FunctionOpInterface)>;
  void visit(VisitFn enter, VisitFn leave) const;

  SmallVector<FunctionOpInterface> functions;
  llvm::DenseMap<Operation *, FunctionOpInterface> callees;
  llvm::DenseMap<Operation *, SmallVector<CallOpInterface, 1>> callsIn, callsOf;
};

/// The function `main`, or the only function. Null if neither exists.
FunctionOpInterface getMainFunction(ModuleOp module);

/// `roots`, and the functions of `module` that `roots` use by their symbols,
/// directly or through other functions: in calls, loads of code and other uses.
llvm::SetVector<Operation *>
getReachedFunctions(ModuleOp module, ArrayRef<FunctionOpInterface> roots);

/// The function of the module that `call` names; null if there is no such
/// function.
FunctionOpInterface lookupCallee(CallOpInterface call, SymbolTable &symbols);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_FUNCTIONCALLS_H
