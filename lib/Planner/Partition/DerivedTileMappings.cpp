//===- DerivedTileMappings.cpp - Tile mappings from others ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives the tile mapping of a tensor from that of a tensor that an op reads
// or writes: copies are spread over their tiles, dimensions are scaled, and
// views are followed in both directions.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Splits `size` elements into at most `parts` equal blocks along grid axis
/// `axis`. A block has at least `step` elements and consists of whole groups of
/// `group` elements.
static TileMappingBlock getEvenBlock(int64_t axis, int64_t size, int64_t parts,
                                     int64_t step = 1, int64_t group = 1) {
  int64_t block = std::max(llvm::divideCeilSigned(size, parts), step);
  block = llvm::divideCeilSigned(block, group) * group;
  return {axis, block, block};
}

/// Returns `mapping` with two dimensions in place of each dimension that an
/// axis splits into equal parts: the number of the part and the position in the
/// part. Further axes may split the position.
static TileMappingAttr factorParts(TileMappingAttr mapping) {
  MLIRContext *context = mapping.getContext();
  SmallVector<int64_t> domain;
  SmallVector<TileMappingBlock> blocks;
  // The new dimensions for each old dimension.
  SmallVector<SmallVector<AffineExpr, 2>> dims;
  for (auto [size, block] :
       llvm::zip_equal(mapping.getDomain(), mapping.getBlocks())) {
    SmallVector<AffineExpr, 2> &own = dims.emplace_back();
    auto add = [&](int64_t size, TileMappingBlock block) {
      own.push_back(getAffineDimExpr(domain.size(), context));
      domain.push_back(size);
      blocks.push_back(block);
    };
    if (block.isAll() || block.step != block.extent || block.step == 1 ||
        size % block.step != 0) {
      add(size, block);
      continue;
    }
    add(size / block.step, {block.axis, 1, 1});
    add(block.step, {});
  }
  SmallVector<AffineExpr> layout;
  for (const StorageDim &dim : mapping.getStorageDims()) {
    ArrayRef<AffineExpr> own = dims[dim.dim];
    if (dim.isInGroup) {
      layout.push_back(own.back() % dim.group);
      continue;
    }
    llvm::append_range(layout, own.drop_back());
    layout.push_back(own.back().floorDiv(dim.group));
  }
  return mapping.withBlocks(domain, blocks)
      .withFittedLayout(AffineMap::get(domain.size(), 0, layout, context));
}

/// Returns the number of consecutive groups of dimension `dim` that fill whole
/// words. `domain`, `blocks` and `storage` describe a tile mapping.
static int64_t getGrainOfGroups(ArrayRef<int64_t> domain,
                                ArrayRef<TileMappingBlock> blocks,
                                ArrayRef<StorageDim> storage, unsigned dim,
                                int64_t elementBytes) {
  Count bytes = elementBytes;
  for (const StorageDim &inner : llvm::reverse(storage)) {
    if (inner.dim == dim && !inner.isInGroup)
      break;
    const TileMappingBlock &block = blocks[inner.dim];
    int64_t size = block.isAll() ? domain[inner.dim] : block.step;
    bytes = bytes * (inner.isInGroup ? inner.group : size / inner.group);
  }
  return getWordGrain(bytes.get());
}

/// Splits the dimensions of the storage of `mapping`, from the outermost
/// dimension, into as many parts as the remaining tiles allow. Groups and words
/// are not split.
static TileMappingAttr cutStorage(TileMappingAttr mapping,
                                  int64_t elementBytes) {
  ArrayRef<int64_t> domain = mapping.getDomain();
  int64_t room = mapping.getNumTiles();
  SmallVector<int64_t> grid;
  SmallVector<TileMappingBlock> blocks(domain.size());
  SmallVector<StorageDim> storage = mapping.getStorageDims();
  for (const StorageDim &dim : storage) {
    int64_t size = domain[dim.dim] / dim.group;
    if (dim.isInGroup || size < 2 || room < 2)
      continue;
    int64_t grain =
        getGrainOfGroups(domain, blocks, storage, dim.dim, elementBytes);
    TileMappingBlock block =
        getEvenBlock(grid.size(), domain[dim.dim], std::min(size, room),
                     /*step=*/1, dim.group * grain);
    blocks[dim.dim] = block;
    grid.push_back(llvm::divideCeilSigned(domain[dim.dim], block.step));
    room /= grid.back();
  }
  return TileMappingAttr::get(mapping.getContext(), domain, grid, blocks,
                              mapping.getFirst())
      .withFittedLayout(mapping.getLayout());
}

