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

/// Discardable attributes of functions, after Shardy's: the name of the
/// function that one is a copy of, and the axes that are manual around it.
constexpr StringLiteral kOriginalFuncNameAttrName = "sdy.original_func_name";
constexpr StringLiteral kFuncManualAxesAttrName = "sdy.func_manual_axes";

/// Fails if functions call themselves, or if each call cannot have its callee
/// to itself: copies would be too many or too deep in each other.
LogicalResult verifyExpandable(const FunctionCalls &functionCalls);

void setCallee(CallOpInterface call, FunctionOpInterface callee);

/// A private copy of the function, which knows what it is a copy of.
FunctionOpInterface copyFunction(FunctionOpInterface function,
                                 SymbolTable &symbols);
/// One that calls copies. Those of callees come first.
FunctionOpInterface copyCallTree(FunctionOpInterface function,
                                 SymbolTable &symbols);

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

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_CALLUTILS_H
