//===- NestEmitter.h - Loops and the values that they carry -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tree of loops. A value that a statement computes for others is
// available until the end of the body that contains the statement. All loops
// between the initialisation and the last update of an accumulator carry it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H

#include "AccumulatorEmitter.h"
#include "TemporaryBuffers.h"

namespace mlir::fuse {

class NestEmitter {
public:
  /// `peel`: split loops at the end of the last full tile.
  NestEmitter(NestContext &context, bool peel);

  /// Emits the nest. Fails, with a diagnostic, if a buffer is too large.
  LogicalResult run() { return emitBody(context.nest.body); }
  /// Bodies of the loops to unroll, outer loops before inner ones.
  ArrayRef<Block *> getUnrolled() const { return unrolled; }

private:
  using Nodes = ArrayRef<const LoopNode *>;

  LogicalResult emitBody(const std::vector<LoopNode> &body);
  LogicalResult emitNodes(Nodes nodes);
  LogicalResult emitNode(const LoopNode &node);
  /// Returns the first nodes that can be in one condition, because they have
  /// the same bounds.
  std::pair<Nodes, SmallVector<IndexBound>> getRun(Nodes nodes) const;
  /// Finishes the reductions that are complete after `done`.
  LogicalResult finish(Nodes done);

  LogicalResult emitGuarded(Nodes nodes, ArrayRef<IndexBound> guards);
  LogicalResult emitLoop(const LoopNode &node);
  /// Emits the iterations from `lower` to `upper` that have an effect.
  LogicalResult emitSegment(const LoopNode &node, AffineExpr lower,
                            AffineExpr upper);
  /// Returns a loop from `lower` to the least of `uppers`.
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

  /// The number of open bodies and conditions.
  unsigned depth = 0;
  /// For reductions that are not complete: the depth of their init.
  llvm::DenseMap<TensorId, unsigned> initDepths;
  /// The number of times that the current node is emitted.
  unsigned copies = 1;
  bool isInParallelLoop = false;
  SmallVector<Block *> unrolled;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