/// The factor `unused` of spreadCopies() if all tiles are used, in thousandths.
static constexpr int64_t kAllUsed = 1000;

/// Returns a tile mapping that holds each element of `access` once, or null.
/// Sets `unused` to the factor, in thousandths, by which `access` has more
/// tiles than the result. The grid is nested in the same way as the grid of
/// `access`, unless an axis of copies on several IPUs cannot become an axis of
/// parts. If an axis of copies directly follows an axis of parts, each part is
/// first divided into `factor` smaller parts for as many copies.
static TileMappingAttr spreadCopies(TileMappingAttr access,
                                    int64_t elementBytes, int64_t &unused,
                                    int64_t factor = 1) {
  ArrayRef<int64_t> domain = access.getDomain();
  SmallVector<TileMappingBlock> blocks = llvm::to_vector(access.getBlocks());
  // Groups are not split.
  SmallVector<StorageDim> storage = access.getStorageDims();
  SmallVector<int64_t> groups(domain.size(), 1), grid, nested, ipus;
  for (const StorageDim &dim : storage)
    groups[dim.dim] = dim.group;
  SmallVector<int64_t> dimOf(access.getGrid().size(), -1);
  for (auto [dim, block] : llvm::enumerate(blocks))
    if (!block.isAll())
      dimOf[block.axis] = dim;
  auto getGrain = [&](int64_t dim) {
    return groups[dim] *
           getGrainOfGroups(domain, blocks, storage, dim, elementBytes);
  };
  auto cut = [&](int64_t dim, int64_t parts, int64_t step, int64_t onIPUs) {
    int64_t grain = getGrain(dim);
    blocks[dim] =
        getEvenBlock(grid.size(), domain[dim], parts, step,
                     step % grain == 0 || step == 1 ? grain : groups[dim]);
    // A dimension without elements has one part.
    grid.push_back(std::max<int64_t>(
        llvm::divideCeilSigned(domain[dim], blocks[dim].step), 1));
    ipus.push_back(onIPUs);
    nested.push_back(llvm::divideCeilSigned(grid.back(), onIPUs) * onIPUs);
  };
  bool isNested = access.isNested();
  int64_t cutBefore = 1;
  Count allCopies = 1, used = 1;
  for (auto [axis, dim] : llvm::enumerate(dimOf)) {
    int64_t parts = access.getGrid()[axis];
    int64_t onIPUs = isNested ? access.getIpus()[axis] : 1;
    if (dim >= 0) {
      bool hasCopies = axis + 1 < dimOf.size() && dimOf[axis + 1] < 0 &&
                       access.getGrid()[axis + 1] % factor == 0;
      int64_t step = blocks[dim].step;
      if (hasCopies && cutBefore == 1 && step % (factor * getGrain(dim)) == 0) {
        cutBefore = factor;
        used = used * factor;
        parts *= factor;
        step /= factor;
      }
      cut(dim, parts, step, onIPUs);
      continue;
    }
    // The copies become parts of the outermost dimension of the storage that
    // has enough elements for one part for each copy, because this results in
    // the longest runs. If there is no such dimension, the dimension with the
    // most elements is split first, and then further dimensions.
    allCopies = allCopies * parts;
    int64_t copies = parts / std::exchange(cutBefore, 1);
    while (copies > 1) {
      int64_t best = -1, bestParts = 1;
      for (const StorageDim &candidate : storage) {
        int64_t size = domain[candidate.dim] / candidate.group;
        if (candidate.isInGroup || !blocks[candidate.dim].isAll() || size < 2)
          continue;
        if (best < 0 || (bestParts < copies && size > bestParts)) {
          best = candidate.dim;
          bestParts = size;
        }
      }
      if (best < 0)
        break;
      if (bestParts < onIPUs) {
        isNested = false;
        onIPUs = 1;
      }
      cut(best, std::min(bestParts, copies), /*step=*/1, onIPUs);
      copies /= nested.back();
      used = used * nested.back();
      onIPUs = 1;
    }
    isNested &= onIPUs == 1;
  }
  unused = (allCopies * kAllUsed).get() / used.get();
  auto mapping =
      isNested ? TileMappingAttr::get(access.getContext(), domain, nested,
                                      blocks, access.getFirst(), AffineMap(),
                                      ipus, access.getIpuTiles())
               : TileMappingAttr::get(access.getContext(), domain, grid, blocks,
                                      access.getFirst());
  mapping = mapping.withFittedLayout(access.getLayout());
  return mapping.coversOnce() ? mapping : nullptr;
}

