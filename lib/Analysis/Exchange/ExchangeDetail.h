//===- ExchangeDetail.h - Parts of the exchange analysis --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analysis of one move. Two methods give the same numbers: products of
// one-dimensional overlaps (ExchangeProduct.cpp), if the tile mappings allow
// it, or a sweep (ExchangeSweep.cpp), for all mappings and views. If a sweep
// would take too long, upper bounds are used (ExchangeBound.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace mlir::ipu::exchange {

/// A dimension of a tile mapping's domain, and the axis that splits it. A
/// dimension that no axis splits has one part.
struct TileMappingDim {
  int64_t size = 1;
  /// The distance of elements in the variable.
  int64_t stride = 1;
  /// Parts that contain elements: part p is [p * step, p * step + extent).
  int64_t parts = 1, step = 1, extent = 1;
  /// Defines the part of each tile of the grid, including tiles without
  /// elements; and the number of the axis in the grid, or -1.
  GridAxis axis;
  int64_t axisIndex = -1;
  /// The distance between the regions of consecutive parts.
  int64_t regionStride = 0;

  int64_t getPartSize(int64_t part) const {
    return std::min(extent, size - part * step);
  }
  /// The part of a tile of the grid. Tiles are counted from the first tile.
  int64_t getPart(int64_t tile) const { return axis.getCoordinate(tile); }
  /// The tile of a part, among the tiles that have the first part of all other
  /// dimensions.
  int64_t getTile(int64_t part) const { return axis.getOffset(part); }
  bool hasOverlaps() const { return parts > 1 && extent > step; }
  /// Converts a dimension that no axis splits to a dimension with one element.
  void makeOne() { size = step = extent = 1; }
};

/// A tile mapping with as few dimensions as possible. Regions are numbered in
/// row-major order of the axes that split a dimension. The tiles of a region
/// hold copies of it.
struct TileMappingSide {
  explicit TileMappingSide(TileMappingAttr mapping);

  /// Outermost first.
  SmallVector<TileMappingDim, 4> dims;
  /// The order in which a region stores the dimensions, innermost first.
  SmallVector<unsigned, 4> storage;
  int64_t first, numTiles, numTileRegions = 1;
  /// For each axis of the grid: the IPUs along it and, if there are several,
  /// the tile numbers of each IPU.
  SmallVector<GridAxis, 4> axes;
  int64_t numIPUs = 1, ipuTiles, gridTilesPerIPU;
  /// The tile numbers of a region, relative to its first tile, ascending.
  SmallVector<int64_t> copies = {0};

  /// The distance, in the storage of a region of the whole domain, of elements
  /// whose distance in the variable is `step`, if they differ in one dimension.
  int64_t getStorageStep(int64_t step) const;
  /// Whether some tile holds elements that another tile also holds.
  bool hasOverlaps() const {
    return copies.size() > 1 || llvm::any_of(dims, [](const TileMappingDim &d) {
             return d.hasOverlaps();
           });
  }
  /// Whether a tile, counted from `first`, belongs to the grid.
  bool isInGrid(int64_t tile) const {
    return tile >= 0 && tile < numTiles && tile % ipuTiles < gridTilesPerIPU;
  }
  /// The region of each tile (-1 for tiles that are not in the grid), and the
  /// first tile of each region.
  void getTileRegions(SmallVectorImpl<int32_t> &regionOfTile,
                      SmallVectorImpl<int32_t> &tileOfRegion) const;
  /// The part, in dimension `dim`, of a tile, counted from `first`. The tile
  /// must be in the grid.
  int64_t getPart(size_t dim, int64_t tile) const {
    return dims[dim].getPart(tile);
  }
};

/// Loops over the elements of a move, with steps at the source and at the
/// target. Steps at the target are not negative, and descend in the storage of
/// the target.
struct MoveLoop {
  int64_t size, from, to;
};
struct MoveLoops {
  explicit MoveLoops(const ExchangeMove &move);

  SmallVector<MoveLoop, 4> loops;
  int64_t from, to;
  bool isEmpty = false;

  int64_t getNumElements() const;
  /// Whether no element of the source is visited twice.
  bool readsOnce() const;
};

