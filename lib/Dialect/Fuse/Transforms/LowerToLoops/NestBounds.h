//===- NestBounds.h - Bounds of statements ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IndexBounds of statements are implemented by the first of these methods that
// is possible: by splitting a loop so that all iterations of a part satisfy
// them (full tiles); by bounds of a loop, if all its statements need them; by
// conditions around the statements that need them. This class only selects the
// method; it emits nothing except sizes.
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

  /// Assumes that `bounds` hold until the result is destroyed.
  [[nodiscard]] auto assume(ArrayRef<IndexBound> bounds) {
    size_t before = assumed.size();
    llvm::append_range(assumed, bounds);
    return llvm::scope_exit([this, before] { assumed.truncate(before); });
  }
  bool isAssumed(const IndexBound &bound) const;
  /// Returns whether `expr` has a value at this point: it only depends on open
  /// loops and `also`.
  bool isDetermined(AffineExpr expr,
                    std::optional<ClassId> also = std::nullopt) const;

  /// Bounds that only depend on open loops and that are not implied yet. If
  /// there are lanes, the bounds of lane 0.
  SmallVector<IndexBound> getOpenBounds(const Statement &statement) const;
  /// Returns the bounds that all statements of `node` share. Returns
  /// std::nullopt if no statement in `node` has bounds.
  std::optional<SmallVector<IndexBound>>
  getOpenBounds(const LoopNode &node) const;

  /// Returns the first iteration at which bounds that the loop decides begin to
  /// fail. All `implied` bounds hold before it. Returns std::nullopt if there
  /// is no such iteration in the loop.
  std::optional<AffineExpr> getPeelPoint(const LoopNode &loop,
                                         SmallVectorImpl<IndexBound> &implied);
  /// Bounds of the loop that replace bounds of all statements in it.
  SmallVector<AffineExpr>
  getTightBounds(const LoopNode &loop,
                 SmallVectorImpl<IndexBound> &implied) const;

private:
  /// Statements in `node` that must not be executed out of bounds.
  SmallVector<const Statement *> getStatements(const LoopNode &node) const;
  /// Returns whether lanes differ in the bound, so that it becomes a mask.
  bool isMasked(const IndexBound &bound) const {
    return context.lanes.vary(bound.index);
  }
  /// The same for one bound, or std::nullopt if other loops also decide it.
  std::optional<AffineExpr> getPeelPoint(ClassId loop, const IndexBound &bound);
  /// Returns the first of `extent` iterations, each of which adds `factor`, in
  /// which an index to which up to `slack` is added may reach `bound`.
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
