//===- DerivedTileMappings.h - Tile mappings from others --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile mappings of a tensor that follow from the tile mapping of a tensor that
// an op reads or writes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_DERIVEDTILEMAPPINGS_H
#define IPU_MLIR_PLANNER_PARTITION_DERIVEDTILEMAPPINGS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::ipu {

/// `access` is the tile mapping by which tiles read regions of a tensor.
/// Returns a tile mapping of this tensor that holds each element once. If
/// several tiles read the same region, each of them holds a part of the region.
/// This part consists of whole words of the exchange, if elements have
/// `elementBytes` bytes. If regions overlap, each tile holds the elements at
/// the start of its region. Returns null if no tile mapping expresses this.
TileMappingAttr getSpreadTileMapping(TileMappingAttr access,
                                     int64_t elementBytes = 4);

/// `mapping` is a tile mapping of a tensor with the dimensions `sizes`. Returns
/// a tile mapping of another tensor, which has the same rank and the dimensions
/// `shape`. The two tile mappings have the same number of parts of each
/// dimension. In the returned tile mapping, the parts of a dimension have equal
/// size, and each element is held once. The domain of `mapping` may factorise a
/// dimension of the tensor: several dimensions of the domain then represent
/// this dimension. Returns null if a dimension is factorised and its size in
/// `shape` is not a multiple of its size in `sizes`.
TileMappingAttr getRescaledTileMapping(TileMappingAttr mapping,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> shape);

/// `mapping` is a tile mapping of a tensor with the dimensions `sizes`. If a
/// dimension of the domain of `mapping` merges several dimensions of the
/// tensor, returns a tile mapping with the separate dimensions instead of the
/// merged dimension. Tiles that held parts of the merged dimension then hold
/// copies of all its elements. Returns null if the layout of `mapping` divides
/// a merged dimension into groups, or if the grid is nested.
TileMappingAttr getSeparatedTileMapping(TileMappingAttr mapping,
                                        ArrayRef<int64_t> sizes);

/// `mapping` is the tile mapping of the elements of `view`, in row-major order
/// of the view. `view` is a view of a buffer of `numElements` elements. Returns
/// a tile mapping of the buffer. If the view selects only a part of the buffer,
/// each split dimension has as many parts in the buffer as in the view.
/// Reversed dimensions are split as if they were not reversed. Returns null if
/// the view selects an element of the buffer several times, or if the
/// dimensions of the view are not the dimensions of the buffer in some order.
TileMappingAttr getTileMappingOfBuffer(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

/// Like getTileMappingOfBuffer(), but returns a tile mapping of the buffer in
/// which each slice with the size of the view has the tile mapping `mapping`.
/// No exchange is then necessary to copy a slice to a tensor that has the tile
/// mapping `mapping`.
TileMappingAttr getTileMappingOfSlices(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

/// `mapping` is a tile mapping, without copies, of a tensor with the dimensions
/// `shape`. Returns a tile mapping of the tensor on the first `numTiles` tiles
/// whose fullest tile holds fewer elements. It divides two dimensions such that
/// most contiguous elements of `mapping` stay contiguous. Returns null if no
/// tile mapping of this kind has a smaller fullest tile, or if the grid is
/// nested.
TileMappingAttr getEvenTileMapping(TileMappingAttr mapping,
                                   ArrayRef<int64_t> shape,
                                   int64_t elementBytes, int64_t numTiles);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_DERIVEDTILEMAPPINGS_H
