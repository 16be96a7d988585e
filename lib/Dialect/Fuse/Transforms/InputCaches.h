//===- InputCaches.h - Shared passes over an input --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// Returns whether the op has exactly one iteration for each element of the
/// operand.
bool goesOver(linalg::LinalgOp op, OpOperand &operand);

/// Inserts an op, `<name>.cache`, between an input and its readers if several
/// readers read all of it and the cost model says that the op reduces the moved
/// bytes.
SmallVector<linalg::GenericOp> addUsefulCaches(FusionOp fusion);
/// Lets the readers of a cache read the input itself, and removes the cache.
void removeCache(linalg::GenericOp cache);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
