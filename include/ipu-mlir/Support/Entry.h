//===- Entry.h - Entry function of a module ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_ENTRY_H
#define IPU_MLIR_SUPPORT_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu {

/// Returns the function `name` of `module`, with which a program starts. If
/// there is no such `func.func` with a body, emits an error that lists the
/// existing functions.
FailureOr<func::FuncOp> lookupEntry(ModuleOp module, StringRef name);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_ENTRY_H
