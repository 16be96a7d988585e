//===- ReplicaEqualAtoms.h - The coarsest common parts of views -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views of a tensor divide it into atoms. An atom is a maximal set of
// elements that belong to the same views. Each view consists of whole atoms.
// Therefore an analysis that has one result for each atom is as precise as
// possible for a program with these views.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu::replica_equal {

/// The atoms [begin, end).
struct AtomRange {
  unsigned begin, end;
};
using AtomRanges = SmallVector<AtomRange, 1>;

/// The elements [begin, end).
struct ElementRange {
  int64_t begin, end;
};
using ElementRanges = SmallVector<ElementRange, 1>;

/// Returns a normalized view with the same elements. It has no dimensions that
/// add no elements, and its strides are positive and ascending. Returns
/// std::nullopt if a number overflows.
std::optional<StridedView> normalizeView(StridedView view);

/// Returns the elements of a normalized view in ascending order. Adjacent
/// ranges are merged. Returns std::nullopt if there are more than `maxRanges`
/// ranges.
std::optional<ElementRanges> getElementRanges(const StridedView &view,
                                              int64_t maxRanges);

struct Atoms {
  /// The number of atoms, at least 1.
  unsigned count = 1;
  /// For each view, its atoms in ascending order.
  std::vector<AtomRanges> ofViews;
};

/// Divides a tensor of `numElements` elements into the atoms of `views`; the
/// number of elements is unknown if `numElements` is std::nullopt. Atoms are
/// numbered in the order of their first elements. The elements that belong to
/// no view are the last atom. The time is nearly linear in the number of
/// ranges.
Atoms splitIntoAtoms(ArrayRef<ElementRanges> views,
                     std::optional<int64_t> numElements);

/// Matches the atoms of two tensors: `operand` is a region of the outer tensor
/// that contains the inner tensor, which has `numInner` atoms. Returns, for
/// each atom of the inner tensor, the atoms of the outer tensor with the same
/// elements. These are the atoms of `operand` that belong to the same views.
/// The views must be in the same order for both tensors.
std::vector<AtomRanges> matchAtoms(ArrayRef<ArrayRef<AtomRange>> innerViews,
                                   unsigned numInner,
                                   ArrayRef<ArrayRef<AtomRange>> outerViews,
                                   ArrayRef<AtomRange> operand);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALATOMS_H