/// Returns the factors by which spreadCopies() may divide parts: the divisors
/// of the numbers of copies that are on the axis after an axis of parts.
static SmallVector<int64_t> getFactorsOfCopies(TileMappingAttr access) {
  SmallVector<int64_t> factors;
  ArrayRef<int64_t> grid = access.getGrid();
  if (access.isNested() || grid.empty())
    return factors;
  SmallVector<bool> isOfParts(grid.size(), false);
  for (const TileMappingBlock &block : access.getBlocks())
    if (!block.isAll())
      isOfParts[block.axis] = true;
  for (size_t axis = 1; axis < grid.size(); ++axis)
    if (isOfParts[axis - 1] && !isOfParts[axis])
      for (int64_t factor = 2; factor <= grid[axis]; ++factor)
        if (grid[axis] % factor == 0)
          factors.push_back(factor);
  return factors;
}

TileMappingAttr mlir::ipu::getSpreadTileMapping(TileMappingAttr access,
                                                int64_t elementBytes) {
  int64_t unused = 0;
  TileMappingAttr mapping;
  auto attempt = [&](TileMappingAttr of, int64_t factor) {
    int64_t own = 0;
    TileMappingAttr spread = spreadCopies(of, elementBytes, own, factor);
    if (spread && (!mapping || own < unused)) {
      mapping = spread;
      unused = own;
    }
    return mapping && unused <= kAllUsed;
  };
  if (attempt(access, 1))
    return mapping;
  TileMappingAttr factored = factorParts(access);
  if (attempt(factored, 1))
    return mapping;
  for (int64_t factor : getFactorsOfCopies(factored))
    if (attempt(factored, factor))
      return mapping;
  if (access.getLayout() && (!mapping || unused >= 3 * kAllUsed))
    return cutStorage(access, elementBytes);
  return mapping;
}

/// Returns a tile mapping of `domain` whose dimensions have the same numbers of
/// parts as in `mapping`, of equal sizes.
static TileMappingAttr rescale(TileMappingAttr mapping,
                               ArrayRef<int64_t> domain) {
  SmallVector<TileMappingBlock> blocks = llvm::to_vector(mapping.getBlocks());
  SmallVector<int64_t> groups(domain.size(), 1);
  for (const StorageDim &dim : mapping.getStorageDims())
    if (domain[dim.dim] % dim.group == 0)
      groups[dim.dim] = dim.group;
  for (auto [block, size, group] : llvm::zip_equal(blocks, domain, groups))
    if (!block.isAll())
      block = getEvenBlock(block.axis, size, mapping.getGrid()[block.axis],
                           /*step=*/1, group);
  auto rescaled =
      mapping.withBlocks(domain, blocks).withFittedLayout(mapping.getLayout());
  return getSpreadTileMapping(rescaled);
}

