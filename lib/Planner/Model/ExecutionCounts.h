//===- ExecutionCounts.h - Numbers of executions ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often regions and functions of a program are executed, as far as this is
// known. The numbers are limited, so that their products and sums do not
// overflow.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_MODEL_EXECUTIONCOUNTS_H
#define IPU_MLIR_LIB_PLANNER_MODEL_EXECUTIONCOUNTS_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu {

/// Returns the number of executions of the regions of `op` if `op` is executed
/// `times` times. A loop whose trip count is not known counts once.
int64_t getTimesIn(Operation *op, int64_t times);

/// Returns the function that `call` calls if it has no arguments and results,
/// so that values are passed only in variables. Otherwise returns null.
func::FuncOp getJoinedCallee(CallOpInterface call, const FunctionCalls &calls);

/// Returns the number of executions of `function`, which is executed once, and
/// of the functions that it calls, directly or through other functions, and
/// that have no arguments and results. Functions of a recursion may be missing.
DenseMap<Operation *, int64_t> countExecutions(func::FuncOp function,
                                               const FunctionCalls &calls);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_MODEL_EXECUTIONCOUNTS_H
