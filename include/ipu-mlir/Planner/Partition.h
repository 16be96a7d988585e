//===- Partition.h - Partitions of tile forms -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between the loops of an op (TileForm) and tile mappings
// (TileMappingAttr).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_H
#define IPU_MLIR_PLANNER_PARTITION_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

/// The number of positions of each loop that one tile runs. The last tile along
/// a loop may have fewer.
struct LoopBlocks : SmallVector<int64_t> {
  using SmallVector::SmallVector;
  /// The loops in the order of how often they change from tile to tile, the
  /// slowest loop first. If empty, the order of the form.
  SmallVector<unsigned> order = {};
  /// For nested partitions: the number of IPUs along each loop, which all have
  /// the same number of parts. Also the number of tiles of each IPU. Parts of
  /// an IPU beyond the end of the loop are empty.
  SmallVector<int64_t, 0> ipus = {};
  int64_t ipuTiles = 0;

  bool isNested() const { return !ipus.empty(); }
};

/// The properties of an op that the choice of a partition needs.
struct PartitionProblem {
  TileForm form;
  SmallVector<Type> inputTypes, resultTypes; // element types
  CodeletCostAttr cost;
};

/// The partition problem of `op`. Its loops are over `domain` if this is not
/// empty and the op supports it. Emits an error and fails if the op is not
/// ready for tiles.
FailureOr<PartitionProblem> getPartitionProblem(CodeletOpInterface op,
                                                ArrayRef<int64_t> domain);

/// Whether `op` rounds the result of a matmul, of a convolution or of an
/// addition of partial sums, and no other op reads this result. If the sums
/// stay on their tile, the vertex with the sums rounds them when it writes
/// them.
bool isRoundingOfSums(Operation *op);

/// The cost of such a rounding, which is part of the cost of another vertex.
CodeletCostAttr getCostOfRounding(MLIRContext *context);

/// The number of parts of a loop, and of all loops together.
int64_t getNumParts(int64_t loop, int64_t block);
int64_t getNumParts(const TileForm &form, ArrayRef<int64_t> blocks);

/// Whether partitions may be nested. This requires that each tensor has a
/// dimension, so that its tile mapping can be nested.
bool mayNest(const TileForm &form);

/// The number of parts of `loop` on each IPU, including empty parts.
int64_t getPartsPerIPU(const TileForm &form, const LoopBlocks &blocks,
                       unsigned loop);

/// Sizes of the region that a vertex accesses by `access` if it runs the first
/// `positions` of each loop.
SmallVector<int64_t> getRegionSizes(const TileAccess &access,
                                    ArrayRef<int64_t> positions);

/// The tile mapping of a tensor that vertices access by `access` under a
/// partition, in the layout of the access.
TileMappingAttr getAccessTileMapping(MLIRContext *context, const TileForm &form,
                                     const LoopBlocks &blocks,
                                     const TileAccess &access,
                                     int64_t first = 0);

/// The tile mapping by which vertices read input `index` under a partition that
/// gives their result the tile mapping `result`. It has the layout of the
/// access. If any order is possible, it has the layout of the result or,
/// otherwise, of `operand`, the tile mapping of all elements of the input in
/// their order. Null if no such tile mapping exists.
TileMappingAttr getInputTileMapping(const TileForm &form,
                                    const LoopBlocks &blocks, unsigned index,
                                    TileMappingAttr result,
                                    TileMappingAttr operand);

/// Whether the result of getInputTileMapping() depends on `operand`.
bool followsOperand(const TileForm &form, unsigned index);

/// The inverse of getAccessTileMapping: the partition under which a tensor with
/// `access` has the tile mapping `mapping`, in any layout. None if there is no
/// such partition.
std::optional<LoopBlocks> getPartition(const TileForm &form,
                                       const TileAccess &access,
                                       TileMappingAttr mapping);

/// The default tile mapping: `numElements` in row-major order over all tiles,
/// in equal runs of whole 4-byte words.
TileMappingAttr getLinearTileMapping(MLIRContext *context,
                                     const TargetModel &target,
                                     int64_t numElements, Type elementType);

/// The same on the I/O tiles. There must be at least one.
TileMappingAttr getIOTileMapping(MLIRContext *context,
                                 const TargetModel &target, int64_t numElements,
                                 Type elementType);

/// The first legal partition: each loop, from the outermost one, is split into
/// as many parts as the remaining tiles allow.
LoopBlocks getFirstPartition(const TargetModel &target, const TileForm &form);

/// A tile mapping that holds each element once, for a tensor whose regions
/// tiles read by `access`. If several tiles read the same region, each holds a
/// part of it. If regions overlap, each tile holds the elements nearest to it.
/// Null if no tile mapping expresses this.
TileMappingAttr getSpreadTileMapping(TileMappingAttr access);

/// The partition of `mapping`, a tile mapping of a tensor with dimensions
/// `sizes`, for a tensor of the same rank with `shape`. Each dimension has as
/// many parts of equal size, and each element is held once. Null if a dimension
/// that the mapping factorises has another size in `shape` that it does not
/// divide.
TileMappingAttr getRescaledTileMapping(TileMappingAttr mapping,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> shape);

/// `mapping` assigns the elements of `view`, in row-major order. The result is
/// a tile mapping of the buffer of `numElements` to which the view belongs. If
/// the view selects a part of the buffer, its split dimensions have the same
/// number of parts in the buffer. Reversed dimensions are split as if they were
/// not reversed. Null if the view does not select elements of the buffer once,
/// or if it does not have the dimensions of the buffer in some order.
TileMappingAttr getTileMappingOfBuffer(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

/// The same if all slices of the buffer with the size of the view have
/// `mapping`, so that each slice can be copied to such a tensor on its tiles.
TileMappingAttr getTileMappingOfSlices(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_H
