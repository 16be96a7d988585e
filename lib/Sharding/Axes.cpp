//===- Axes.cpp - Axes and sub-axes of a mesh -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Axes.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

AxisRef sharding::getFullAxis(unsigned axis, MeshSizes mesh) {
  return {axis, 1, mesh[axis]};
}

bool sharding::isFull(const AxisRef &ref, MeshSizes mesh) {
  return ref.size == mesh[ref.axis];
}

bool sharding::contains(const AxisRef &a, const AxisRef &b) {
  return a.axis == b.axis && a.preSize <= b.preSize &&
         b.getNextPreSize() <= a.getNextPreSize();
}

bool sharding::isPrefixOf(const AxisRef &a, const AxisRef &b) {
  return contains(b, a) && a.preSize == b.preSize;
}

bool sharding::isSuffixOf(const AxisRef &a, const AxisRef &b) {
  return contains(b, a) && a.getNextPreSize() == b.getNextPreSize();
}

bool sharding::overlaps(const AxisRef &a, const AxisRef &b) {
  // An axis of one device is an empty interval, but it is equal to itself.
  return a == b || (a.axis == b.axis &&
                    std::max(a.preSize, b.preSize) <
                        std::min(a.getNextPreSize(), b.getNextPreSize()));
}

bool sharding::overlapsAny(const AxisRef &axis, ArrayRef<AxisRef> list) {
  return llvm::any_of(
      list, [&](const AxisRef &other) { return overlaps(axis, other); });
}

bool sharding::canCoexist(const AxisRef &a, const AxisRef &b) {
  if (a.axis != b.axis)
    return true;
  auto [minPre, maxPre] = std::minmax(a.preSize, b.preSize);
  int64_t minNext = std::min(a.getNextPreSize(), b.getNextPreSize());
  int64_t maxNext = std::max(a.getNextPreSize(), b.getNextPreSize());
  if (overlaps(a, b))
    return minNext % maxPre == 0 && maxPre % minPre == 0 &&
           maxNext % minNext == 0;
  return maxPre % minNext == 0;
}

std::optional<AxisRef> sharding::getOverlap(const AxisRef &a,
                                            const AxisRef &b) {
  if (!overlaps(a, b) || !canCoexist(a, b))
    return std::nullopt;
  int64_t pre = std::max(a.preSize, b.preSize);
  return AxisRef{a.axis, pre,
                 std::min(a.getNextPreSize(), b.getNextPreSize()) / pre};
}

std::optional<AxisRef> sharding::getPrefixWithoutOverlap(const AxisRef &a,
                                                         const AxisRef &b) {
  if (!canCoexist(a, b))
    return std::nullopt;
  if (!overlaps(a, b))
    return a;
  if (a.preSize >= b.preSize)
    return std::nullopt;
  return AxisRef{a.axis, a.preSize, b.preSize / a.preSize};
}

std::optional<AxisRef>
sharding::getPrefixWithoutOverlap(const AxisRef &a, ArrayRef<AxisRef> list) {
  std::optional<AxisRef> prefix = a;
  for (const AxisRef &b : list)
    if (prefix)
      prefix = getPrefixWithoutOverlap(*prefix, b);
  return prefix;
}

std::optional<AxisRef> sharding::getSuffixWithoutOverlap(const AxisRef &a,
                                                         const AxisRef &b) {
  if (!canCoexist(a, b))
    return std::nullopt;
  if (!overlaps(a, b))
    return a;
  if (a.getNextPreSize() <= b.getNextPreSize())
    return std::nullopt;
  return AxisRef{a.axis, b.getNextPreSize(),
                 a.getNextPreSize() / b.getNextPreSize()};
}

std::optional<AxisRef> sharding::getCommonPrefix(const AxisRef &a,
                                                 const AxisRef &b) {
  if (isPrefixOf(a, b))
    return a;
  if (isPrefixOf(b, a))
    return b;
  return std::nullopt;
}

AxisList sharding::getCommonPrefix(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  AxisList prefix;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (std::optional<AxisRef> common = getCommonPrefix(x, y))
      prefix.push_back(*common);
    if (x != y)
      break;
  }
  return prefix;
}

bool sharding::canMerge(const AxisRef &a, const AxisRef &b) {
  return a.axis == b.axis && a.size > 1 && b.size > 1 &&
         a.getNextPreSize() == b.preSize;
}

void sharding::appendMerged(AxisList &list, const AxisRef &ref) {
  if (!list.empty() && canMerge(list.back(), ref))
    list.back().size *= ref.size;
  else
    list.push_back(ref);
}

AxisList sharding::getDifference(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  AxisList difference;
  for (std::optional<AxisRef> rest : a) {
    while (rest) {
      // The first overlapping element in the order of the axis, because the
      // part before it is kept.
      const AxisRef *overlapping = nullptr;
      for (const AxisRef &other : b)
        if (overlaps(*rest, other) && canCoexist(*rest, other) &&
            (!overlapping || other.preSize < overlapping->preSize))
          overlapping = &other;
      if (!overlapping) {
        difference.push_back(*rest);
        break;
      }
      if (std::optional<AxisRef> kept =
              getPrefixWithoutOverlap(*rest, *overlapping))
        difference.push_back(*kept);
      rest = getSuffixWithoutOverlap(*rest, *overlapping);
    }
  }
  return difference;
}

PrefixStatus sharding::getPrefixStatus(ArrayRef<AxisRef> a,
                                       ArrayRef<AxisRef> b) {
  if (a == b)
    return PrefixStatus::Equal;
  if (a.empty())
    return PrefixStatus::StrictPrefix;
  if (a.size() > b.size() || a.drop_back() != b.take_front(a.size() - 1) ||
      !isPrefixOf(a.back(), b[a.size() - 1]))
    return PrefixStatus::NotPrefix;
  return PrefixStatus::StrictPrefix;
}

int64_t sharding::getProduct(ArrayRef<AxisRef> list) {
  int64_t product = 1;
  for (const AxisRef &ref : list)
    product *= ref.size;
  return product;
}

bool sharding::isBefore(const AxisRef &a, const AxisRef &b) {
  return std::tie(a.axis, a.preSize, a.size) <
         std::tie(b.axis, b.preSize, b.size);
}
