//===- GradientOps.h - Ops that compute gradients ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns the ops in the blocks of `roots` that depend on an op of `roots`.
/// These ops compute gradients, because the computation of gradients starts
/// from the loss scale. An op with regions also depends on the operands of the
/// ops in its regions.
llvm::DenseSet<Operation *> getGradientOps(ArrayRef<LossScaleOp> roots);

/// Returns whether `op` is a matrix product or a convolution.
bool isContraction(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_GRADIENTOPS_H
