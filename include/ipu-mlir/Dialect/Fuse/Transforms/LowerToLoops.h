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
  /// `affine` loops and accesses, else `scf` and `memref`. A fusion that is not
  /// at the top of its function and has sizes known only at run time gets `scf`
  /// in any case.
  bool affine = true;
  /// Split loops where the last full tile ends, so that inner loops have
  /// constant trip counts before that.
  bool peel = true;
  /// Arguments of functions will have the identity layout. Otherwise they will
  /// have any, as one-shot-bufferize gives them by default: they are read where
  /// they are, though not as vectors.
  bool identityLayout = false;
};

/// Replaces the fusion by its loop nest. Fails with a diagnostic, at the fusion
/// or at the op concerned, if the schedule is not legal or a loop cannot run as
/// its type says; the IR is then not to be used.
LogicalResult lowerToLoops(FusionOp op,
                           const LowerToLoopsOptions &options = {});

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_H
