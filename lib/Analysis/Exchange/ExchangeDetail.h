//===- ExchangeDetail.h - Parts of the exchange analysis --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file declares the analysis of one move of an exchange, which computes
// the elements that each tile sends and receives. Two methods compute the same
// numbers. ExchangeProduct.cpp multiplies one-dimensional overlaps, if the tile
// mappings allow it. ExchangeSweep.cpp visits the elements in a sweep, for all
// mappings and views. If a sweep would take too long, ExchangeBound.cpp
// computes upper bounds instead.
//
// An axis of the grid of tiles may divide a dimension of a tile mapping into
// parts. A region is the set of elements in one part of each dimension. A run
// is a sequence of elements that are adjacent both in a region of the source
// and in a region of the target.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace mlir::ipu::exchange {

/// A dimension of the domain of a tile mapping, and the axis that divides it. A
/// dimension that no axis divides has one part.
struct TileMappingDim {
  int64_t size = 1;
  /// The distance, in elements of the variable, between consecutive elements
  /// along the dimension.
  int64_t stride = 1;
  /// The number of parts that contain elements, and their coordinates: part p
  /// is [p * step, p * step + extent).
  int64_t parts = 1, step = 1, extent = 1;
  /// The axis that divides the dimension, and the number of the axis in the
  /// grid, or -1 if no axis divides it. The axis defines the part of each tile
  /// of the grid, including tiles without elements.
  GridAxis axis;
  int64_t axisIndex = -1;
  /// The difference between the numbers of the regions of consecutive parts.
  int64_t regionStride = 0;

  int64_t getPartSize(int64_t part) const {
    return std::min(extent, size - part * step);
  }
  /// Returns the number of the part that contains the elements of `tile`, which
  /// is in the grid and counted from the first tile of the tile mapping. The
  /// result is at least `parts` if the tile has no elements.
  int64_t getPart(int64_t tile) const { return axis.getCoordinate(tile); }
  /// Returns the tile that has this part and the first part of all other
  /// dimensions.
  int64_t getTile(int64_t part) const { return axis.getOffset(part); }
  bool hasOverlaps() const { return parts > 1 && extent > step; }
  /// Returns whether some part has one element, and some part has more.
  bool isMixed() const {
    return extent > 1 && parts > 1 && getPartSize(parts - 1) == 1;
  }
  /// Converts a dimension that no axis divides to a dimension with one element.
  void makeOne() { size = step = extent = 1; }
};

/// A tile mapping in a form with as few dimensions as possible. Regions are
/// numbered in row-major order of the axes that divide dimensions. Each tile of
/// a region holds a copy of it.
struct TileMappingSide {
  explicit TileMappingSide(TileMappingAttr mapping);

  /// The dimensions of the domain, outermost first.
  SmallVector<TileMappingDim, 4> dims;
  /// The order in which a region stores the dimensions, innermost first.
  SmallVector<unsigned, 4> storage;
  int64_t first, numTiles, numTileRegions = 1;
  /// For each axis of the grid: the IPUs along the axis and, if there are
  /// several IPUs, the tile numbers of each IPU.
  SmallVector<GridAxis, 4> axes;
  int64_t numIPUs = 1, ipuTiles, gridTilesPerIPU;
  /// The numbers of the tiles that hold a region, relative to its first tile,
  /// in ascending order.
  SmallVector<int64_t> copies = {0};

  /// Returns the distance, in the storage of a region that contains the whole
  /// domain, between two elements that have the distance `step` in the
  /// variable. The elements must differ in only one dimension.
  int64_t getStorageStep(int64_t step) const;
  /// Returns whether two tiles hold the same element.
  bool hasOverlaps() const {
    return copies.size() > 1 || llvm::any_of(dims, [](const TileMappingDim &d) {
             return d.hasOverlaps();
           });
  }
  /// Returns whether a tile, counted from `first`, belongs to the grid.
  bool isInGrid(int64_t tile) const {
    return tile >= 0 && tile < numTiles && tile % ipuTiles < gridTilesPerIPU;
  }
  /// Sets `regionOfTile` to the number of the region of each tile, or -1 for a
  /// tile that is not in the grid. Sets `tileOfRegion` to the first tile of
  /// each region.
  void getTileRegions(SmallVectorImpl<int32_t> &regionOfTile,
                      SmallVectorImpl<int32_t> &tileOfRegion) const;
  /// Returns the number of the part of dimension `dim` that contains the
  /// elements of `tile`. The tile is counted from `first` and must be in the
  /// grid.
  int64_t getPart(size_t dim, int64_t tile) const {
    return dims[dim].getPart(tile);
  }
};

/// A loop over the elements of a move: the number of iterations, and the
/// distances between consecutive iterations at the source and at the target.
/// Distances at the target are not negative. In nested loops, outer loops have
/// greater distances in the storage of the target than inner loops.
struct MoveLoop {
  int64_t size, from, to;
};
struct MoveLoops {
  explicit MoveLoops(const ExchangeMove &move);

  SmallVector<MoveLoop, 4> loops;
  int64_t from, to;
  bool isEmpty = false;

  int64_t getNumElements() const;
  /// Returns whether the loops read each element of the source at most once.
  bool readsOnce() const;
};

