//===- GradientOps.h - Ops that compute gradients ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// The ops of the blocks of `roots` that depend on any of these: they compute
/// gradients, which start from the loss scale. What an op of the block depends
/// on includes what the ops in its regions do.
llvm::DenseSet<Operation *> getGradientOps(ArrayRef<LossScaleOp> roots);

/// Whether `op` is a matrix product or a convolution.
bool isContraction(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
