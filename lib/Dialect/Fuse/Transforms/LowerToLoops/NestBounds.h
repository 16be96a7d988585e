//===- NestBounds.h - Bounds of statements ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IndexBounds of statements are implemented in this order: by splitting a loop
// so that all iterations of a part fulfil them (full tiles); by bounds of a
// loop, if all its statements need them; by conditions around the statements
// that need them. This code only selects one of these; it emits nothing but
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

  /// Takes `bounds` as fulfilled until the result is destroyed.
  [[nodiscard]] auto assume(ArrayRef<IndexBound> bounds) {
    size_t before = assumed.size();
    llvm::append_range(assumed, bounds);
    return llvm::scope_exit([this, before] { assumed.truncate(before); });
  }
  bool isAssumed(const IndexBound &bound) const;
  /// Whether `expr` has a value here: that of no loop but open ones and `also`.
  bool isDetermined(AffineExpr expr,
                    std::optional<ClassId> also = std::nullopt) const;

  /// Bounds that depend on open loops alone and that nothing implies yet; of
  /// lane 0, where there are lanes.
  SmallVector<IndexBound> getOpenBounds(const Statement &statement) const;
  /// Those that all statements of `node` have; none if no statement in `node`
  /// must respect any.
  std::optional<SmallVector<IndexBound>>
  getOpenBounds(const LoopNode &node) const;

  /// Where the bounds that the loop decides first begin to fail: all `implied`
  /// hold before it. None if there is no such iteration within the loop.
  std::optional<AffineExpr> getPeelPoint(const LoopNode &loop,
                                         SmallVectorImpl<IndexBound> &implied);
  /// Bounds of the loop that stand for bounds of all statements in it.
  SmallVector<AffineExpr>
  getTightBounds(const LoopNode &loop,
                 SmallVectorImpl<IndexBound> &implied) const;

private:
  /// Statements in `node` that must not run out of bounds.
  SmallVector<const Statement *> getStatements(const LoopNode &node) const;
  /// A mask tells where it holds, as lanes differ in it.
  bool isMasked(const IndexBound &bound) const {
    return context.lanes.vary(bound.index);
  }
  /// The same for one bound; none if others than the loop decide it.
  std::optional<AffineExpr> getPeelPoint(ClassId loop, const IndexBound &bound);
  /// The first of `extent` iterations, each worth `factor`, in which an index
  /// that has up to `slack` added may reach `bound`.
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
