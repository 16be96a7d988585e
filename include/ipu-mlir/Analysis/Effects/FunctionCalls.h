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

/// The functions of a module and the direct calls in them, as they were when
/// this was made. Calls of what is not a function of the module with the types
/// of the call have no callee.
class FunctionCalls {
public:
  explicit FunctionCalls(ModuleOp module);

  /// In the order of the module.
  ArrayRef<FunctionOpInterface> getFunctions() const { return functions; }
  /// Null if there is none; may be a declaration.
  FunctionOpInterface getCallee(CallOpInterface call) const {
    return callees.lookup(call);
  }
  /// In the order of the program. Calls without callee are left out.
  ArrayRef<CallOpInterface> getCallsIn(FunctionOpInterface function) const;
  ArrayRef<CallOpInterface> getCallsOf(FunctionOpInterface function) const;

  /// Callers before what they call (as far as these call it first), or after.
  SmallVector<FunctionOpInterface> getPreOrder() const;
  SmallVector<FunctionOpInterface> getPostOrder() const;

  /// Fails at a call that leads back to its function.
  LogicalResult verifyNoRecursion() const;

private:
  using VisitFn = function_ref<void(FunctionOpInterface)>;
  void visit(VisitFn enter, VisitFn leave) const;

  SmallVector<FunctionOpInterface> functions;
  llvm::DenseMap<Operation *, FunctionOpInterface> callees;
  llvm::DenseMap<Operation *, SmallVector<CallOpInterface, 1>> callsIn, callsOf;
};

/// The function `main`, or the only one; null if there is none.
FunctionOpInterface getMainFunction(ModuleOp module);

/// `roots`, and the functions of `module` that they or functions among these
/// use by their symbols: in calls, loads of code and otherwise.
llvm::SetVector<Operation *>
getReachedFunctions(ModuleOp module, ArrayRef<FunctionOpInterface> roots);

/// The function of the module that `call` names; null if it is none.
FunctionOpInterface lookupCallee(CallOpInterface call, SymbolTable &symbols);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_FUNCTIONCALLS_H
