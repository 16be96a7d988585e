//===- TileSpace.h - Tiles on which a tensor may be -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile space is a range of tiles of a replica. Each tensor of a planned
// program lives in one tile space, and its tile mappings number the tiles from
// the first tile of the space. So equal layers on different IPUs have equal
// tile mappings, and are planned once.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_TILESPACE_H
#define IPU_MLIR_PLANNER_PARTITION_TILESPACE_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include <optional>

namespace mlir::ipu {

struct TileSpace {
  /// The compute tiles of an IPU are its first tiles; the others are I/O tiles
  /// (`io_tiles` of the target).
  enum class Kind { Compute, IO };

  Kind kind = Kind::Compute;
  /// The IPU whose tiles form the space. If it is not set, the space has the
  /// tiles of all IPUs of the replica or, if there are I/O tiles, the tiles of
  /// IPU 0: the tiles of a space have successive numbers.
  std::optional<int64_t> ipu = std::nullopt;

  bool operator==(const TileSpace &other) const {
    return kind == other.kind && ipu == other.ipu;
  }

  /// Returns the number of the first tile among all tiles of the replica.
  int64_t getFirst(const TargetModel &target) const;
  int64_t getNumTiles(const TargetModel &target) const;

  /// Returns a machine whose compute tiles are the tiles of the space. Op
  /// partitions are searched for this machine.
  TargetModel getTarget(const TargetModel &target) const;

  void print(raw_ostream &os) const;
};

/// Returns the tiles on which the placement of a tensor of `pop`, or of a ref,
/// puts its elements. The IPU is the virtual graph of the value, and the kind
/// of tiles is its tile set.
TileSpace getTileSpace(Value value);

/// Returns `mapping` on the tiles whose numbers are greater by `distance`,
/// which may be negative.
TileMappingAttr moveTiles(TileMappingAttr mapping, int64_t distance);

/// Returns the row-major tile mapping of a tensor of `type` on the tiles of
/// `space`, with the tile numbers of the replica.
TileMappingAttr getDefaultTileMapping(const TargetModel &target,
                                      const TileSpace &space, ShapedType type);

/// Returns the tile mapping that divides `numElements` elements, in row-major
/// order, evenly among the tiles of `space`, for a space with at least one
/// tile; see getLinearTileMapping(). Tiles are numbered from the first tile of
/// the space.
TileMappingAttr getRowMajorTileMapping(MLIRContext *context,
                                       const TargetModel &target,
                                       const TileSpace &space,
                                       int64_t numElements, Type elementType);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_TILESPACE_H
