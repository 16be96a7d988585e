//===- EvenTileMapping.cpp - Tile mappings of stored tensors --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the dimensions of the storage of `mapping`, as dimensions of the
/// tensor with the dimensions `shape`. Only the innermost group remains.
/// Returns no dimensions if a dimension of the domain merges dimensions of the
/// tensor, or if a group consists of elements of several of them.
static SmallVector<StorageDim> getStorageOfTensor(TileMappingAttr mapping,
                                                  ArrayRef<int64_t> shape) {
  // The dimension of the tensor for each dimension of the domain, or -1 for an
  // outer factor of a dimension.
  SmallVector<int64_t> ofDomain;
  size_t at = 0;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    size_t first = at;
    if (!takeFactors(mapping.getDomain(), at, size) || at == first)
      return {};
    ofDomain.append(at - first - 1, -1);
    ofDomain.push_back(static_cast<int64_t>(dim));
  }
  if (at != mapping.getDomain().size())
    return {};
  SmallVector<StorageDim> storage = mapping.getStorageDims();
  int64_t innermost = storage.empty() ? -1 : storage.back().dim;
  SmallVector<StorageDim> result;
  for (StorageDim dim : storage) {
    bool isInnermost = dim.dim == innermost;
    if (ofDomain[dim.dim] < 0) {
      if (dim.group > 1)
        return {};
      continue;
    }
    // Other dimensions keep only the position in their groups, which determines
    // what is contiguous.
    if (!isInnermost && dim.group > 1 && !dim.isInGroup)
      continue;
    result.push_back({ofDomain[dim.dim], isInnermost ? dim.group : 1,
                      isInnermost && dim.isInGroup});
  }
  return result;
}

static AffineMap getLayout(MLIRContext *context, ArrayRef<StorageDim> storage,
                           unsigned rank) {
  SmallVector<AffineExpr> results;
  for (const StorageDim &dim : storage) {
    AffineExpr expr = getAffineDimExpr(dim.dim, context);
    results.push_back(dim.isInGroup    ? expr % dim.group
                      : dim.group == 1 ? expr
                                       : expr.floorDiv(dim.group));
  }
  auto layout = AffineMap::get(rank, 0, results, context);
  return layout.isIdentity() ? AffineMap() : layout;
}

TileMappingAttr mlir::ipu::getEvenTileMapping(TileMappingAttr mapping,
                                              ArrayRef<int64_t> shape,
                                              int64_t elementBytes,
                                              int64_t numTiles) {
  if (mapping.isNested() || !mapping.coversOnce() ||
      ShapedType::getNumElements(shape) == 0)
    return nullptr;
  SmallVector<StorageDim> storage = getStorageOfTensor(mapping, shape);
  if (storage.empty())
    return nullptr;
  // The innermost dimension is divided into whole groups and words, and one
  // other dimension, the longest one, into single elements.
  int64_t inner = storage.back().dim;
  int64_t grain = storage.back().group == 1 ? getWordGrain(elementBytes)
                                            : storage.back().group;
  int64_t outer = -1;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (dim != inner && (outer < 0 || shape[dim] > shape[outer]))
      outer = dim;
  int64_t numGrains = llvm::divideCeilSigned(shape[inner], grain);
  int64_t outerSize = outer < 0 ? 1 : shape[outer];
  int64_t others = mapping.getNumElements() / (shape[inner] * outerSize);
  int64_t least = mapping.getMaxElements();
  TileMappingBlock innerBlock, outerBlock;
  int64_t innerParts = 0, outerParts = 0;
  // Fewer parts of the inner dimension give longer contiguous runs.
  for (int64_t parts = 1; parts <= std::min(numGrains, numTiles); ++parts) {
    int64_t step = llvm::divideCeilSigned(numGrains, parts) * grain;
    int64_t ofInner = llvm::divideCeilSigned(shape[inner], step);
    int64_t outerStep = llvm::divideCeilSigned(outerSize, numTiles / ofInner);
    int64_t elements =
        (Count(std::min(step, shape[inner])) * outerStep * others).get();
    if (elements >= least)
      continue;
    least = elements;
    innerBlock = {1, step, step};
    outerBlock = {0, outerStep, outerStep};
    innerParts = ofInner;
    outerParts = llvm::divideCeilSigned(outerSize, outerStep);
  }
  if (innerParts == 0)
    return nullptr;
  SmallVector<TileMappingBlock> blocks(shape.size());
  blocks[inner] = innerBlock;
  if (outer >= 0)
    blocks[outer] = outerBlock;
  return TileMappingAttr::get(mapping.getContext(), shape,
                              {outerParts, innerParts}, blocks, /*first=*/0)
      .withFittedLayout(getLayout(mapping.getContext(), storage, shape.size()));
}
