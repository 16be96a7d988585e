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

/// Returns the function `name` of `module`, with which a program starts. The
/// function must be a `func.func` with a body. Otherwise, emits an error that
/// lists the functions of the module that have a body.
FailureOr<func::FuncOp> lookupEntry(ModuleOp module, StringRef name);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_ENTRY_H
