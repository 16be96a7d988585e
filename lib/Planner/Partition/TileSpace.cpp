//===- TileSpace.cpp - Tiles on which a tensor may be -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/TileSpace.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Planner/Partition/LoopPartition.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the number of the first tile of the space and the number of the tile
/// after its last tile.
static std::pair<int64_t, int64_t> getRange(const TileSpace &space,
                                            const TargetModel &target) {
  if (!space.ipu && target.io_tiles == 0)
    return {0, space.kind == TileSpace::Kind::Compute
                   ? target.getTilesPerReplica()
                   : 0};
  int64_t ipu = space.ipu.value_or(0);
  int64_t first = ipu < target.ipus ? ipu * target.tiles : 0;
  int64_t middle = first + target.getComputeTiles();
  if (ipu >= target.ipus)
    return {first, first};
  return space.kind == TileSpace::Kind::Compute
             ? std::pair(first, middle)
             : std::pair(middle, first + target.tiles);
}

int64_t TileSpace::getFirst(const TargetModel &target) const {
  return getRange(*this, target).first;
}

int64_t TileSpace::getNumTiles(const TargetModel &target) const {
  auto [begin, end] = getRange(*this, target);
  return end - begin;
}

TargetModel TileSpace::getTarget(const TargetModel &target) const {
  TargetModel result = target;
  if (kind == Kind::IO) {
    result.tiles = target.io_tiles;
    result.io_tiles = 0;
  }
  if (ipu || target.io_tiles > 0)
    result.ipus = 1;
  return result;
}

void TileSpace::print(raw_ostream &os) const {
  os << (kind == Kind::Compute ? "compute" : "I/O") << " tiles";
  if (ipu)
    os << " of IPU " << *ipu;
}

TileSpace mlir::ipu::getTileSpace(Value value) {
  return {pop::getTileSet(value) == pop::TileSet::IO ? TileSpace::Kind::IO
                                                     : TileSpace::Kind::Compute,
          pop::getVgraph(value)};
}

TileMappingAttr mlir::ipu::moveTiles(TileMappingAttr mapping,
                                     int64_t distance) {
  if (distance == 0)
    return mapping;
  return TileMappingAttr::get(
      mapping.getContext(), mapping.getDomain(), mapping.getGrid(),
      mapping.getBlocks(), mapping.getFirst() + distance, mapping.getLayout(),
      mapping.getIpus(), mapping.getIpuTiles());
}

TileMappingAttr mlir::ipu::getRowMajorTileMapping(MLIRContext *context,
                                                  const TargetModel &target,
                                                  const TileSpace &space,
                                                  int64_t numElements,
                                                  Type elementType) {
  return getLinearTileMapping(context, space.getTarget(target), numElements,
                              elementType);
}

TileMappingAttr mlir::ipu::getDefaultTileMapping(const TargetModel &target,
                                                 const TileSpace &space,
                                                 ShapedType type) {
  return moveTiles(getRowMajorTileMapping(type.getContext(), target, space,
                                          type.getNumElements(),
                                          type.getElementType()),
                   space.getFirst(target));
}
