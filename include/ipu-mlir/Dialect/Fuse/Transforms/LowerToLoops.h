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
  /// `affine` loops and accesses; otherwise `scf` and `memref`. A fusion that
  /// is not at the top level of its function and has sizes that are only known
  /// at run time always gets `scf`.
  bool affine = true;
  /// Split loops at the end of the last full tile, so that the inner loops
  /// before it have constant trip counts.
  bool peel = true;
  /// Arguments of functions will have the identity layout. Otherwise, they may
  /// have any layout, as with the default of one-shot-bufferize. They are then
  /// read without a copy, but not as vectors.
  bool identityLayout = false;
};

/// Replaces the fusion by its loop nest. Fails, with a diagnostic at the fusion
/// or at an op, if the schedule is not legal or if a loop cannot run as its
/// type says. After a failure, the IR must not be used.
LogicalResult lowerToLoops(FusionOp op,
                           const LowerToLoopsOptions &options = {});

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_H
