//===- FusionExtents.h - Sizes of the loops of a fusion ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the ops of a fusion.
// Output: the extents of the dimensions of its tensors and of the loops of its
// linalg ops. An extent is a constant, or a symbol that stands for all sizes
// that are known to be equal.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

class FusionExtents {
public:
  /// Finds the sizes of `fusion` that are known to be equal. The first query of
  /// an extent that is not constant appends its symbol to `symbols`.
  FusionExtents(FusionOp fusion,
                SmallVectorImpl<FusionSchedule::Symbol> &symbols);

  AffineExpr getDim(Value tensor, unsigned dim);
  /// Returns the extent of loop `loop` of `op`, or null if no operand
  /// determines it.
  AffineExpr getLoop(linalg::LinalgOp op, unsigned loop);
  /// Sets the extent of a dimension whose size is not constant.
  void setDim(Value tensor, unsigned dim, AffineExpr extent);

private:
  /// A size, as a node of a union-find forest. Sizes that are known to be equal
  /// are in one set of the forest. A set is represented by the first size in it
  /// that is the size of a tensor's dimension or, if there is none, by the
  /// first size in it. Sizes are ordered as in the program.
  struct Node {
    unsigned parent;
    /// The tensor whose dimension `dim` has the size, or null if the size is
    /// the extent of loop `dim` of an op.
    Value value;
    unsigned dim = 0;
    std::optional<int64_t> constant;
    /// The extent of the set. It is null before the first query.
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
  /// The number of the first node of the dimensions of each tensor, or of the
  /// loops of each op.
  llvm::DenseMap<Value, unsigned> tensors;
  llvm::DenseMap<Operation *, unsigned> loops;
  /// The node of the dimensions whose size is a given scalar.
  llvm::DenseMap<Value, unsigned> scalars;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONEXTENTS_H