/// Returns the loops of a move, divided into parts. If possible, each loop of a
/// part stays in one dimension of the storage of the source and of the target.
/// If neither the source nor the target has a layout, there is one part. A run
/// ends where a part ends.
SmallVector<MoveLoops, 1> getMoveParts(const ExchangeMove &move);

/// One part of a move between two tile mappings.
struct MovePart {
  MovePart(const ExchangeMove &move, MoveLoops loops)
      : from(move.fromMapping), to(move.toMapping), loops(std::move(loops)),
        elementBytes(move.elementBytes) {}

  /// Combines elements that both sides always store contiguously into one
  /// larger element. Afterwards, an element of the loops is no longer an
  /// element of the variable.
  void joinElements();

  TileMappingSide from, to;
  MoveLoops loops;
  int64_t elementBytes;
  /// The number of elements of the variable that one combined element contains.
  int64_t joined = 1;
};

/// The elements and runs that a move sends to each region of the target, and,
/// for each tile, the elements of its region that the tile already holds. Tiles
/// of the target are counted from its first tile, `first`. The regions are
/// usually those of a TileMappingSide. If each tile is processed separately,
/// each tile has a region of its own.
struct MoveTraffic {
  /// The indices of the first element of a run in the regions of the source and
  /// of the target, and the number of elements of the run.
  struct Run {
    int64_t from = 0, to = 0, length = 0;
  };
  struct Part {
    int64_t elements = 0, runs = 0;
    /// The number of elements in runs that change their position in a word, and
    /// the bytes by which runs grow if both ends are rounded out to words.
    int64_t packed = 0, padding = 0;

    /// Adds the packed elements and the padding of `times` equal runs.
    void addWords(const Run &run, int64_t elementBytes, int64_t times = 1);
    /// Adds the packed elements and the padding of `number` runs of one
    /// element. The first run is `first`, and the others follow at steps of
    /// `fromStep` and `toStep` elements.
    void addWordsOfElements(const Run &first, int64_t fromStep, int64_t toStep,
                            int64_t number, int64_t elementBytes);
  };
  explicit MoveTraffic(int64_t ipus) : linkIn(ipus), linkOut(ipus) {}

  /// Multiplies all numbers of elements by `times`. Used for combined elements.
  void multiply(int64_t times);

  SmallVector<int32_t, 0> regionOfTile, tileOfRegion;
  SmallVector<int64_t> copies;
  int64_t first = 0;
  SmallVector<Part, 0> regions;
  /// For each tile, the elements of its region that the tile already holds.
  SmallVector<Part, 0> local;
  SmallVector<Count> linkIn, linkOut;
  std::map<std::pair<int64_t, int64_t>, Count> links; // from, to
  /// For each tile whose mate (see getMate()) has the same region: the number
  /// of elements of the region that both tiles already hold. The vector is
  /// empty if no two tiles hold the same element.
  SmallVector<int64_t, 0> heldInPair;
};

/// The elements of one source variable that each tile sends, and the number of
/// their runs.
struct SourceTraffic {
  SourceTraffic(int64_t numTiles) : sent(numTiles), sendRuns(numTiles) {}

  SmallVector<Count, 0> sent, sendRuns;

  /// Whether an element may be added more than once. If so, the added elements
  /// are stored, so that finish() counts each element once.
  bool isUnion = false;
  struct Interval {
    int64_t begin, end;
    int32_t tile;
  };
  SmallVector<Interval, 0> intervals;
  /// The elements that were added one by one, if the variable is small enough
  /// for a bit per element. These elements are then not in `intervals`.
  BitVector seen;

  /// Prepares for elements that may be added more than once. `numElements` is
  /// the number of elements of the variable.
  void makeUnion(int64_t numElements);

  /// Adds `count` elements that `tile` sends: `begin`, `begin + step`, and so
  /// on.
  void add(int64_t tile, int64_t begin, int64_t step, int64_t count);
  /// Adds the stored elements to `sent`.
  void finish();
  /// Adds the elements of `other`, each as `times` elements, and the runs of
  /// `other`.
  void add(const SourceTraffic &other, int64_t times);
};

/// Computes the traffic of `part` by products. Fails if the tile mappings or
/// views of the part do not allow it.
LogicalResult addByProduct(const TargetModel &target, const MovePart &part,
                           MoveTraffic &traffic, SourceTraffic &source);

/// Computes the traffic of `part` by a sweep.
void addBySweep(const TargetModel &target, const MovePart &part,
                MoveTraffic &traffic, SourceTraffic &source);

/// Returns an upper bound of the number of sequences of elements that a sweep
/// visits (see forEachPiece()).
Count countPieces(const TileMappingSide &from, const TileMappingSide &to,
                  ArrayRef<MoveLoop> loops);
Count countPieces(const MovePart &part);

/// Adds upper bounds of the traffic of `part`, which is a part of `move`.
void addByBound(const TargetModel &target, const ExchangeMove &move,
                const MovePart &part, MoveTraffic &traffic,
                SourceTraffic &source);

/// Returns the mate of `tile`, the tile that shares an exchange bus with it, or
/// -1 if there is none.
inline int64_t getMate(const TargetModel &target, int64_t tile) {
  int64_t base = tile - tile % target.tiles, mate = (tile - base) ^ 1;
  return mate < target.tiles ? base + mate : -1;
}

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEDETAIL_H
