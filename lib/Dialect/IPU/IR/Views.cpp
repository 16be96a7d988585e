//===- Views.cpp - Elements of views ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/Views.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

std::optional<std::pair<int64_t, int64_t>>
mlir::ipu::getRange(const StridedView &view) {
  int64_t low = view.offset, high = view.offset;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    int64_t reach;
    int64_t &end = stride < 0 ? low : high;
    if (llvm::MulOverflow(size - 1, stride, reach) ||
        llvm::AddOverflow(end, reach, end))
      return std::nullopt;
  }
  return std::make_pair(low, high);
}

static void forEachElement(const StridedView &view,
                           function_ref<void(int64_t)> visit, int64_t at,
                           unsigned dim = 0) {
  if (dim == view.sizes.size())
    return visit(at);
  for (int64_t i = 0; i < view.sizes[dim]; ++i)
    forEachElement(view, visit, at + i * view.strides[dim], dim + 1);
}

StridedView mlir::ipu::getView(Value value) {
  return getStridedView(cast<MemRefType>(value.getType()));
}

/// `view` without the dimensions that show the same elements again.
static StridedView dropRepeated(const StridedView &view) {
  StridedView result;
  result.offset = view.offset;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides))
    if (size > 1 && stride != 0) {
      result.sizes.push_back(size);
      result.strides.push_back(stride);
    }
  return result;
}

/// A view, not empty, as offsets and sizes in dimensions of `strides`, each of
/// which divides the one before it. Fails if elements and coordinates are not
/// one to one.
static FailureOr<IndexRegion> getCoordinates(StridedView view,
                                             ArrayRef<int64_t> strides) {
  IndexRegion region{SmallVector<int64_t>(strides.size()),
                     SmallVector<int64_t>(strides.size(), 1)};
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    if (stride < 0)
      view.offset += (size - 1) * stride;
    auto *dim = llvm::find(strides, std::abs(stride));
    if (dim == strides.end() || region.sizes[dim - strides.begin()] != 1)
      return failure();
    region.sizes[dim - strides.begin()] = size;
  }
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    region.offsets[dim] = view.offset / stride;
    view.offset %= stride;
    if (dim > 0 &&
        (region.offsets[dim] + region.sizes[dim]) * stride > strides[dim - 1])
      return failure();
  }
  return region;
}

/// Strides of both views, greatest first, and 1; fails if one does not divide
/// the one before it.
static FailureOr<SmallVector<int64_t>> getCommonStrides(const StridedView &a,
                                                        const StridedView &b) {
  SmallVector<int64_t> strides = {1};
  for (const StridedView *view : {&a, &b})
    for (int64_t stride : view->strides)
      strides.push_back(std::abs(stride));
  llvm::sort(strides, std::greater<>());
  strides.erase(llvm::unique(strides), strides.end());
  for (size_t i = 1; i < strides.size(); ++i)
    if (strides[i - 1] % strides[i] != 0)
      return failure();
  return strides;
}

/// Whether two regions of one variable have a common element, for views that
/// split it as slices do; nothing for others.
static std::optional<bool> overlapAsRegions(const StridedView &a,
                                            const StridedView &b) {
  FailureOr<SmallVector<int64_t>> strides = getCommonStrides(a, b);
  if (failed(strides))
    return std::nullopt;
  FailureOr<IndexRegion> first = getCoordinates(a, *strides),
                         second = getCoordinates(b, *strides);
  if (failed(first) || failed(second))
    return std::nullopt;
  for (size_t dim = 0; dim < strides->size(); ++dim)
    if (first->offsets[dim] + first->sizes[dim] <= second->offsets[dim] ||
        second->offsets[dim] + second->sizes[dim] <= first->offsets[dim])
      return false;
  return true;
}

bool mlir::ipu::overlap(Value a, Value b, int64_t maxEnumerated) {
  VarOp variable = getVariable(a);
  return variable && variable == getVariable(b) &&
         overlap(getView(a), getView(b),
                 variable.getResult().getType().getNumElements(),
                 maxEnumerated);
}

bool mlir::ipu::overlap(const StridedView &a, const StridedView &b,
                        int64_t size, int64_t maxEnumerated) {
  if (llvm::is_contained(a.sizes, 0) || llvm::is_contained(b.sizes, 0))
    return false;
  StridedView first = dropRepeated(a), second = dropRepeated(b);
  auto firstRange = getRange(first), secondRange = getRange(second);
  if (firstRange && secondRange &&
      (firstRange->second < secondRange->first ||
       secondRange->second < firstRange->first))
    return false;
  if (std::optional<bool> result = overlapAsRegions(first, second))
    return *result;
  if (std::max({size, first.getNumElements(), second.getNumElements()}) >
      maxEnumerated)
    return true;
  llvm::BitVector elements(size);
  forEachElement(first, [&](int64_t i) { elements.set(i); }, first.offset);
  bool common = false;
  forEachElement(
      second, [&](int64_t i) { common |= elements.test(i); }, second.offset);
  return common;
}

bool mlir::ipu::showsOnce(const StridedView &view, int64_t numElements) {
  if (llvm::is_contained(view.sizes, 0))
    return true;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, size
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    if (size > 1 && stride == 0)
      return false;
    if (size > 1)
      dims.emplace_back(std::abs(stride), size);
  }
  llvm::sort(dims);
  int64_t reach = 0;
  bool isNested = true;
  for (auto [stride, size] : dims) {
    isNested &= stride > reach;
    reach += stride * (size - 1);
  }
  // More elements than there are cannot all be other ones.
  if (isNested || numElements > kMaxEnumerated ||
      view.getNumElements() > numElements)
    return isNested;
  llvm::BitVector elements(numElements);
  bool once = true;
  forEachElement(
      view,
      [&](int64_t i) {
        once &= !elements.test(i);
        elements.set(i);
      },
      view.offset);
  return once;
}
