//===- VectorEmitter.h - Statements on vectors ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No loop is emitted for a loop marked `vectorize`: its statements use vectors
// with a lane for each iteration. Values that are the same in all lanes stay
// scalars as long as possible. These functions may only be used while
// NestContext::lanes is set.
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

  /// Returns a vector with this value in all lanes; the value itself if it
  /// already is a vector.
  Value toVector(Value value);
  /// Returns the lanes in which the statement is executed, or null for all
  /// lanes.
  Value createMask(const Statement &statement);
  /// Returns the value of `expr`: a scalar if it is the same in all lanes.
  Value createIndex(AffineExpr expr);

  Value createLoad(const Statement &statement, Value memref,
                   ArrayRef<AffineExpr> indices);
  void createStore(const Statement &statement, Value value, Value memref,
                   ArrayRef<AffineExpr> indices);

  /// Clones an elementwise op on vectors.
  Operation *clone(Operation *op, IRMapping &mapping);
  /// Combines the lanes of `value` that are in `mask` to a scalar: the upper
  /// half with the lower half until one lane remains, so that the bits are
  /// defined.
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
