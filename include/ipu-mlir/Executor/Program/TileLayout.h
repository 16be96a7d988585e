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

/// The layout of a variable in tile memory: the regions of all tiles of a tile
/// mapping, one after the other, each in row-major order. Equivalent tile
/// mappings have the same layout.
class TileLayout {
public:
  /// Returns the layout of `mapping`, or std::nullopt if all tiles together
  /// have more than 2^62 elements.
  static std::optional<TileLayout> get(TileMappingAttr mapping);

  TileMappingAttr getTileMapping() const { return mapping; }
  int64_t getNumTiles() const { return starts.size() - 1; }
  /// Return the start of the region of a tile in the layout, and the number of
  /// elements of the region.
  int64_t getStart(int64_t tile) const { return starts[tile]; }
  int64_t getSize(int64_t tile) const {
    return starts[tile + 1] - starts[tile];
  }
  int64_t getTotal() const { return starts.back(); }

  /// Returns which element of the variable is at position `local` in the region
  /// of a tile. The result is the row-major index of this element in the
  /// variable.
  int64_t getElement(int64_t tile, int64_t local) const;

  /// Calls `visit`, in order, for runs of elements that are contiguous in the
  /// variable and in the region of `tile`. `visit` gets the first element, its
  /// position in the whole layout, and the length of the run. Only elements
  /// whose index in the variable is in [low, high] are visited.
  using Visit =
      llvm::function_ref<void(int64_t element, int64_t position, int64_t size)>;
  void forEachRun(int64_t tile, int64_t low, int64_t high, Visit visit) const;

private:
  explicit TileLayout(TileMappingAttr mapping) : mapping(mapping) {}

  TileMappingAttr mapping;
  std::vector<int64_t> starts;
};

/// Returns the first tile of the grid that holds `element`, or std::nullopt if
/// no tile holds it.
std::optional<int64_t> getFirstHolder(TileMappingAttr mapping, int64_t element);

/// Returns whether the region of `tile` contains `element`.
bool holdsElement(TileMappingAttr mapping, int64_t tile, int64_t element);

/// An element of a variable that a tile reads but does not hold. Here, tile
/// numbers are the numbers of the device. `holder` is the first tile that holds
/// the element, if there is one.
struct MissingElement {
  int64_t tile = 0;
  int64_t element = 0;
  std::optional<int64_t> holder;
};

/// Returns the first missing element of an operand. The operand is the view
/// `view` of a variable with the tile mapping `own`. The tile mapping `access`
/// assigns the elements of the operand to the tiles that read them. Returns
/// std::nullopt if none of the first 2^24 elements is missing.
std::optional<MissingElement> findMissingElement(TileMappingAttr own,
                                                 const StridedView &view,
                                                 TileMappingAttr access);

/// Returns the indices of element `number` of `shape` in row-major order, for
/// example "[1, 2]".
std::string printIndices(ArrayRef<int64_t> shape, int64_t number);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_TILELAYOUT_H
