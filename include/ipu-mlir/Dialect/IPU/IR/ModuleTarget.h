//===- ModuleTarget.h - Target of a module ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_MODULETARGET_H
#define IPU_MLIR_DIALECT_IPU_IR_MODULETARGET_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu {

/// The preset of a module that names no target.
constexpr StringLiteral kDefaultPreset = "gc200";

/// Sets the module's `ipu.target`: a named preset, unless it is empty, replaces
/// the module's, and `constants` change the named one, the module's, or the
/// default. What is known of the memory on another target goes away. Emits an
/// error and fails if there is no such target.
LogicalResult setTarget(ModuleOp module, StringRef preset,
                        ArrayRef<std::pair<std::string, int64_t>> constants);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_MODULETARGET_H
