//===- ElementwiseOps.h - Ops whose elements are independent ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ELEMENTWISEOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ELEMENTWISEOPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns whether each element that `op` computes for `shape` depends on the
/// elements of the operands at its own position, and on scalars. Results and
/// refs that are written have this shape or are scalars.
bool isElementwise(Operation *op, ArrayRef<int64_t> shape);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ELEMENTWISEOPS_H
