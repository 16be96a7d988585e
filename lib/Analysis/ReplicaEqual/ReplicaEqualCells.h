//===- ReplicaEqualCells.h - Mutable tensors and parts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places that a program can modify, and of each place the parts that it
// reads or writes. What is known of a part holds for all of its elements.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCELLS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCELLS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"

namespace mlir::ipu::replica_equal {

/// Number of a place, and of all of it or a part.
using PlaceId = unsigned;
using Cell = unsigned;

/// How what is written to one cell changes another one of its place.
enum class Cover { None, Some, All };

/// A cell that holds certain elements, and maybe others.
struct CellRef {
  Cell cell = 0;
  bool isExact = false;
};

class CellTable {
public:
  /// With more parts than these, those found later are their whole place. Parts
  /// of symbols (rows) do not overlap and are cheaper.
  static constexpr unsigned kMaxParts = 16, kMaxRows = 256;

  /// Of an argument of a function.
  PlaceId getPlace(BlockArgument argument) {
    return getPlace(Place::getRoot(argument),
                    dyn_cast<ShapedType>(argument.getType()));
  }
  /// Of what was met before.
  std::optional<PlaceId> lookupPlace(const Place &place) const;
  const Place &getKey(PlaceId place) const { return places[place].key; }
  PlaceId getPlaceOf(Cell cell) const { return cells[cell].place; }

  /// All of a place, which is its first cell; the cells of a place.
  Cell getWhole(PlaceId place) const { return places[place].cells.front(); }
  ArrayRef<Cell> getCells(PlaceId place) const { return places[place].cells; }

  /// The cell of the elements that `ref`, whose origin is known, shows.
  CellRef getCell(const RefOrigin &ref);
  /// The cell of state behind a symbol.
  CellRef getCell(const ReplicaState &state);
  /// What `inner`, a cell of `argument`, is of the operand for it.
  CellRef getCellThrough(const RefOrigin &operand, BlockArgument argument,
                         Cell inner);

  Cover getCover(Cell written, Cell other);

private:
  struct PlaceInfo {
    Place key;
    /// Null for what is no ref, whose parts are rows.
    ShapedType type;
    SmallVector<Cell, 2> cells;
    llvm::DenseMap<int64_t, Cell> rows;
  };
  struct CellInfo {
    PlaceId place;
    /// Nothing for all of the place.
    std::optional<StridedView> view;
  };

  PlaceId getPlace(const Place &place, ShapedType type);
  CellRef getPart(PlaceId place, const std::optional<StridedView> &view);
  Cell addCell(PlaceId place, std::optional<StridedView> view);
  Cover computeCover(const StridedView &written, const StridedView &other,
                     int64_t size) const;

  std::vector<PlaceInfo> places;
  std::vector<CellInfo> cells;
  llvm::DenseMap<Place, PlaceId> placeIds;
  llvm::DenseMap<std::pair<Cell, Cell>, Cover> covers;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCELLS_H
