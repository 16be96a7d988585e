//===- InputCaches.h - Shared reads of an input -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// Returns whether `op` has exactly one iteration for each element of
/// `operand`.
bool goesOver(linalg::LinalgOp op, OpOperand &operand);

/// Inserts a copy op, `<name>.cache`, between an input and its readers, if
/// several readers read all elements of the input and the copy reduces the
/// moved bytes according to the cost model. Returns the inserted ops.
SmallVector<linalg::GenericOp> addUsefulCaches(FusionOp fusion);
/// Lets the readers of `cache` read the input itself, and erases `cache`.
void removeCache(linalg::GenericOp cache);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_INPUTCACHES_H
