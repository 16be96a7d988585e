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

/// Sets the module's `ipu.target`. A preset, if it is not empty, replaces the
/// target of the module. `constants` change the preset, the target of the
/// module, or the default target. Attributes about the memory on another target
/// are removed. Emits an error and fails if there is no such target.
LogicalResult setTarget(ModuleOp module, StringRef preset,
                        ArrayRef<std::pair<std::string, int64_t>> constants);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_MODULETARGET_H
