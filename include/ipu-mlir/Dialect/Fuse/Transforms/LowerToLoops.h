//===- LowerToLoops.h - Lowering of fusions to loops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementation of the pass fuse-to-loops and of transform.fuse.lower.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

struct LowerToLoopsOptions {
  /// Whether loops and accesses are `affine` ops. If not, they are `scf` and
  /// `memref` ops. If a fusion is not at the top level of its function, and has
  /// sizes that are only known at run time, it is always lowered to `scf` and
  /// `memref`.
  bool affine = true;
  /// Whether a loop is split into the iterations for which no inner loop
  /// exceeds its bound, and the other iterations. In the iterations of the
  /// first kind, the inner loops have constant trip counts.
  bool peel = true;
  /// Whether bufferization will give function arguments the identity layout. If
  /// not, arguments may have any layout, as with the default options of
  /// one-shot-bufferize. Such arguments are read without a copy, but not as
  /// vectors.
  bool identityLayout = false;
};

/// Replaces the fusion by its loop nest. Fails, with a diagnostic at the fusion
/// or at an op, if the schedule is not legal or if a loop cannot be executed as
/// its loop type requires. After a failure, the IR must not be used.
LogicalResult lowerToLoops(FusionOp op,
                           const LowerToLoopsOptions &options = {});

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_H
