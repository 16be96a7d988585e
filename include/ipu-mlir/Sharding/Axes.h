//===- Axes.h - Axes and sub-axes of a mesh ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of axes and sub-axes as plain numbers. A sub-axis with pre-size
// `pre` and size `size` is written (pre)size, as in Shardy's `"x":(pre)size`.
// This sub-axis is one digit of the position of a device along the axis. For an
// axis of n devices, this digit is (position / (n / (pre * size))) mod size. On
// a multiplicative scale, the sub-axis is the interval from pre to pre * size.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_AXES_H
#define IPU_MLIR_SHARDING_AXES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ipu::sharding {

/// An axis of the current mesh, or a sub-axis.
struct AxisRef {
  /// The index of the axis in the mesh.
  unsigned axis = 0;
  /// The product of the sizes of the sub-axes that are major to this sub-axis;
  /// 1 for a full axis.
  int64_t preSize = 1;
  int64_t size = 1;

  int64_t getNextPreSize() const { return preSize * size; }
  bool operator==(const AxisRef &other) const {
    return axis == other.axis && preSize == other.preSize && size == other.size;
  }
  bool operator!=(const AxisRef &other) const { return !(*this == other); }
};

/// A list of axes, from major to minor.
using AxisList = SmallVector<AxisRef, 1>;

/// The sizes of the axes of a mesh, by index.
using MeshSizes = ArrayRef<int64_t>;

AxisRef getFullAxis(unsigned axis, MeshSizes mesh);
bool isFull(const AxisRef &ref, MeshSizes mesh);

bool contains(const AxisRef &a, const AxisRef &b);
bool isPrefixOf(const AxisRef &a, const AxisRef &b);
bool isSuffixOf(const AxisRef &a, const AxisRef &b);
bool overlaps(const AxisRef &a, const AxisRef &b);
bool overlapsAny(const AxisRef &axis, ArrayRef<AxisRef> list);
/// Returns whether `a` and `b` are on different axes, or can be parts of one
/// factorisation of their axis.
bool canCoexist(const AxisRef &a, const AxisRef &b);
std::optional<AxisRef> getOverlap(const AxisRef &a, const AxisRef &b);
/// Return the largest prefix (suffix) of `a` that does not overlap `b`. Return
/// std::nullopt if this prefix (suffix) is empty, or if `a` and `b` cannot
/// coexist.
std::optional<AxisRef> getPrefixWithoutOverlap(const AxisRef &a,
                                               const AxisRef &b);
std::optional<AxisRef> getPrefixWithoutOverlap(const AxisRef &a,
                                               ArrayRef<AxisRef> list);
std::optional<AxisRef> getSuffixWithoutOverlap(const AxisRef &a,
                                               const AxisRef &b);
std::optional<AxisRef> getCommonPrefix(const AxisRef &a, const AxisRef &b);
AxisList getCommonPrefix(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b);
bool canMerge(const AxisRef &a, const AxisRef &b);
/// Appends `ref` to `list`. If `ref` is adjacent to the last element, the two
/// are merged.
void appendMerged(AxisList &list, const AxisRef &ref);
/// Returns the parts of the axes `a` that are not in `b`. `b` may be in any
/// order. An element of `b` has no effect on axes with which it cannot coexist.
AxisList getDifference(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b);

enum class PrefixStatus { Equal, StrictPrefix, NotPrefix };
/// Returns whether `a` is a prefix of `b`. The last element of `a` may be a
/// sub-axis that is a prefix of the element of `b` at the same position.
PrefixStatus getPrefixStatus(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b);

int64_t getProduct(ArrayRef<AxisRef> list);
/// Returns whether `a` is before `b` in the order of the mesh: by axis, then by
/// pre-size, then by size.
bool isBefore(const AxisRef &a, const AxisRef &b);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_AXES_H
