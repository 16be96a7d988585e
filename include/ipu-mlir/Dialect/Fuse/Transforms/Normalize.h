//===- Normalize.h - Normalisation of linalg ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of linalg ops that keep `fuse.name` and `fuse.schedule`, which
// upstream's rewrites drop. The ops that replace one op named `x` are named
// `x.0`, `x.1`, ... in the order of their execution.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Returns the op as a linalg.generic; the op itself if it already is one.
FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                        linalg::LinalgOp op);

/// Replaces an op that linalg can decompose (`linalg.softmax`) by simpler ops.
LogicalResult decompose(RewriterBase &rewriter, Operation *op);

/// Removes the reduction loops of extent 1. Returns the op that replaces `op`,
/// or `op` itself if it has no such loops.
FailureOr<linalg::LinalgOp> dropUnitReductions(RewriterBase &rewriter,
                                               linalg::LinalgOp op);

/// Returns the schedule of an op without the loops that are set in `dropped`,
/// and without loops that are made only from them. Returns null if the schedule
/// becomes empty.
ScheduleAttr dropLoops(ScheduleAttr schedule, ArrayRef<bool> dropped);

/// Lets the readers of a copy read the original, if the indexing map of the
/// copy is more than a permutation, such as a reverse.
void foldCopy(RewriterBase &rewriter, linalg::GenericOp copy);

/// In all of `root`: decomposes ops, drops unit reductions, folds copies into
/// indexing maps, and takes sizes of results from the initial tensors.
LogicalResult normalize(RewriterBase &rewriter, Operation *root);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_NORMALIZE_H
