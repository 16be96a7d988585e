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

/// A dimension of a tile mapping's domain, and the axis that splits it. One
/// that no axis splits is in one part.
struct TileMappingDim {
  int64_t size = 1;
  /// Between elements of the variable.
  int64_t stride = 1;
  /// Parts that hold anything: part p is [p * step, p * step + extent).
  int64_t parts = 1, step = 1, extent = 1;
  /// Which part each tile of the grid has, also of those that hold nothing;
  /// the number of the axis among those of the grid, or -1.
  GridAxis axis;
  int64_t axisIndex = -1;
  /// Between regions of one part and the next.
  int64_t regionStride = 0;

  int64_t getPartSize(int64_t part) const {
    return std::min(extent, size - part * step);
  }
  /// The part of a tile of the grid, counted from the first.
  int64_t getPart(int64_t tile) const { return axis.getCoordinate(tile); }
  /// The tile of a part, of those that have the first part of other dimensions.
  int64_t getTile(int64_t part) const { return axis.getOffset(part); }
  bool hasOverlaps() const { return parts > 1 && extent > step; }
  /// Makes a dimension that no axis splits one of one element.
  void makeOne() { size = step = extent = 1; }
};

/// A tile mapping, with as few dimensions as possible. Regions are numbered
/// row-major by the axes that split a dimension; the tiles of a region hold
/// copies of it.
struct TileMappingSide {
  explicit TileMappingSide(TileMappingAttr mapping);

  /// Outermost first.
  SmallVector<TileMappingDim, 4> dims;
  /// The dimensions in the order in which a region stores them, innermost
  /// first.
  SmallVector<unsigned, 4> storage;
  int64_t first, numTiles, numTileRegions = 1;
  /// Of each axis of the grid; IPUs that it is on, and the numbers of tiles
  /// that each has if these are several.
  SmallVector<GridAxis, 4> axes;
  int64_t numIPUs = 1, ipuTiles, gridTilesPerIPU;
  /// Tile numbers of a region less that of its first tile, ascending.
  SmallVector<int64_t> copies = {0};

  /// How far apart in the storage of a region of the whole domain elements are
  /// that are `step` apart in the variable, if they differ in one dimension.
  int64_t getStorageStep(int64_t step) const;
  /// Whether a tile holds what another one holds.
  bool hasOverlaps() const {
    return copies.size() > 1 || llvm::any_of(dims, [](const TileMappingDim &d) {
             return d.hasOverlaps();
           });
  }
  /// Whether a tile, counted from `first`, is one of the grid.
  bool isInGrid(int64_t tile) const {
    return tile >= 0 && tile < numTiles && tile % ipuTiles < gridTilesPerIPU;
  }
  /// The region of each tile, -1 of those that are not of the grid, and the
  /// first tile of each region.
  void getTileRegions(SmallVectorImpl<int32_t> &regionOfTile,
                      SmallVectorImpl<int32_t> &tileOfRegion) const;
  /// Part in dimension `dim` of a tile of the grid, counted from `first`. The
  /// grid has the tile.
  int64_t getPart(size_t dim, int64_t tile) const {
    return dims[dim].getPart(tile);
  }
};

/// Loops over the elements of a move, with steps at the source and at the
/// target; steps at the target are not negative and, in the storage of the
/// target, descend.
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

/// The loops of a move in parts such that each loop of a part stays, where it
/// can, in one dimension of the storage of source and target: one part where
/// both have no layout. A run ends where a part ends.
SmallVector<MoveLoops, 1> getMoveParts(const ExchangeMove &move);

/// A part of a move between two mappings.
struct MovePart {
  MovePart(const ExchangeMove &move, MoveLoops loops)
      : from(move.fromMapping), to(move.toMapping), loops(std::move(loops)),
        elementBytes(move.elementBytes) {}

  /// Makes elements one that both sides store next to each other wherever they
  /// store any of them. The source's then are no elements of the variable.
  void joinElements();

  TileMappingSide from, to;
  MoveLoops loops;
  int64_t elementBytes;
  /// Elements of the variable that an element stands for.
  int64_t joined = 1;
};

/// Elements and runs that a move gives each region of the target, and what is
/// different for a tile that holds some of them. Tiles count from tile 0,
/// regions are those of a TileMappingSide; where each tile is looked at, it has
/// a region of its own.
struct MoveTraffic {
  struct Part {
    int64_t elements = 0, runs = 0;
    /// Elements of runs that are not whole words.
    int64_t subword = 0;
  };
  explicit MoveTraffic(int64_t ipus) : linkIn(ipus), linkOut(ipus) {}

  /// Makes each element `times` elements.
  void multiply(int64_t times);

  SmallVector<int32_t, 0> regionOfTile, tileOfRegion;
  SmallVector<int64_t> copies;
  int64_t first = 0;
  SmallVector<Part, 0> regions;
  /// Of what its region gets, what a tile holds already.
  SmallVector<Part, 0> local;
  SmallVector<Count> linkIn, linkOut;
  std::map<std::pair<int64_t, int64_t>, Count> links; // from, to
  /// Of what its region gets, elements that both a tile and its mate, which has
  /// the same region, hold already; empty if no two tiles hold one.
  SmallVector<int64_t, 0> heldInPair;
};

/// Elements of one source variable that each tile sends, and runs of them.
struct SourceTraffic {
  SourceTraffic(int64_t numTiles) : sent(numTiles), sendRuns(numTiles) {}

  SmallVector<Count, 0> sent, sendRuns;

  /// Whether elements may be seen more than once: they are kept, so that each
  /// counts once.
  bool isUnion = false;
  struct Interval {
    int64_t begin, end;
    int32_t tile;
  };
  SmallVector<Interval, 0> intervals;
  /// Instead of intervals of one element, where the variable has not too many:
  /// those that were seen.
  BitVector seen;

  /// Elements of a variable of `numElements` may be seen more than once.
  void makeUnion(int64_t numElements);

  /// Elements `begin`, `begin + step`... that `tile` sends.
  void add(int64_t tile, int64_t begin, int64_t step, int64_t count);
  /// Adds elements that were kept to `sent`.
  void finish();
  /// Adds what `other` sends, each element of which is `times` elements.
  void add(const SourceTraffic &other, int64_t times);
};

/// Adds up `move` by products; fails if its tile mappings or views do not allow
/// it.
LogicalResult addByProduct(const TargetModel &target, const MovePart &part,
                           MoveTraffic &traffic, SourceTraffic &source);

/// Adds up `move` by a sweep.
void addBySweep(const TargetModel &target, const MovePart &part,
                MoveTraffic &traffic, SourceTraffic &source);

/// At most how many pieces a sweep looks at.
Count countPieces(const MovePart &part);

/// Adds upper bounds of what `move` does.
void addByBound(const TargetModel &target, const ExchangeMove &move,
                const MovePart &part, MoveTraffic &traffic,
                SourceTraffic &source);

/// The mate of `tile`, with which it shares an exchange bus; -1 if it has none.
inline int64_t getMate(const TargetModel &target, int64_t tile) {
  int64_t base = tile - tile % target.tiles, mate = (tile - base) ^ 1;
  return mate < target.tiles ? base + mate : -1;
}

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H
