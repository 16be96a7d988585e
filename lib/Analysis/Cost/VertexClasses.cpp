//===- VertexClasses.cpp - Classes of equal vertices ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VertexClasses.h"

using namespace mlir;
using namespace mlir::ipu;

/// Elements of a dimension of `size` at coordinate `p` of the block's axis.
static int64_t getSize(int64_t size, const TileMappingBlock &block, int64_t p) {
  return block.isAll()
             ? size
             : std::clamp<int64_t>(size - p * block.step, 0, block.extent);
}

/// Where, after coordinate `p`, the size of the block is another.
static int64_t getEnd(int64_t size, const TileMappingBlock &block, int64_t p) {
  int64_t rest = size - p * block.step;
  if (rest <= 0)
    return std::numeric_limits<int64_t>::max();
  return rest >= block.extent ? (size - block.extent) / block.step + 1 : p + 1;
}

/// Begins of the stretches of coordinates of `axis` along which no size
/// changes.
static SmallVector<int64_t> getBegins(ArrayRef<TileMappingAttr> mappings,
                                      int64_t axis) {
  SmallVector<int64_t> begins;
  int64_t extent = mappings.front().getGrid()[axis];
  for (int64_t p = 0; p < extent;) {
    begins.push_back(p);
    int64_t end = extent;
    for (TileMappingAttr mapping : mappings)
      for (auto [size, block] :
           llvm::zip_equal(mapping.getDomain(), mapping.getBlocks()))
        if (block.axis == axis)
          end = std::min(end, getEnd(size, block, p));
    p = end;
  }
  return begins;
}

VertexClasses mlir::ipu::getVertexClasses(VerticesOp op, int64_t numTiles) {
  auto mappings = llvm::to_vector(op.getAccess().getAsRange<TileMappingAttr>());
  TileMappingAttr first = mappings.front();
  ArrayRef<int64_t> grid = first.getGrid();
  SmallVector<GridAxis> axes = first.getGridAxes();
  SmallVector<SmallVector<int64_t>> begins;
  for (int64_t axis = 0, e = grid.size(); axis < e; ++axis)
    begins.push_back(getBegins(mappings, axis));

  int64_t numClasses = 1;
  for (ArrayRef<int64_t> ofAxis : begins)
    numClasses *= ofAxis.size();
  VertexClasses result;
  result.classOfTile = TileCounts(numTiles);
  result.classes.resize(numClasses);
  for (int64_t ipu = 0; ipu < first.getNumIPUs(); ++ipu) {
    int64_t firstTile = ipu * first.getIpuTiles();
    // Tiles with the same coordinate on all axes done so far, innermost first,
    // and the number of classes of those axes.
    SmallVector<TileRun, 0> runs = {{0, 1, 0}};
    int64_t classesInside = 1;
    for (int64_t axis = grid.size(); axis-- > 0;) {
      SmallVector<TileRun, 0> next;
      int64_t tiles = axes[axis].stride;
      int64_t low = axes[axis].getCoordinate(firstTile);
      int64_t high = low + axes[axis].extent;
      for (auto [stretch, stretchBegin] : llvm::enumerate(begins[axis])) {
        int64_t begin = std::max(stretchBegin, low) - low;
        int64_t end = (stretch + 1 < begins[axis].size()
                           ? std::min(begins[axis][stretch + 1], high)
                           : high) -
                      low;
        int64_t base = stretch * classesInside;
        if (begin < end && runs.size() == 1)
          next.push_back({begin * tiles, end * tiles, base + runs[0].value});
        else
          for (int64_t p = begin; p < end; ++p)
            for (const TileRun &run : runs)
              next.push_back({p * tiles + run.begin, p * tiles + run.end,
                              base + run.value});
      }
      runs = std::move(next);
      classesInside *= begins[axis].size();
    }
    for (const TileRun &run : runs) {
      result.classOfTile.add(first.getFirst() + firstTile + run.begin,
                             run.end - run.begin, run.value + 1);
      result.classes[run.value].numTiles += run.end - run.begin;
    }
  }
  for (auto [index, vertexClass] : llvm::enumerate(result.classes)) {
    SmallVector<int64_t> coordinates(grid.size());
    int64_t rest = index;
    for (int64_t axis = grid.size(); axis-- > 0;) {
      coordinates[axis] = begins[axis][rest % begins[axis].size()];
      rest /= begins[axis].size();
    }
    for (TileMappingAttr mapping : mappings) {
      SmallVector<int64_t> &sizes = vertexClass.sizes.emplace_back();
      for (auto [size, block] :
           llvm::zip_equal(mapping.getDomain(), mapping.getBlocks()))
        sizes.push_back(
            getSize(size, block, block.isAll() ? 0 : coordinates[block.axis]));
    }
  }
  return result;
}
