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

std::optional<ArrayRef<int64_t>>
mlir::ipu::takeFactors(ArrayRef<int64_t> domain, size_t &at, int64_t size) {
  size_t first = at;
  int64_t product = 1;
  while (at < domain.size() && (product < size || domain[at] == 1))
    product *= domain[at++];
  if (product != size)
    return std::nullopt;
  return domain.slice(first, at - first);
}

TileMappingAttr mlir::ipu::permuteFactors(TileMappingAttr mapping,
                                          ArrayRef<int64_t> sizes,
                                          ArrayRef<unsigned> order) {
  SmallVector<SmallVector<unsigned>> factors;
  size_t at = 0;
  for (int64_t size : sizes) {
    size_t first = at;
    if (!takeFactors(mapping.getDomain(), at, size)) {
      TileMappingAttr refactored = mapping.refactor(sizes);
      // The default order of storage does not change either.
      if (refactored && mapping.getLayout())
        refactored = withExplicitLayout(refactored);
      return refactored ? refactored.permute(order) : nullptr;
    }
    SmallVector<unsigned> &kept = factors.emplace_back();
    for (unsigned dim = first; dim < at; ++dim) {
      const TileMappingBlock &block = mapping.getBlocks()[dim];
      if (mapping.getDomain()[dim] > 1)
        kept.push_back(dim);
      else if (!block.isAll() && mapping.getGrid()[block.axis] > 1)
        // Some parts of a nested partition are empty. Without the dimension,
        // their tiles would hold copies.
        return nullptr;
    }
  }
  SmallVector<unsigned> dims;
  for (unsigned dim : order)
    llvm::append_range(dims, factors[dim]);
  return mapping.permute(dims);
}

SmallVector<unsigned> mlir::ipu::getOrderOfStrides(const StridedView &view) {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < view.sizes.size(); ++dim)
    if (view.sizes[dim] > 1)
      order.push_back(dim);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(-std::abs(view.strides[a]), a) <
           std::make_pair(-std::abs(view.strides[b]), b);
  });
  return order;
}

TileMappingAttr mlir::ipu::getTileMappingOfView(TileMappingAttr mapping,
                                                const StridedView &view) {
  int64_t numElements = mapping.getNumElements();
  if (numElements == 0 || view.getNumElements() != numElements)
    return nullptr;
  if (view.isContiguous())
    return mapping;
  SmallVector<unsigned> order = getOrderOfStrides(view);
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> inverse(order.size());
  int64_t stride = numElements;
  // The dimensions of the view without those of size 1.
  SmallVector<unsigned> ranks(view.sizes.size(), 0);
  for (unsigned dim = 0, rank = 0; dim < view.sizes.size(); ++dim)
    if (view.sizes[dim] > 1)
      ranks[dim] = rank++;
  for (auto [position, dim] : llvm::enumerate(order)) {
    stride /= view.sizes[dim];
    if (view.strides[dim] != stride)
      return nullptr;
    sizes.push_back(view.sizes[dim]);
    inverse[ranks[dim]] = position;
  }
  return permuteFactors(mapping, sizes, inverse);
}

TileMappingAttr mlir::ipu::withExplicitLayout(TileMappingAttr mapping) {
  if (mapping.getLayout())
    return mapping;
  return mapping.withBlocks(
      mapping.getDomain(), mapping.getBlocks(),
      AffineMap::getMultiDimIdentityMap(mapping.getDomain().size(),
                                        mapping.getContext()));
}

bool mlir::ipu::isHeldAs(TileMappingAttr mapping, const StridedView &view,
                         TileMappingAttr access) {
  if (view.isContiguous())
    return view.getNumElements() == mapping.getNumElements() &&
           mapping.isEquivalentTo(access);
  if (mapping.getGrid() != access.getGrid() ||
      mapping.getFirst() != access.getFirst())
    return false;
  TileMappingAttr own = getTileMappingOfView(withExplicitLayout(mapping), view);
  return own && own.isEquivalentTo(access);
}

bool mlir::ipu::isLocal(VerticesOp vertices, CodeletOp codelet,
                        unsigned buffer) {
  Value operand = vertices->getOperand(buffer);
  TileMappingAttr access = vertices.getAccessTileMapping(buffer);
  MemRefType variable = getVariable(operand).getResult().getType();
  StridedView view = getView(operand);
  if (!isHeldAs(getTileMapping(variable), view, access))
    return false;
  auto argument = cast<MemRefType>(codelet.getArgumentTypes()[buffer]);
  bool isStrided = argument == getCodeletBufferType(argument.getRank(),
                                                    argument.getElementType(),
                                                    /*isStrided=*/true);
  // An argument of rank 0 has no last stride.
  return view.isContiguous() || (isStrided && argument.getRank() > 0 &&
                                 succeeded(view.reshape(access.getDomain())));
}
