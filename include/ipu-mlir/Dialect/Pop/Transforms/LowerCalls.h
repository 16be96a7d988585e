//===- LowerCalls.h - Calls without arguments and results -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_LOWERCALLS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_LOWERCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pop {

/// Applies pop-lower-calls to `module`. `entry` is the entry function. If
/// `entry` is null, the entry function is not checked.
LogicalResult lowerCalls(ModuleOp module, func::FuncOp entry);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_LOWERCALLS_H
