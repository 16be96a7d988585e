//===- ReplicaEqualAtoms.h - The coarsest common parts of views -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views of a tensor split it into atoms: sets of elements that are in the
// same views. Each view consists of whole atoms, so results for atoms are as
// precise as a program with these views can be.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu::replica_equal {

/// Atoms from `begin` to before `end`.
struct AtomRange {
  unsigned begin, end;
};
using AtomRanges = SmallVector<AtomRange, 1>;

/// Elements from `begin` to before `end`.
struct ElementRange {
  int64_t begin, end;
};
using ElementRanges = SmallVector<ElementRange, 1>;

/// A view that shows the same elements, as written in one way only: without
/// dimensions that add no elements, by ascending strides, which are positive.
/// Nothing if numbers overflow.
std::optional<StridedView> normalizeView(StridedView view);

/// The elements of a normalized view in order, without gaps between ranges that
/// touch; nothing if they are more than `maxRanges` ranges.
std::optional<ElementRanges> getElementRanges(const StridedView &view,
                                              int64_t maxRanges);

struct Atoms {
  /// At least 1.
  unsigned count = 1;
  /// Of each view, in ascending order.
  std::vector<AtomRanges> ofViews;
};

/// Splits `numElements` elements, nothing for any number, by views. Atoms are
/// numbered by their first elements; elements of no view are the last atom.
/// Near-linear in the number of ranges.
Atoms splitIntoAtoms(ArrayRef<ElementRanges> views,
                     std::optional<int64_t> numElements);

/// For each of `numInner` atoms of a tensor that another one holds in
/// `operand`, the atoms of that one with the same elements: those in the same
/// views, given in the same order for both.
std::vector<AtomRanges> matchAtoms(ArrayRef<ArrayRef<AtomRange>> innerViews,
                                   unsigned numInner,
                                   ArrayRef<ArrayRef<AtomRange>> outerViews,
                                   ArrayRef<AtomRange> operand);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H
