//===- InputCaches.h - Shared passes over an input --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// Whether the op has an iteration for each element of the operand, and no
/// other.
bool goesOver(linalg::LinalgOp op, OpOperand &operand);

/// Puts an op, `<name>.cache`, between an input and its readers wherever
/// several of these go over all of it and the cost model says that less is
/// moved then.
SmallVector<linalg::GenericOp> addUsefulCaches(FusionOp fusion);
/// Lets its readers read the input itself.
void removeCache(linalg::GenericOp cache);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
