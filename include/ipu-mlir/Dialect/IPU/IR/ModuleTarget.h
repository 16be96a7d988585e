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

/// The preset that is the target of modules without `ipu.target`.
constexpr StringLiteral kDefaultPreset = "gc200";

/// Sets the attribute `ipu.target` of `module`. The new target starts from
/// `preset`. If `preset` is empty, the new target starts from the existing
/// target of the module or, if there is none, from the default preset.
/// `constants` then replaces some constants of the new target. Removes the
/// memory attributes of functions, because they describe the memory on the old
/// target. Emits an error and fails if the new target is not valid.
LogicalResult setTarget(ModuleOp module, StringRef preset,
                        ArrayRef<std::pair<std::string, int64_t>> constants);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_MODULETARGET_H
