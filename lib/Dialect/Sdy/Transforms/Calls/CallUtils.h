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

/// Names of discardable attributes of functions that are copies, as in Shardy:
/// the name of the function from which the copy was made, and the manual axes
/// around the call of the copy.
constexpr StringLiteral kOriginalFuncNameAttrName = "sdy.original_func_name";
constexpr StringLiteral kFuncManualAxesAttrName = "sdy.func_manual_axes";

/// Checks that each call can get its own copy of the callee. Fails if there are
/// recursive calls, if there would be too many copies, or if calls would be
/// nested too deeply.
LogicalResult verifyExpandable(const FunctionCalls &functionCalls);

void setCallee(CallOpInterface call, FunctionOpInterface callee);

/// Creates a private copy of `function`. The attribute `sdy.original_func_name`
/// of the copy is the name of the original function.
FunctionOpInterface copyFunction(FunctionOpInterface function,
                                 SymbolTable &symbols);
/// Creates a private copy of `function` and, recursively, a separate copy of
/// the callee of each call in it. The copies of callees are created before the
/// copies of their callers. Returns the copy of `function`.
FunctionOpInterface copyCallTree(FunctionOpInterface function,
                                 SymbolTable &symbols);

StringAttr getOriginalName(FunctionOpInterface function);

/// Returns the names of the manual axes around `op` in its function and of the
/// axes in `outer`, in alphabetical order. `outer` may be null.
ArrayAttr getManualAxesAround(Operation *op, ArrayAttr outer);

/// Returns the terminator of `function` if the function has one block and the
/// terminator returns its operands. Otherwise, returns null.
Operation *getReturn(FunctionOpInterface function);

/// Returns the shardings of values of `types`. Values for which `getSharding`
/// returns null are open. Returns null if `getSharding` returns null for all
/// values.
TensorShardingPerValueAttr
collectShardings(TypeRange types,
                 function_ref<TensorShardingAttr(unsigned)> getSharding);
TensorShardingPerValueAttr getArgShardings(FunctionOpInterface function);
TensorShardingPerValueAttr getResultShardings(FunctionOpInterface function);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CALLS_CALLUTILS_H
