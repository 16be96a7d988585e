//===- CollectiveDigits.cpp - Axes in parts of prime size -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveDigits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sharding;

bool sharding::areCompatible(ArrayRef<AxisList> a, ArrayRef<AxisList> b) {
  AxisList all;
  for (ArrayRef<AxisList> side : {a, b})
    for (const AxisList &dim : side)
      all.append(dim);
  for (auto [i, ref] : llvm::enumerate(all))
    for (const AxisRef &other : ArrayRef(all).drop_front(i + 1))
      if (!canCoexist(ref, other))
        return false;
  return true;
}

/// Appends the digits of a part with pre-size `pre` and `size`. Their sizes are
/// prime factors of `size` up to a bound, and a rest.
static void appendDigits(AxisList &digits, unsigned axis, int64_t pre,
                         int64_t size) {
  // A rest without prime factors up to this bound is one digit. Plans do not
  // depend on prime sizes of digits.
  constexpr int64_t maxFactor = 1 << 12;
  for (int64_t factor = 2; factor <= maxFactor && factor * factor <= size;
       ++factor)
    while (size % factor == 0 && size > factor) {
      digits.push_back({axis, pre, factor});
      pre *= factor;
      size /= factor;
    }
  digits.push_back({axis, pre, size});
}

DimAxes sharding::splitAxes(ArrayRef<AxisList> dims,
                            ArrayRef<AxisList> others) {
  DimAxes split;
  for (const AxisList &dim : dims) {
    AxisList &digits = split.emplace_back();
    for (const AxisRef &ref : dim) {
      SmallVector<int64_t> borders = {ref.preSize, ref.getNextPreSize()};
      for (ArrayRef<AxisList> side : {dims, others})
        for (const AxisList &list : side)
          for (const AxisRef &other : list)
            if (other.axis == ref.axis)
              for (int64_t border : {other.preSize, other.getNextPreSize()})
                if (ref.preSize < border && border < ref.getNextPreSize())
                  borders.push_back(border);
      llvm::sort(borders);
      if (ref.size != 1)
        borders.erase(llvm::unique(borders), borders.end());
      for (size_t i = 1; i < borders.size(); ++i)
        appendDigits(digits, ref.axis, borders[i - 1],
                     borders[i] / borders[i - 1]);
    }
  }
  return split;
}

AxisList sharding::merge(ArrayRef<AxisRef> digits) {
  AxisList axes;
  for (const AxisRef &digit : digits)
    appendMerged(axes, digit);
  return axes;
}

DimAxes sharding::merge(ArrayRef<AxisList> dims) {
  return llvm::map_to_vector(
      dims, [](const AxisList &dim) { return merge(ArrayRef<AxisRef>(dim)); });
}

bool sharding::startsWith(ArrayRef<AxisRef> list, ArrayRef<AxisRef> prefix) {
  return list.take_front(prefix.size()) == prefix;
}

int64_t sharding::countSize(ArrayRef<AxisRef> digits, int64_t size) {
  return llvm::count_if(
      digits, [&](const AxisRef &digit) { return digit.size == size; });
}
