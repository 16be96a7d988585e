//===- ReplicaEqualAtoms.h - The coarsest common parts of views -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views of a tensor split it into atoms: sets of elements that belong to
// the same views. Each view consists of whole atoms. Therefore results for
// atoms are as precise as possible for a program with these views.
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

/// The normalized view with the same elements: without dimensions that add no
/// elements, and with ascending positive strides. None if numbers overflow.
std::optional<StridedView> normalizeView(StridedView view);

/// The elements of a normalized view, in order; ranges that touch are joined.
/// None if there are more than `maxRanges` ranges.
std::optional<ElementRanges> getElementRanges(const StridedView &view,
                                              int64_t maxRanges);

struct Atoms {
  /// The number of atoms, at least 1.
  unsigned count = 1;
  /// For each view, its atoms in ascending order.
  std::vector<AtomRanges> ofViews;
};

/// Splits `numElements` elements (any number, if there is no value) by views.
/// Atoms are numbered by their first elements. Elements of no view are the last
/// atom. The time is nearly linear in the number of ranges.
Atoms splitIntoAtoms(ArrayRef<ElementRanges> views,
                     std::optional<int64_t> numElements);

/// `operand` is a region of a tensor that contains another tensor with
/// `numInner` atoms. For each of these, the atoms of the outer tensor with the
/// same elements: the atoms in the same views, which are given in the same
/// order for both tensors.
std::vector<AtomRanges> matchAtoms(ArrayRef<ArrayRef<AtomRange>> innerViews,
                                   unsigned numInner,
                                   ArrayRef<ArrayRef<AtomRange>> outerViews,
                                   ArrayRef<AtomRange> operand);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H
