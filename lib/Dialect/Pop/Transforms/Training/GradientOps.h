//===- GradientOps.h - Ops that compute gradients ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns the ops in the blocks of `roots` that depend on any of these roots.
/// They compute gradients, which start from the loss scale. An op also depends
/// on the operands of the ops in its regions.
llvm::DenseSet<Operation *> getGradientOps(ArrayRef<LossScaleOp> roots);

/// Returns whether `op` is a matrix product or a convolution.
bool isContraction(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
