//===- NestEmitter.h - Loops and the values that they carry -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tree of loops and emits it. A value that a statement computes is
// available to later statements until the end of the loop body that contains
// the statement. An accumulator is carried by all loops between its
// initialisation and its last update.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H

#include "AccumulatorEmitter.h"
#include "TemporaryBuffers.h"

namespace mlir::fuse {

class NestEmitter {
public:
  /// `peel` states whether loops are split at the end of the last full tile.
  NestEmitter(NestContext &context, bool peel);

  /// Emits the nest. Fails, with a diagnostic, if a buffer is too large.
  LogicalResult run() { return emitBody(context.nest.body); }
  /// Returns the bodies of the loops to unroll, outer loops before inner loops.
  ArrayRef<Block *> getUnrolled() const { return unrolled; }

private:
  using Nodes = ArrayRef<const LoopNode *>;

  LogicalResult emitBody(const std::vector<LoopNode> &body);
  LogicalResult emitNodes(Nodes nodes);
  LogicalResult emitNode(const LoopNode &node);
  /// Returns the longest prefix of `nodes` that can be in one condition because
  /// all its nodes have the same bounds, and these bounds.
  std::pair<Nodes, SmallVector<IndexBound>> getRun(Nodes nodes) const;
  /// Finishes the reductions that are complete after the nodes `done` were
  /// emitted.
  LogicalResult finish(Nodes done);

  LogicalResult emitGuarded(Nodes nodes, ArrayRef<IndexBound> guards);
  LogicalResult emitLoop(const LoopNode &node);
  /// Emits the iterations from `lower` to `upper` in which at least one
  /// statement is executed.
  LogicalResult emitSegment(const LoopNode &node, AffineExpr lower,
                            AffineExpr upper);
  /// Emits a loop from `lower` to the least of `uppers`.
  LogicalResult emitIterations(const LoopNode &node, AffineExpr lower,
                               ArrayRef<AffineExpr> uppers);

  NestContext &context;
  IndexBuilder &index;
  bool peel;
  NestBounds bounds;
  VectorEmitter vectors;
  StatementEmitter statements;
  AccumulatorEmitter accumulators;
  TemporaryBuffers temporaries;

  /// The number of loop bodies and conditions around the current point.
  unsigned depth = 0;
  /// The depth at which each reduction that is not yet complete was
  /// initialised.
  llvm::DenseMap<TensorId, unsigned> initDepths;
  /// The number of times that the current node is emitted, because loops are
  /// split.
  unsigned copies = 1;
  bool isInParallelLoop = false;
  SmallVector<Block *> unrolled;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
