//===- Normalize.h - Normalisation of linalg ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of linalg ops that keep `fuse.name` and `fuse.schedule`. MLIR's own
// rewrites drop these attributes. If several ops replace an op named `x`, they
// are named `x.0`, `x.1`, ... in the order of their execution.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Replaces `op` by a linalg.generic, and returns the linalg.generic. Returns
/// `op` itself if `op` is already a linalg.generic.
FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                        linalg::LinalgOp op);

/// Replaces an op that linalg can decompose (`linalg.softmax`) by simpler ops.
LogicalResult decompose(RewriterBase &rewriter, Operation *op);

/// Removes the reduction loops of extent 1. Returns the op that replaces `op`,
/// or `op` itself if it has no such loops.
FailureOr<linalg::LinalgOp> dropUnitReductions(RewriterBase &rewriter,
                                               linalg::LinalgOp op);

/// Returns `schedule` without the loops for which `dropped` is true, and
/// without loops that are made only from these loops. Returns null if the
/// schedule becomes empty.
ScheduleAttr dropLoops(ScheduleAttr schedule, ArrayRef<bool> dropped);

/// If `copy` copies a tensor by an indexing map that is not a permutation (for
/// example, by a reverse), lets the readers of `copy` read the original tensor.
void foldCopy(RewriterBase &rewriter, linalg::GenericOp copy);

/// Normalizes all ops in `root`: decomposes ops, drops reductions of extent 1,
/// folds copies into indexing maps, and replaces the sizes of results
/// (`tensor.dim`) by the sizes of the corresponding init operands.
LogicalResult normalize(RewriterBase &rewriter, Operation *root);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H
