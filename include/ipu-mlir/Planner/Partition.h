//===- Partition.h - Partitions of tile forms -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of the loops of an op (TileForm), and their conversion to and from
// tile mappings (TileMappingAttr).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_H
#define IPU_MLIR_PLANNER_PARTITION_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

/// A partition: the number of positions of each loop that one tile runs. The
/// last tile along a loop may run fewer positions.
struct LoopBlocks : SmallVector<int64_t> {
  using SmallVector::SmallVector;
  /// The loops in the order in which parts are assigned to tiles: the position
  /// in the last loop changes fastest from tile to tile. If empty, the loops
  /// are in the order of the form.
  SmallVector<unsigned> order = {};
  /// For a nested partition, the number of IPUs along each loop, and the number
  /// of tiles of each IPU. All IPUs have the same number of parts of a loop.
  /// Parts beyond the end of the loop are empty.
  SmallVector<int64_t, 0> ipus = {};
  int64_t ipuTiles = 0;

  bool isNested() const { return !ipus.empty(); }
};

/// The properties of an op that determine its best partitions.
struct PartitionProblem {
  TileForm form;
  SmallVector<Type> inputTypes, resultTypes; // element types
  CodeletCostAttr cost;
};

/// Returns the partition problem of `op`. If `domain` is not empty and the op
/// supports it, the loops are over `domain`. Emits an error and fails if the op
/// cannot be executed on tiles in its present form.
FailureOr<PartitionProblem> getPartitionProblem(CodeletOpInterface op,
                                                ArrayRef<int64_t> domain);

/// Returns whether `op` rounds the result of a matmul, of a convolution or of
/// an addition of partial sums, and no other op reads this result. If such sums
/// stay on their tile, the vertex that computes them rounds them when it writes
/// them.
bool isRoundingOfSums(Operation *op);

/// Returns the cost of a rounding that is part of the vertex that computes the
/// sums.
CodeletCostAttr getCostOfRounding(MLIRContext *context);

/// Return the number of parts of a loop, and of all loops together.
int64_t getNumParts(int64_t loop, int64_t block);
int64_t getNumParts(const TileForm &form, ArrayRef<int64_t> blocks);

/// Returns whether partitions may be nested. This requires that each tensor has
/// a dimension, because only then its tile mapping can be nested.
bool mayNest(const TileForm &form);

/// Returns the number of parts of `loop` on each IPU, including empty parts.
int64_t getPartsPerIPU(const TileForm &form, const LoopBlocks &blocks,
                       unsigned loop);

/// Returns the sizes of the region that a vertex accesses by `access` if it
/// runs the first `positions` of each loop.
SmallVector<int64_t> getRegionSizes(const TileAccess &access,
                                    ArrayRef<int64_t> positions);

/// Returns the tile mapping by which the vertices of the partition `blocks`
/// access a tensor by `access`. It has the layout of the access. The first tile
/// is `first`.
TileMappingAttr getAccessTileMapping(MLIRContext *context, const TileForm &form,
                                     const LoopBlocks &blocks,
                                     const TileAccess &access,
                                     int64_t first = 0);

/// Returns the tile mapping by which the vertices of the partition `blocks`
/// read input `index`. `result` is the tile mapping of the result. The layout
/// is the layout of the access. If the access allows any order, the layout is
/// the layout of the result. If the domains differ, it is the layout of
/// `operand`, which is the tile mapping of the whole input in row-major order,
/// or, if this does not fit, the layout of the result with the other dimensions
/// of the input outermost.
TileMappingAttr getInputTileMapping(const TileForm &form,
                                    const LoopBlocks &blocks, unsigned index,
                                    TileMappingAttr result,
                                    TileMappingAttr operand);

/// Returns whether the result of getInputTileMapping() depends on `operand`.
bool followsOperand(const TileForm &form, unsigned index);

/// The inverse of getAccessTileMapping(): returns the partition for which a
/// tensor with `access` has the tile mapping `mapping`, in any layout. Returns
/// std::nullopt if there is no such partition.
std::optional<LoopBlocks> getPartition(const TileForm &form,
                                       const TileAccess &access,
                                       TileMappingAttr mapping);

/// Returns the default tile mapping: `numElements` elements in row-major order
/// over all tiles, in equal runs of whole 4-byte words.
TileMappingAttr getLinearTileMapping(MLIRContext *context,
                                     const TargetModel &target,
                                     int64_t numElements, Type elementType);

/// Returns the same tile mapping on the I/O tiles. There must be at least one
/// I/O tile.
TileMappingAttr getIOTileMapping(MLIRContext *context,
                                 const TargetModel &target, int64_t numElements,
                                 Type elementType);

/// Returns the first legal partition: from the outermost loop on, each loop is
/// split into as many parts as possible without more parts of all loops
/// together than compute tiles.
LoopBlocks getFirstPartition(const TargetModel &target, const TileForm &form);

/// Returns a tile mapping that holds each element once, for a tensor whose
/// regions tiles read by `access`. If several tiles read the same region, each
/// of them holds a part of it. If regions overlap, each tile holds the elements
/// at the start of its region. Returns null if no tile mapping expresses this.
TileMappingAttr getSpreadTileMapping(TileMappingAttr access);

/// Returns a tile mapping of a tensor with `shape` that has the same number of
/// parts of each dimension as `mapping`. The parts of a dimension have equal
/// size, and each element is held once. `mapping` is a tile mapping of a tensor
/// of the same rank with the dimensions `sizes`. Returns null if `mapping`
/// factorises a dimension whose size in `shape` is not a multiple of its size
/// in `sizes`.
TileMappingAttr getRescaledTileMapping(TileMappingAttr mapping,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> shape);

/// If a dimension of the domain of `mapping` merges several of the dimensions
/// `sizes`, returns a tile mapping with these dimensions instead. Tiles that
/// held parts of the dimension then hold copies of all its elements. Returns
/// null if such a dimension has groups, or if the grid is nested.
TileMappingAttr getSeparatedTileMapping(TileMappingAttr mapping,
                                        ArrayRef<int64_t> sizes);

/// Returns a tile mapping of the buffer of `numElements` elements to which
/// `view` belongs. `mapping` assigns the elements of the view, in row-major
/// order. If the view selects a part of the buffer, its split dimensions have
/// the same number of parts in the buffer. Reversed dimensions are split as if
/// they were not reversed. Returns null if the view selects an element of the
/// buffer several times, or if its dimensions are not the dimensions of the
/// buffer in some order.
TileMappingAttr getTileMappingOfBuffer(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

/// The inverse of getTileMappingOfBuffer(): returns the tile mapping of the
/// elements of `view`, in row-major order, if the buffer has `mapping`. Returns
/// null unless the view contains each element of the buffer once, and its
/// dimensions are the dimensions of the buffer in some order.
TileMappingAttr getTileMappingOfView(TileMappingAttr mapping,
                                     const StridedView &view);

/// Like getTileMappingOfBuffer(), but returns a tile mapping of the buffer in
/// which each slice with the size of the view has `mapping`. A slice can then
/// be copied to a tensor with `mapping` without an exchange.
TileMappingAttr getTileMappingOfSlices(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_H
