//===- TileCounts.h - Counts for all tiles ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, runs or cycles of each tile, stored as runs of tiles with equal
// counts. For a regular tile mapping, the size does not grow with the number of
// tiles.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H
#define IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

namespace mlir::ipu {

/// Tiles [begin, end) have `value` each.
struct TileRun {
  int64_t begin = 0, end = 0;
  int64_t value = 0;

  bool operator==(const TileRun &other) const {
    return begin == other.begin && end == other.end && value == other.value;
  }
};

/// A number for each of the tiles [0, numTiles). Sums saturate at Count::kMax.
class TileCounts {
public:
  explicit TileCounts(int64_t numTiles = 0) : numTiles(numTiles) {}

  /// The number of each tile in `values`.
  static TileCounts fromValues(ArrayRef<int64_t> values);

  /// Adds `value` to tiles [begin, begin + count).
  void add(int64_t begin, int64_t count, int64_t value);
  /// Adds all counts of `other`, which has the same number of tiles.
  void add(const TileCounts &other);

  int64_t getNumTiles() const { return numTiles; }
  /// Ascending and without gaps; neighbouring runs have different values.
  ArrayRef<TileRun> getRuns() const;
  int64_t get(int64_t tile) const;
  /// The first tile with the greatest number, and this number; {0, 0} if there
  /// are no tiles.
  std::pair<int64_t, int64_t> getMax() const;
  /// As getMax, for tiles [begin, end); {begin, 0} if the range is empty.
  std::pair<int64_t, int64_t> getMax(int64_t begin, int64_t end) const;
  int64_t getSum() const;

  /// Applies `combine` to the numbers of each tile in `inputs`, in order.
  /// `combine` is called once for each run of tiles on which all inputs are
  /// constant.
  static TileCounts combine(ArrayRef<const TileCounts *> inputs,
                            function_ref<int64_t(ArrayRef<int64_t>)> combine);

private:
  void normalize() const;
  void addPerTile() const;

  int64_t numTiles;
  mutable SmallVector<TileRun, 0> runs;
  /// Runs that are not yet part of `runs`, in any order.
  mutable SmallVector<TileRun, 0> pending;
};

/// The number of elements that `map` assigns to each of `numTiles` tiles.
TileCounts getElementsPerTile(TileMappingAttr mapping, int64_t numTiles);

/// Bytes of one element in tile memory; i1 takes a byte.
int64_t getStoredBytes(Type elementType);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H