TileMappingAttr mlir::ipu::getSeparatedTileMapping(TileMappingAttr mapping,
                                                   ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> domain = mapping.getDomain();
  MLIRContext *context = mapping.getContext();
  SmallVector<int64_t> separate;
  SmallVector<TileMappingBlock> blocks;
  // The new dimensions of each dimension of the domain.
  SmallVector<SmallVector<AffineExpr, 2>> dims;
  size_t at = 0;
  bool isMerged = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    size_t first = at;
    if (takeFactors(domain, at, sizes[i])) {
      for (size_t dim = first; dim < at; ++dim) {
        dims.push_back({getAffineDimExpr(separate.size(), context)});
        separate.push_back(domain[dim]);
        blocks.push_back(mapping.getBlocks()[dim]);
      }
      continue;
    }
    at = first;
    if (at == domain.size())
      return nullptr;
    SmallVector<AffineExpr, 2> &own = dims.emplace_back();
    int64_t product = 1;
    for (; i < sizes.size() && product < domain[at]; ++i) {
      own.push_back(getAffineDimExpr(separate.size(), context));
      separate.push_back(sizes[i]);
      blocks.emplace_back();
      product *= sizes[i];
    }
    if (product != domain[at++])
      return nullptr;
    --i;
    isMerged = true;
  }
  if (!isMerged)
    return mapping;
  if (at != domain.size() || mapping.isNested())
    return nullptr;
  SmallVector<AffineExpr> layout;
  for (const StorageDim &dim : mapping.getStorageDims()) {
    if (dim.group == 1) {
      llvm::append_range(layout, dims[dim.dim]);
      continue;
    }
    if (dims[dim.dim].size() > 1)
      return nullptr;
    AffineExpr expr = dims[dim.dim].front();
    layout.push_back(dim.isInGroup ? expr % dim.group
                                   : expr.floorDiv(dim.group));
  }
  return mapping.withBlocks(separate, blocks)
      .withFittedLayout(AffineMap::get(separate.size(), 0, layout, context));
}

TileMappingAttr mlir::ipu::getRescaledTileMapping(TileMappingAttr mapping,
                                                  ArrayRef<int64_t> sizes,
                                                  ArrayRef<int64_t> shape) {
  if (sizes.size() != shape.size())
    return nullptr;
  // The domain of `mapping` with the dimensions of one element that grow, and
  // the domain of the result.
  SmallVector<int64_t> own, domain;
  size_t at = 0;
  for (auto [size, all] : llvm::zip_equal(sizes, shape)) {
    std::optional<ArrayRef<int64_t>> factors =
        takeFactors(mapping.getDomain(), at, size);
    if (!factors)
      return nullptr;
    size_t first = own.size();
    llvm::append_range(own, *factors);
    llvm::append_range(domain, *factors);
    if (size == all)
      continue;
    if (factors->empty()) {
      own.push_back(1);
      domain.push_back(1);
    }
    auto *whole = std::find(domain.begin() + first, domain.end(), size);
    if (whole != domain.end()) {
      *whole = all;
      continue;
    }
    // `shape` has `all / size` times as many blocks of the factorised
    // dimension.
    if (size == 0 || all % size != 0)
      return nullptr;
    domain[first] *= all / size;
  }
  if (at != mapping.getDomain().size())
    return nullptr;
  TileMappingAttr refactored = mapping.refactor(own);
  return refactored ? rescale(refactored, domain) : nullptr;
}

