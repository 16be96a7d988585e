//===- NestBounds.h - Bounds of statements ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds of a statement are the IndexBounds that must hold when the
// statement is executed. They are implemented by the first of these methods
// that is possible: a loop is split such that all iterations of one part
// satisfy the bounds (full tiles); the extent of a loop is reduced, if all its
// statements need the bounds; conditions are placed around the statements that
// need the bounds. This class only selects the method; it emits nothing except
// sizes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTBOUNDS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTBOUNDS_H

#include "NestContext.h"
#include "llvm/ADT/ScopeExit.h"

namespace mlir::fuse {

class NestBounds {
public:
  explicit NestBounds(const NestContext &context)
      : context(context), index(context.index) {}

  /// Assumes that `bounds` hold until the returned object is destroyed.
  [[nodiscard]] auto assume(ArrayRef<IndexBound> bounds) {
    size_t before = assumed.size();
    llvm::append_range(assumed, bounds);
    return llvm::scope_exit([this, before] { assumed.truncate(before); });
  }
  bool isAssumed(const IndexBound &bound) const;
  /// Returns whether `expr` has a value at the current point of emission, which
  /// means that it only depends on open loops and on the loop `also`. A loop is
  /// open while its body is emitted.
  bool isDetermined(AffineExpr expr,
                    std::optional<ClassId> also = std::nullopt) const;

  /// Returns the bounds of `statement` that only depend on open loops and are
  /// not already known to hold. While vectors are emitted, returns the bounds
  /// of lane 0.
  SmallVector<IndexBound> getOpenBounds(const Statement &statement) const;
  /// Returns the bounds that are in the results of getOpenBounds() for all
  /// statements of getStatements(node). Returns std::nullopt if there are no
  /// such statements.
  std::optional<SmallVector<IndexBound>>
  getOpenBounds(const LoopNode &node) const;

  /// Returns the first iteration of `loop` in which at least one of the bounds
  /// that depend on this loop may fail. Appends these bounds to `implied`; all
  /// of them hold in the earlier iterations. Returns std::nullopt if there are
  /// no such bounds, or if one of them may fail in iteration 0.
  std::optional<AffineExpr> getPeelPoint(const LoopNode &loop,
                                         SmallVectorImpl<IndexBound> &implied);
  /// Returns upper bounds of `loop` from which bounds of the statements in it
  /// follow. These bounds, which no longer need checks, are appended to
  /// `implied`.
  SmallVector<AffineExpr>
  getTightBounds(const LoopNode &loop,
                 SmallVectorImpl<IndexBound> &implied) const;

private:
  /// Returns the statements in `node` that must not be executed out of bounds.
  SmallVector<const Statement *> getStatements(const LoopNode &node) const;
  /// Returns whether the bound differs between lanes, and therefore becomes a
  /// mask.
  bool isMasked(const IndexBound &bound) const {
    return context.lanes.vary(bound.index);
  }
  /// Returns the first iteration of `loop` in which `bound` may fail. Returns
  /// std::nullopt if the bound does not depend on `loop`, if it also depends on
  /// other open loops, or if no such iteration can be computed.
  std::optional<AffineExpr> getPeelPoint(ClassId loop, const IndexBound &bound);
  /// Returns the first of `extent` iterations in which an index may reach
  /// `bound`. Each iteration adds `factor` to the index, and other parts of the
  /// index add at most `slack`.
  AffineExpr getFirstFailure(AffineExpr bound, AffineExpr slack, int64_t factor,
                             AffineExpr extent);
  AffineExpr getMin(AffineExpr lhs, AffineExpr rhs);
  AffineExpr getConstant(int64_t value) const;

  const NestContext &context;
  IndexBuilder &index;
  SmallVector<IndexBound> assumed;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTBOUNDS_H
