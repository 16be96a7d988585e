//===- ScalarOperations.h - Scalar operations of ops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_SCALAROPERATIONS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_SCALAROPERATIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::pop {

/// Returns the number of scalar operations of `op` and of the ops in its
/// regions, without those of called functions: a measure of their work that
/// does not depend on the device.
int64_t countOperations(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_SCALAROPERATIONS_H
