//===- FuseTransformOps.h - Transform ops of fusions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transform.fuse.* ops, with which a transform script schedules fusions.
// See docs/fusion.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h.inc"

namespace mlir::fuse {

/// Adds the ops to the transform dialect. Does nothing if the plugin
/// (IPUMLIRPlugin) or the program that loads the plugin has already added them.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_H
