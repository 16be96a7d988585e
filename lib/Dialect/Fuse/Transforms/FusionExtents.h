//===- FusionExtents.h - Sizes of the loops of a fusion ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a fusion.
// Out: the extent of each dimension of its tensors and of each loop of its
// linalg ops: a constant, or one symbol for each set of sizes that are known to
// be equal.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

class FusionExtents {
public:
  /// Symbols are appended to `symbols` at the first query.
  FusionExtents(FusionOp fusion,
                SmallVectorImpl<FusionSchedule::Symbol> &symbols);

  AffineExpr getDim(Value tensor, unsigned dim);
  /// Null if nothing determines the number of iterations of the loop.
  AffineExpr getLoop(linalg::LinalgOp op, unsigned loop);
  /// Sets the extent of a dimension whose size is not constant.
  void setDim(Value tensor, unsigned dim, AffineExpr extent);

private:
  /// Sets of equal sizes. The least member of a set is the first one in the
  /// program, and represents the set.
  struct Node {
    unsigned parent;
    /// Null for loops.
    Value value;
    unsigned dim = 0;
    std::optional<int64_t> constant;
    /// Set by the first query.
    AffineExpr extent;
  };

  unsigned addNode(Value value, unsigned dim);
  void addTensor(Value tensor);
  void addOp(linalg::LinalgOp op);
  void addView(Operation *view);
  unsigned find(unsigned node);
  void unite(unsigned a, unsigned b);
  void uniteSizes(Value empty, ArrayRef<OpFoldResult> sizes);
  AffineExpr get(unsigned node);

  MLIRContext *context;
  SmallVectorImpl<FusionSchedule::Symbol> &symbols;
  std::vector<Node> nodes;
  /// The first node of the dimensions of a tensor, or of the loops of an op.
  llvm::DenseMap<Value, unsigned> tensors;
  llvm::DenseMap<Operation *, unsigned> loops;
  /// A dimension whose size is a scalar.
  llvm::DenseMap<Value, unsigned> scalars;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H
