//===- TileLayout.cpp - Layout of elements in tile memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Program/TileLayout.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Indices of position `number` in row-major order.
static SmallVector<int64_t> getIndices(ArrayRef<int64_t> shape,
                                       int64_t number) {
  return delinearize(number, computeStrides(shape));
}

std::string mlir::ipu::printIndices(ArrayRef<int64_t> shape, int64_t number) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(getIndices(shape, number), os);
  os << "]";
  return text;
}

std::optional<int64_t> mlir::ipu::getFirstHolder(TileMappingAttr mapping,
                                                 int64_t element) {
  if (element < 0 || element >= mapping.getNumElements())
    return std::nullopt;
  int64_t tile = 0;
  SmallVector<GridAxis> axes = mapping.getGridAxes();
  for (auto [index, block] : llvm::zip_equal(
           getIndices(mapping.getDomain(), element), mapping.getBlocks())) {
    if (block.isAll())
      continue;
    // The first p with p * step + extent > index.
    int64_t p =
        index < block.extent ? 0 : (index - block.extent) / block.step + 1;
    if (p >= mapping.getGrid()[block.axis] || p * block.step > index)
      return std::nullopt;
    tile += axes[block.axis].getOffset(p);
  }
  return tile;
}

bool mlir::ipu::holdsElement(TileMappingAttr mapping, int64_t tile,
                             int64_t element) {
  IndexRegion region = mapping.getTileRegion(tile);
  for (auto [index, offset, size] :
       llvm::zip_equal(getIndices(mapping.getDomain(), element), region.offsets,
                       region.sizes))
    if (index < offset || index >= offset + size)
      return false;
  return true;
}

std::optional<MissingElement>
mlir::ipu::findMissingElement(TileMappingAttr own, const StridedView &view,
                              TileMappingAttr access) {
  std::optional<TileLayout> layout = TileLayout::get(access);
  int64_t remaining = int64_t(1) << 24;
  std::optional<MissingElement> missing;
  SmallVector<int64_t> basis = computeStrides(view.sizes);
  for (int64_t index = 0; layout && index < layout->getNumTiles(); ++index) {
    int64_t tile = access.getFirst() + index;
    int64_t ownIndex = tile - own.getFirst();
    bool hasAny = ownIndex >= 0 && ownIndex < own.getNumTiles();
    auto visit = [&](int64_t first, int64_t, int64_t size) {
      for (int64_t e = first; e < first + size; ++e) {
        if (missing || remaining-- <= 0)
          return;
        int64_t element = view.offset;
        for (auto [position, stride] :
             llvm::zip_equal(delinearize(e, basis), view.strides))
          element += position * stride;
        if (hasAny && holdsElement(own, ownIndex, element))
          continue;
        missing = MissingElement{tile, element, getFirstHolder(own, element)};
        if (missing->holder)
          *missing->holder += own.getFirst();
      }
    };
    layout->forEachRun(index, 0, access.getNumElements() - 1, visit);
    if (missing || remaining <= 0)
      break;
  }
  return missing;
}

std::optional<TileLayout> TileLayout::get(TileMappingAttr mapping) {
  constexpr int64_t limit = int64_t(1) << 62;
  TileLayout layout(mapping);
  layout.starts.reserve(mapping.getNumTiles() + 1);
  layout.starts.push_back(0);
  for (int64_t tile = 0, e = mapping.getNumTiles(); tile < e; ++tile) {
    int64_t end;
    if (llvm::AddOverflow(layout.starts.back(),
                          mapping.getTileRegion(tile).getNumElements(), end) ||
        end > limit)
      return std::nullopt;
    layout.starts.push_back(end);
  }
  return layout;
}

int64_t TileLayout::getElement(int64_t tile, int64_t local) const {
  IndexRegion region = mapping.getTileRegion(tile);
  SmallVector<int64_t> indices = getIndices(region.sizes, local);
  for (auto [index, offset] : llvm::zip_equal(indices, region.offsets))
    index += offset;
  return linearize(indices, computeStrides(mapping.getDomain()));
}

void TileLayout::forEachRun(int64_t tile, int64_t low, int64_t high,
                            Visit visit) const {
  IndexRegion region = mapping.getTileRegion(tile);
  if (region.isEmpty())
    return;
  // Dimensions from `inner` on are one run: all but the first are whole.
  ArrayRef<int64_t> domain = mapping.getDomain();
  SmallVector<int64_t> strides = computeStrides(domain);
  size_t inner = domain.size();
  int64_t length = 1;
  while (inner > 0) {
    --inner;
    length *= region.sizes[inner];
    if (region.sizes[inner] != domain[inner])
      break;
  }
  int64_t element = linearize(region.offsets, strides),
          localIndex = starts[tile];
  SmallVector<int64_t> position(inner, 0);
  while (true) {
    int64_t first = std::max(element, low);
    int64_t end = std::min(element + length - 1, high) + 1;
    if (first < end)
      visit(first, localIndex + first - element, end - first);
    localIndex += length;
    int64_t dim = static_cast<int64_t>(inner) - 1;
    for (; dim >= 0; --dim) {
      element += strides[dim];
      if (++position[dim] < region.sizes[dim])
        break;
      element -= region.sizes[dim] * strides[dim];
      position[dim] = 0;
    }
    // Runs are in the order of elements.
    if (dim < 0 || element > high)
      return;
  }
}
