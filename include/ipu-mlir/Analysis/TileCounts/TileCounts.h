//===- TileCounts.h - Counts for all tiles ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number for each tile: for example, its bytes, its cycles or its runs of
// elements. The numbers are stored as runs of tiles. A run of tiles is a range
// of tiles with equal numbers. For a regular tile mapping, the number of runs
// of tiles does not depend on the number of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H
#define IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

namespace mlir::ipu {

/// A run of tiles: each of the tiles [begin, end) has `value`.
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

  /// Returns counts in which tile i has element i of `values`.
  static TileCounts fromValues(ArrayRef<int64_t> values);

  /// Adds `value` to tiles [begin, begin + count).
  void add(int64_t begin, int64_t count, int64_t value);
  /// Adds all counts of `other`, which has the same number of tiles.
  void add(const TileCounts &other);

  int64_t getNumTiles() const { return numTiles; }
  /// Returns the runs in ascending order and without gaps. Neighbouring runs
  /// have different values.
  ArrayRef<TileRun> getRuns() const;
  int64_t get(int64_t tile) const;
  /// Returns the first tile with the greatest number, and this number. Returns
  /// {0, 0} if there are no tiles.
  std::pair<int64_t, int64_t> getMax() const;
  /// Returns the first of the tiles [begin, end) with the greatest number, and
  /// this number. Returns {begin, 0} if the range is empty.
  std::pair<int64_t, int64_t> getMax(int64_t begin, int64_t end) const;
  int64_t getSum() const;

  /// Returns, for each tile, the result of a call of `combine` with the numbers
  /// that the tile has in `inputs`, in the order of `inputs`. `combine` is
  /// called once for each run of tiles on which all inputs are constant.
  static TileCounts combine(ArrayRef<const TileCounts *> inputs,
                            function_ref<int64_t(ArrayRef<int64_t>)> combine);

private:
  void normalize() const;
  void addPerTile() const;

  int64_t numTiles;
  mutable SmallVector<TileRun, 0> runs;
  /// The added runs that are not yet part of `runs`, in any order.
  mutable SmallVector<TileRun, 0> pending;
};

/// Returns the number of elements that `mapping` assigns to each of `numTiles`
/// tiles.
TileCounts getElementsPerTile(TileMappingAttr mapping, int64_t numTiles);

/// Returns the number of bytes of one element in tile memory. An i1 takes one
/// byte.
int64_t getStoredBytes(Type elementType);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILECOUNTS_TILECOUNTS_H
