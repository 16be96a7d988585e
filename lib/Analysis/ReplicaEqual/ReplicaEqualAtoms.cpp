//===- ReplicaEqualAtoms.cpp - The coarsest common parts of views ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of views are compared by a hash of 128 bits: the exclusive or of the
// keys of their members, which is updated at each element at which a view
// begins or ends.
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualAtoms.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<StridedView> replica_equal::normalizeView(StridedView view) {
  if (llvm::is_contained(view.sizes, 0))
    return StridedView{0, {0}, {1}};
  if (!getRange(view))
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, size
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    if (stride < 0)
      view.offset += (size - 1) * stride;
    if (size > 1 && stride != 0)
      dims.emplace_back(std::abs(stride), size);
  }
  llvm::sort(dims);
  StridedView result{view.offset, {}, {}};
  for (auto [stride, size] : dims) {
    int64_t next;
    if (!result.sizes.empty() &&
        !llvm::MulOverflow(result.sizes.back(), result.strides.back(), next) &&
        next == stride) {
      result.sizes.back() *= size;
      continue;
    }
    result.sizes.push_back(size);
    result.strides.push_back(stride);
  }
  return result;
}

/// Sorts ranges and joins those that touch.
static void joinRanges(ElementRanges &ranges) {
  auto isBefore = [](const ElementRange &a, const ElementRange &b) {
    return a.begin < b.begin;
  };
  if (!llvm::is_sorted(ranges, isBefore))
    llvm::sort(ranges, isBefore);
  size_t count = 0;
  for (const ElementRange &range : ranges) {
    if (count > 0 && range.begin <= ranges[count - 1].end)
      ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
    else
      ranges[count++] = range;
  }
  ranges.truncate(count);
}

std::optional<ElementRanges>
replica_equal::getElementRanges(const StridedView &view, int64_t maxRanges) {
  if (llvm::is_contained(view.sizes, 0))
    return ElementRanges();
  bool hasRun = !view.strides.empty() && view.strides.front() == 1;
  int64_t length = hasRun ? view.sizes.front() : 1;
  ElementRanges ranges = {{view.offset, view.offset + length}};
  // The greatest stride first: ranges mostly come in order.
  for (size_t dim = view.sizes.size(); dim-- > (hasRun ? 1 : 0);) {
    ElementRanges inner;
    if (view.sizes[dim] > maxRanges / static_cast<int64_t>(ranges.size()))
      return std::nullopt;
    inner.reserve(view.sizes[dim] * ranges.size());
    for (const ElementRange &range : ranges)
      for (int64_t i = 0; i < view.sizes[dim]; ++i)
        inner.push_back({range.begin + i * view.strides[dim],
                         range.end + i * view.strides[dim]});
    ranges = std::move(inner);
  }
  joinRanges(ranges);
  return ranges;
}

//===----------------------------------------------------------------------===//
// Sets of views
//===----------------------------------------------------------------------===//

using SetHash = std::pair<uint64_t, uint64_t>;

/// A step of splitmix64: numbers without a pattern.
static uint64_t scramble(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// Adds a view to a set, or removes it.
static void toggle(SetHash &set, uint64_t view) {
  set.first ^= scramble(2 * view);
  set.second ^= scramble(2 * view + 1);
}

static constexpr SetHash kEmptySet = {0, 0};

Atoms replica_equal::splitIntoAtoms(ArrayRef<ElementRanges> views,
                                    std::optional<int64_t> numElements) {
  std::vector<std::pair<int64_t, uint64_t>> borders; // element, view
  for (auto [view, ranges] : llvm::enumerate(views))
    for (const ElementRange &range : ranges) {
      borders.emplace_back(range.begin, view);
      borders.emplace_back(range.end, view);
    }
  llvm::sort(borders);
  llvm::DenseMap<SetHash, unsigned> atoms;
  std::vector<int64_t> firstElements;
  int64_t numCovered = 0;
  SetHash set = kEmptySet;
  for (size_t i = 0; i < borders.size();) {
    int64_t at = borders[i].first;
    for (; i < borders.size() && borders[i].first == at; ++i)
      toggle(set, borders[i].second);
    if (set == kEmptySet)
      continue;
    numCovered += borders[i].first - at;
    if (atoms.try_emplace(set, atoms.size()).second)
      firstElements.push_back(at);
  }
  Atoms result;
  bool hasOthers = !numElements || numCovered < *numElements;
  result.count = std::max<size_t>(firstElements.size() + hasOthers, 1);
  // A view shows an atom if it shows the first element.
  for (const ElementRanges &ranges : views) {
    AtomRanges &own = result.ofViews.emplace_back();
    for (const ElementRange &range : ranges) {
      unsigned begin =
          llvm::lower_bound(firstElements, range.begin) - firstElements.begin();
      unsigned end =
          llvm::lower_bound(firstElements, range.end) - firstElements.begin();
      if (begin == end)
        continue;
      if (!own.empty() && own.back().end == begin)
        own.back().end = end;
      else
        own.push_back({begin, end});
    }
  }
  return result;
}

/// The set of views that show each atom.
static std::vector<SetHash> getViewSets(ArrayRef<ArrayRef<AtomRange>> views,
                                        unsigned numAtoms) {
  std::vector<SetHash> sets(numAtoms + 1, kEmptySet);
  for (auto [view, ranges] : llvm::enumerate(views))
    for (const AtomRange &range : ranges) {
      toggle(sets[range.begin], view);
      toggle(sets[range.end], view);
    }
  for (unsigned atom = 1; atom < numAtoms; ++atom) {
    sets[atom].first ^= sets[atom - 1].first;
    sets[atom].second ^= sets[atom - 1].second;
  }
  return sets;
}

std::vector<AtomRanges> replica_equal::matchAtoms(
    ArrayRef<ArrayRef<AtomRange>> innerViews, unsigned numInner,
    ArrayRef<ArrayRef<AtomRange>> outerViews, ArrayRef<AtomRange> operand) {
  std::vector<AtomRanges> matches(numInner);
  if (numInner == 1) {
    matches.front().assign(operand.begin(), operand.end());
    return matches;
  }
  unsigned numOuter = 0;
  for (const AtomRange &range : operand)
    numOuter = std::max(numOuter, range.end);
  for (ArrayRef<AtomRange> view : outerViews)
    for (const AtomRange &range : view)
      numOuter = std::max(numOuter, range.end);
  std::vector<SetHash> inner = getViewSets(innerViews, numInner),
                       outer = getViewSets(outerViews, numOuter);
  llvm::DenseMap<SetHash, unsigned> innerOf;
  for (unsigned atom = 0; atom < numInner; ++atom)
    innerOf.try_emplace(inner[atom], atom);
  for (const AtomRange &range : operand)
    for (unsigned atom = range.begin; atom < range.end; ++atom) {
      auto found = innerOf.find(outer[atom]);
      assert(found != innerOf.end() && "views show whole atoms");
      AtomRanges &match = matches[found->second];
      if (!match.empty() && match.back().end == atom)
        ++match.back().end;
      else
        match.push_back({atom, atom + 1});
    }
  return matches;
}