/// `mapping` is a tile mapping of a view, over a factorisation of the sizes
/// `sizes` of the view. The sizes of the buffer are `shape`, and neighbouring
/// elements of the view are `step` elements apart in the buffer. Returns a tile
/// mapping of the buffer that stores the elements which the view skips on the
/// same tiles, separate from the elements of the view. If a size does not
/// divide its dimension of `shape`, the view selects a part of this dimension.
/// Returns null if such a dimension is factorised.
static TileMappingAttr getWithSkipped(TileMappingAttr mapping,
                                      ArrayRef<int64_t> sizes,
                                      ArrayRef<int64_t> shape, int64_t step) {
  SmallVector<int64_t> domain, whole;
  SmallVector<TileMappingBlock> blocks;
  SmallVector<AffineExpr> layout, dims;
  MLIRContext *context = mapping.getContext();
  auto addSkipped = [&](int64_t count) {
    if (count == 1)
      return;
    layout.push_back(getAffineDimExpr(domain.size(), context));
    domain.push_back(count);
    whole.push_back(count);
    blocks.emplace_back();
  };
  size_t at = 0;
  for (auto [size, all] : llvm::zip_equal(sizes, shape)) {
    size_t first = at;
    std::optional<ArrayRef<int64_t>> factors =
        takeFactors(mapping.getDomain(), at, size);
    if (!factors)
      return nullptr;
    bool isPart = all % size != 0;
    if (isPart && !llvm::is_contained(*factors, size))
      return nullptr;
    addSkipped(isPart ? 1 : all / size);
    for (size_t dim = first; dim < at; ++dim)
      dims.push_back(getAffineDimExpr(domain.size() + dim - first, context));
    for (int64_t factor : *factors)
      whole.push_back(isPart && factor == size ? all : factor);
    llvm::append_range(domain, *factors);
    llvm::append_range(blocks, mapping.getBlocks().slice(first, at - first));
  }
  // This also fails for a view of one element, which has no dimensions.
  if (at != mapping.getDomain().size())
    return nullptr;
  addSkipped(step);
  AffineMap inner = mapping.getLayout();
  if (!inner)
    inner = AffineMap::getMultiDimIdentityMap(dims.size(), context);
  for (AffineExpr result : inner.getResults())
    layout.push_back(result.replaceDims(dims));
  auto skipping =
      mapping.withBlocks(domain, blocks)
          .withLayout(AffineMap::get(domain.size(), 0, layout, context));
  return !skipping || domain == whole ? skipping : rescale(skipping, whole);
}

/// Returns the strides of the dimensions of a view that have one element, in
/// descending order.
static SmallVector<int64_t> getStridesOfSingles(const StridedView &view) {
  SmallVector<int64_t> strides;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides))
    if (size == 1 && stride != 0)
      strides.push_back(std::abs(stride));
  llvm::sort(strides, std::greater<>());
  return strides;
}

/// Implements getTileMappingOfBuffer() and, with `isOfSlices`,
/// getTileMappingOfSlices().
static TileMappingAttr getTileMappingAround(TileMappingAttr mapping,
                                            const StridedView &view,
                                            int64_t numElements,
                                            bool isOfSlices) {
  if (numElements == 0 || view.getNumElements() == 0)
    return nullptr;
  if (view.isContiguous() && view.getNumElements() == numElements)
    return mapping;
  // The dimensions of the buffer are the dimensions of the view in descending
  // order of stride. Reversed dimensions, for example of the flipped weights of
  // a gradient, are split as if they were not reversed, because the parts have
  // the same sizes.
  SmallVector<unsigned> order = getOrderOfStrides(view);
  int64_t stride = numElements;
  SmallVector<int64_t> sizes, shape;
  SmallVector<int64_t> singles = getStridesOfSingles(view);
  for (unsigned dim : order) {
    int64_t step = std::abs(view.strides[dim]);
    if (step == 0 || stride % step != 0)
      return nullptr;
    // The view may select one position of a dimension, such as one row.
    for (int64_t single : singles)
      if (single < stride && stride % single == 0 && single % step == 0 &&
          single / step >= view.sizes[dim]) {
        sizes.push_back(1);
        shape.push_back(stride / single);
        stride = single;
      }
    sizes.push_back(view.sizes[dim]);
    shape.push_back(stride / step);
    if (shape.back() < sizes.back())
      return nullptr;
    stride = step;
  }
  if (!llvm::is_sorted(order)) {
    mapping = permuteFactors(mapping, view.sizes, order);
    if (!mapping)
      return nullptr;
  }
  if (stride != 1 || isOfSlices)
    return getWithSkipped(mapping, sizes, shape, stride);
  return sizes == shape ? mapping
                        : getRescaledTileMapping(mapping, sizes, shape);
}

TileMappingAttr mlir::ipu::getTileMappingOfBuffer(TileMappingAttr mapping,
                                                  const StridedView &view,
                                                  int64_t numElements) {
  return getTileMappingAround(mapping, view, numElements, /*isOfSlices=*/false);
}

TileMappingAttr mlir::ipu::getTileMappingOfSlices(TileMappingAttr mapping,
                                                  const StridedView &view,
                                                  int64_t numElements) {
  return getTileMappingAround(mapping, view, numElements, /*isOfSlices=*/true);
}
