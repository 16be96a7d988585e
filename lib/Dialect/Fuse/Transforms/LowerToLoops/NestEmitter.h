//===- NestEmitter.h - Loops and the values that they carry -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tree of loops. A value that a statement computes for others is
// available until the end of the body that contains the statement. All loops
// between the initialisation and the last update carry an accumulator.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H

#include "AccumulatorEmitter.h"
#include "TemporaryBuffers.h"

namespace mlir::fuse {

class NestEmitter {
public:
  /// `peel`: split loops where the last full tile ends.
  NestEmitter(NestContext &context, bool peel);

  /// Writes the nest; fails with a diagnostic if a buffer is too large.
  LogicalResult run() { return emitBody(context.nest.body); }
  /// Bodies of the loops to unroll, outer before inner.
  ArrayRef<Block *> getUnrolled() const { return unrolled; }

private:
  using Nodes = ArrayRef<const LoopNode *>;

  LogicalResult emitBody(const std::vector<LoopNode> &body);
  LogicalResult emitNodes(Nodes nodes);
  LogicalResult emitNode(const LoopNode &node);
  /// The first nodes that go under one condition: all under the same bounds.
  std::pair<Nodes, SmallVector<IndexBound>> getRun(Nodes nodes) const;
  /// Finishes the reductions that `done` completes.
  LogicalResult finish(Nodes done);

  LogicalResult emitGuarded(Nodes nodes, ArrayRef<IndexBound> guards);
  LogicalResult emitLoop(const LoopNode &node);
  /// The iterations from `lower` to `upper`, as far as they do anything.
  LogicalResult emitSegment(const LoopNode &node, AffineExpr lower,
                            AffineExpr upper);
  /// A loop from `lower` to the least of `uppers`.
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

  /// How many bodies and conditions are open.
  unsigned depth = 0;
  /// Of reductions that are not complete: the depth of their init.
  llvm::DenseMap<TensorId, unsigned> initDepths;
  /// How many times the current node is written.
  unsigned copies = 1;
  bool isInParallelLoop = false;
  SmallVector<Block *> unrolled;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTEMITTER_H
