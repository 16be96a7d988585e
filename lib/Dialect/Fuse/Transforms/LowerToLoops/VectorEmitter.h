//===- VectorEmitter.h - Statements on vectors ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a loop of type `vectorize`, no loop is emitted: its statements use
// vectors with one lane for each iteration. Values that are the same in all
// lanes stay scalars as long as possible. These functions may only be used
// while NestContext::lanes is set.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTOREMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTOREMITTER_H

#include "NestBounds.h"

namespace mlir::fuse {

class VectorEmitter {
public:
  VectorEmitter(NestContext &context, const NestBounds &bounds)
      : index(context.index), b(context.b), lanes(context.lanes),
        bounds(bounds) {}

  /// Returns `value` if it is a vector. Otherwise, creates a vector with
  /// `value` in all lanes.
  Value toVector(Value value);
  /// Creates the mask of the lanes in which `statement` is executed. Returns
  /// null if it is executed in all lanes.
  Value createMask(const Statement &statement);
  /// Creates the value of `expr`: a scalar if `expr` is equal in all lanes,
  /// otherwise a vector.
  Value createIndex(AffineExpr expr);

  Value createLoad(const Statement &statement, Value memref,
                   ArrayRef<AffineExpr> indices);
  void createStore(const Statement &statement, Value value, Value memref,
                   ArrayRef<AffineExpr> indices);

  /// Clones `op`, which is elementwise, such that its operands and results are
  /// vectors.
  Operation *clone(Operation *op, IRMapping &mapping);
  /// Combines the lanes of `value` that are set in `mask` into a scalar.
  /// Combines the upper half of the lanes with the lower half until one lane
  /// remains, so that the order of the combinations is fixed.
  Value reduce(Operation *combiner, Value value, Value mask);

private:
  Value createScatteredLoad(VectorType type, Value memref,
                            ArrayRef<AffineExpr> indices, Value mask);
  void createScatteredStore(Value value, Value memref,
                            ArrayRef<AffineExpr> indices, Value mask);
  SmallVector<AffineExpr> getIndicesOf(int64_t lane,
                                       ArrayRef<AffineExpr> indices) const;

  IndexBuilder &index;
  ImplicitLocOpBuilder &b;
  const VectorLanes &lanes;
  const NestBounds &bounds;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_VECTOREMITTER_H
