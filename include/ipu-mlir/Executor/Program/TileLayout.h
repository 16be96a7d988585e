//===- TileLayout.h - Layout of elements in tile memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In this file, tiles are numbered as in the grid of a tile mapping, from 0.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_TILELAYOUT_H
#define IPU_MLIR_EXECUTOR_PROGRAM_TILELAYOUT_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include <optional>
#include <vector>

namespace mlir::ipu {

/// The regions of the tiles of a tile mapping, each in row-major order, one
/// after the other. Equivalent tile mappings have the same layout.
class TileLayout {
public:
  /// None if all tiles together have more than 2^62 elements.
  static std::optional<TileLayout> get(TileMappingAttr mapping);

  TileMappingAttr getTileMapping() const { return mapping; }
  int64_t getNumTiles() const { return starts.size() - 1; }
  /// The start of the region of a tile, and its number of elements.
  int64_t getStart(int64_t tile) const { return starts[tile]; }
  int64_t getSize(int64_t tile) const {
    return starts[tile + 1] - starts[tile];
  }
  int64_t getTotal() const { return starts.back(); }

  /// The element of the variable at position `local` of the region of a tile.
  int64_t getElement(int64_t tile, int64_t local) const;

  /// Calls `visit` for runs of elements that are contiguous in the variable and
  /// in the region of `tile`, in order, with the first element, its position in
  /// the whole layout, and the length. Visits only elements in [low, high].
  using Visit =
      llvm::function_ref<void(int64_t element, int64_t position, int64_t size)>;
  void forEachRun(int64_t tile, int64_t low, int64_t high, Visit visit) const;

private:
  explicit TileLayout(TileMappingAttr mapping) : mapping(mapping) {}

  TileMappingAttr mapping;
  std::vector<int64_t> starts;
};

/// The first tile of the grid that holds an element.
std::optional<int64_t> getFirstHolder(TileMappingAttr mapping, int64_t element);

/// Whether the region of `tile` holds an element.
bool holdsElement(TileMappingAttr mapping, int64_t tile, int64_t element);

/// An element of a variable that a tile reads but does not hold. Tile numbers
/// are those of the device. `holder` is the first tile that holds the element.
struct MissingElement {
  int64_t tile = 0;
  int64_t element = 0;
  std::optional<int64_t> holder;
};

/// The first missing element of an operand that is the view `view` of a
/// variable with tile mapping `own` and that tiles read by `access`. None if
/// there is no missing element among the first 2^24.
std::optional<MissingElement> findMissingElement(TileMappingAttr own,
                                                 const StridedView &view,
                                                 TileMappingAttr access);

/// Position `number` of `shape`'s row-major order as indices: "[1, 2]".
std::string printIndices(ArrayRef<int64_t> shape, int64_t number);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_TILELAYOUT_H
