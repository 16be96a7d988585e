//===- IndexRanges.h - Ranges of indices ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: expressions of IndexSolver, whose dimension k is the variable of the
// loop of class k and whose values are never negative.
// Output: simpler expressions with the same values in the loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXRANGES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXRANGES_H

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

namespace mlir::fuse {

class IndexRanges {
public:
  explicit IndexRanges(const LoopClasses &classes) : classes(classes) {}

  /// Returns `expr` without the quotients and remainders whose results follow
  /// from the extents of loops.
  AffineExpr simplify(AffineExpr expr) const;
  /// Returns an upper bound of `expr` that only contains symbols, or
  /// std::nullopt if none was found.
  std::optional<AffineExpr> getUpper(AffineExpr expr) const;
  /// Returns whether `expr` is known to be less than `bound` in all iterations,
  /// for all values of the symbols.
  bool isBelow(AffineExpr expr, AffineExpr bound) const;

private:
  const LoopClasses &classes;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INDEXRANGES_H
