//===- TileSpace.cpp - Tiles on which a tensor may be -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/TileSpace.h"

#include "ipu-mlir/Planner/Partition/LoopPartition.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the number of the first tile of the space and the number of the tile
/// after its last tile.
static std::pair<int64_t, int64_t> getRange(const TileSpace &space,
                                            const TargetModel &target) {
  bool isCompute = space.kind == TileSpace::Kind::Compute;
  int64_t compute = target.getComputeTilesPerReplica();
  int64_t begin = isCompute ? 0 : compute;
  int64_t end = isCompute ? compute : target.getTilesPerReplica();
  if (!space.ipu)
    return {begin, end};
  int64_t first = *space.ipu * target.tiles;
  begin = std::max(begin, first);
  return {begin, std::max(begin, std::min(end, first + target.tiles))};
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
  int64_t tiles = getNumTiles(target);
  if (kind == Kind::IO) {
    result.ipus = 1;
    result.tiles = tiles;
    result.io_tiles = 0;
  } else if (ipu) {
    result.ipus = 1;
    result.io_tiles = target.tiles - tiles;
  }
  return result;
}

void TileSpace::print(raw_ostream &os) const {
  os << (kind == Kind::Compute ? "compute" : "I/O") << " tiles";
  if (ipu)
    os << " of IPU " << *ipu;
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
