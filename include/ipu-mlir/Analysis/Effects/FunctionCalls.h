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

/// The functions of a module and the direct calls in them, as they are at the
/// time of construction. A call has a callee if it names a function of the
/// module, and the type of the function fits the call.
class FunctionCalls {
public:
  explicit FunctionCalls(ModuleOp module);

  /// Returns the functions in the order of the module.
  ArrayRef<FunctionOpInterface> getFunctions() const { return functions; }
  /// Returns the callee of `call`, or null if `call` has no callee. The callee
  /// may be a declaration.
  FunctionOpInterface getCallee(CallOpInterface call) const {
    return callees.lookup(call);
  }
  /// Return the calls in the body of `function` (getCallsIn), or the calls
  /// whose callee is `function` (getCallsOf). Both lists are in the order of
  /// the program and omit calls without a callee.
  ArrayRef<CallOpInterface> getCallsIn(FunctionOpInterface function) const;
  ArrayRef<CallOpInterface> getCallsOf(FunctionOpInterface function) const;

  /// Return the functions in the order of a depth-first traversal along calls,
  /// which starts at the functions without callers. In pre-order, a function is
  /// after the caller from which the traversal reaches it, but may be before
  /// other callers. In post-order, a function is after all its callees, except
  /// for callees that call the function directly or through other functions.
  SmallVector<FunctionOpInterface> getPreOrder() const;
  SmallVector<FunctionOpInterface> getPostOrder() const;

  /// Emits an error and fails if a function calls itself, directly or through
  /// other functions.
  LogicalResult verifyNoRecursion() const;

private:
  using VisitFn = function_ref<void(FunctionOpInterface)>;
  void visit(VisitFn enter, VisitFn leave) const;

  SmallVector<FunctionOpInterface> functions;
  llvm::DenseMap<Operation *, FunctionOpInterface> callees;
  llvm::DenseMap<Operation *, SmallVector<CallOpInterface, 1>> callsIn, callsOf;
};

/// Returns the function `main`. If there is no `main`, returns the only
/// function of the module, or null if the module has no function or several
/// functions.
FunctionOpInterface getMainFunction(ModuleOp module);

/// Returns `roots` and the functions of `module` that are used by `roots`,
/// directly or through other functions. Uses are calls, loads of code and all
/// other uses of symbols.
llvm::SetVector<Operation *>
getReachedFunctions(ModuleOp module, ArrayRef<FunctionOpInterface> roots);

/// Returns the function of the module that `call` names, or null if there is no
/// such function.
FunctionOpInterface lookupCallee(CallOpInterface call, SymbolTable &symbols);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_FUNCTIONCALLS_H
