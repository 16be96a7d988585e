//===- CallUtils.h - Calls, callees and their shardings ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_CALLUTILS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_CALLUTILS_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// Discardable attributes of functions, as in Shardy: the name of the original
/// function of a copy, and the manual axes around it.
constexpr StringLiteral kOriginalFuncNameAttrName = "sdy.original_func_name";
constexpr StringLiteral kFuncManualAxesAttrName = "sdy.func_manual_axes";

/// Fails for recursion, and if it is not possible to give each call its own
/// copy of the callee, because there would be too many copies or too deep
/// nesting.
LogicalResult verifyExpandable(const FunctionCalls &functionCalls);

void setCallee(CallOpInterface call, FunctionOpInterface callee);

/// Returns a private copy of the function, with the name of the original.
FunctionOpInterface copyFunction(FunctionOpInterface function,
                                 SymbolTable &symbols);
/// Returns a copy that calls copies. Copies of callees come first.
FunctionOpInterface copyCallTree(FunctionOpInterface function,
                                 SymbolTable &symbols);

StringAttr getOriginalName(FunctionOpInterface function);

/// Returns the names of the manual axes around `op` in its function, and those
/// of `outer`, in alphabetical order.
ArrayAttr getManualAxesAround(Operation *op, ArrayAttr outer);

/// Returns the terminator of a function of one block, if it returns its
/// operands, or null for other functions.
Operation *getReturn(FunctionOpInterface function);

/// Returns the shardings of values of these types. Values for which
/// `getSharding` returns null are open. Returns null if it returns null for all
/// values.
TensorShardingPerValueAttr
collectShardings(TypeRange types,
                 function_ref<TensorShardingAttr(unsigned)> getSharding);
TensorShardingPerValueAttr getArgShardings(FunctionOpInterface function);
TensorShardingPerValueAttr getResultShardings(FunctionOpInterface function);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_CALLUTILS_H
