//===- FunctionCalls.h - Functions and who calls them -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCTIONCALLS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCTIONCALLS_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {

/// Discardable attributes of functions, after Shardy's: the name of the
/// function that one is a copy of, and the axes that are manual around it.
constexpr StringLiteral kOriginalFuncNameAttrName = "sdy.original_func_name";
constexpr StringLiteral kFuncManualAxesAttrName = "sdy.func_manual_axes";

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

  /// Callers before what they call (as far as these call it first), or behind.
  SmallVector<FunctionOpInterface> getPreOrder() const;
  SmallVector<FunctionOpInterface> getPostOrder() const;

  /// Fails at a call that leads back to its function.
  LogicalResult verifyNoRecursion() const;
  /// Fails too if each call cannot have its callee to itself: copies would be
  /// too many or too deep in each other.
  LogicalResult verifyExpandable() const;

private:
  using VisitFn = function_ref<void(FunctionOpInterface)>;
  void visit(VisitFn enter, VisitFn leave) const;

  SmallVector<FunctionOpInterface> functions;
  llvm::DenseMap<Operation *, FunctionOpInterface> callees;
  llvm::DenseMap<Operation *, SmallVector<CallOpInterface, 1>> callsIn, callsOf;
};

/// The function `main`, or the only one; null if there is none.
FunctionOpInterface getMainFunction(ModuleOp module);

/// The function of the module that `call` names; null if it is none.
FunctionOpInterface lookupCallee(CallOpInterface call, SymbolTable &symbols);
void setCallee(CallOpInterface call, FunctionOpInterface callee);

StringAttr getOriginalName(FunctionOpInterface function);

/// The names of axes that are manual around `op` within its function, in
/// alphabetical order, and those of `outer`.
ArrayAttr getManualAxesAround(Operation *op, ArrayAttr outer);

/// The terminator of a function of one block that returns its operands; null
/// for other functions.
Operation *getReturn(FunctionOpInterface function);

/// The shardings of values of these types: open where `getSharding` has none;
/// null if it has none at all.
TensorShardingPerValueAttr
collectShardings(TypeRange types,
                 function_ref<TensorShardingAttr(unsigned)> getSharding);
TensorShardingPerValueAttr getArgShardings(FunctionOpInterface function);
TensorShardingPerValueAttr getResultShardings(FunctionOpInterface function);

/// Reshards operands of calls that are not sharded as the callee expects.
/// Returns whether there are any.
bool insertCallOperandReshards(ModuleOp module);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCTIONCALLS_H