/// The loops of a move in parts, such that each loop of a part stays in one
/// dimension of the storage of source and target, if possible. There is one
/// part if both have no layout. A run ends where a part ends.
SmallVector<MoveLoops, 1> getMoveParts(const ExchangeMove &move);

/// A part of a move between two tile mappings.
struct MovePart {
  MovePart(const ExchangeMove &move, MoveLoops loops)
      : from(move.fromMapping), to(move.toMapping), loops(std::move(loops)),
        elementBytes(move.elementBytes) {}

  /// Joins elements that both sides always store contiguously to one element.
  /// Afterwards, the elements of the source are not elements of the variable.
  void joinElements();

  TileMappingSide from, to;
  MoveLoops loops;
  int64_t elementBytes;
  /// The number of elements of the variable in a joined element.
  int64_t joined = 1;
};

/// Elements and runs that a move brings to each region of the target, and the
/// differences for tiles that already hold some of them. Tile numbers start
/// from tile 0. Regions are those of a TileMappingSide. If each tile is
/// processed separately, it has a region of its own.
struct MoveTraffic {
  struct Part {
    int64_t elements = 0, runs = 0;
    /// Elements of runs that are not whole words.
    int64_t subword = 0;
  };
  explicit MoveTraffic(int64_t ipus) : linkIn(ipus), linkOut(ipus) {}

  /// Replaces each element by `times` elements.
  void multiply(int64_t times);

  SmallVector<int32_t, 0> regionOfTile, tileOfRegion;
  SmallVector<int64_t> copies;
  int64_t first = 0;
  SmallVector<Part, 0> regions;
  /// The elements of a region that a tile already holds.
  SmallVector<Part, 0> local;
  SmallVector<Count> linkIn, linkOut;
  std::map<std::pair<int64_t, int64_t>, Count> links; // from, to
  /// The elements of a region that both a tile and its mate, which has the same
  /// region, already hold. Empty if no two tiles hold such an element.
  SmallVector<int64_t, 0> heldInPair;
};

/// Elements of one source variable that each tile sends, and runs of them.
struct SourceTraffic {
  SourceTraffic(int64_t numTiles) : sent(numTiles), sendRuns(numTiles) {}

  SmallVector<Count, 0> sent, sendRuns;

  /// Whether elements may be added more than once. They are then stored, so
  /// that each element counts once.
  bool isUnion = false;
  struct Interval {
    int64_t begin, end;
    int32_t tile;
  };
  SmallVector<Interval, 0> intervals;
  /// The elements that were added, if the variable has few enough elements.
  /// Replaces the intervals of one element.
  BitVector seen;

  /// Prepares for elements of a variable of `numElements` that may be added
  /// more than once.
  void makeUnion(int64_t numElements);

  /// Adds the elements `begin`, `begin + step`, ... that `tile` sends.
  void add(int64_t tile, int64_t begin, int64_t step, int64_t count);
  /// Adds the stored elements to `sent`.
  void finish();
  /// Adds the elements of `other`, each `times` times.
  void add(const SourceTraffic &other, int64_t times);
};

/// Computes the traffic of `move` by products. Fails if its tile mappings or
/// views do not allow it.
LogicalResult addByProduct(const TargetModel &target, const MovePart &part,
                           MoveTraffic &traffic, SourceTraffic &source);

/// Computes the traffic of `move` by a sweep.
void addBySweep(const TargetModel &target, const MovePart &part,
                MoveTraffic &traffic, SourceTraffic &source);

/// An upper bound of the number of pieces that a sweep visits.
Count countPieces(const MovePart &part);

/// Adds upper bounds of the traffic of `move`.
void addByBound(const TargetModel &target, const ExchangeMove &move,
                const MovePart &part, MoveTraffic &traffic,
                SourceTraffic &source);

/// The tile that shares an exchange bus with `tile`; -1 if there is none.
inline int64_t getMate(const TargetModel &target, int64_t tile) {
  int64_t base = tile - tile % target.tiles, mate = (tile - base) ^ 1;
  return mate < target.tiles ? base + mate : -1;
}

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H
