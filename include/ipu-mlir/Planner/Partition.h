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

/// Positions of each loop that one tile runs; the last tile along a loop may
/// have fewer.
struct LoopBlocks : SmallVector<int64_t> {
  using SmallVector::SmallVector;
  /// The loops by how often they change from tile to tile, the slowest one
  /// first; those of the form in their order if empty.
  SmallVector<unsigned> order = {};
  /// Where the parts are nested, IPUs along each loop, which have as many parts
  /// each, and the numbers of tiles that each IPU has. Parts of an IPU beyond
  /// the end of the loop are empty.
  SmallVector<int64_t, 0> ipus = {};
  int64_t ipuTiles = 0;

  bool isNested() const { return !ipus.empty(); }
};

/// What the choice of a partition needs to know of an op.
struct PartitionProblem {
  TileForm form;
  SmallVector<Type> inputTypes, resultTypes; // element types
  CodeletCostAttr cost;
};

/// What the choice of a partition needs to know of `op`, with loops over
/// `domain` if it is not empty and the op can. Emits an error and fails if the
/// op is not ready for tiles.
FailureOr<PartitionProblem> getPartitionProblem(CodeletOpInterface op,
                                                ArrayRef<int64_t> domain);

/// Whether `op` rounds what a matmul, a convolution or an addition of partial
/// sums gives, and nothing else reads that: the vertex that has the sums rounds
/// them as it writes them, if they stay on its tile.
bool isRoundingOfSums(Operation *op);

/// The cost of such a rounding, which is part of that of another vertex.
CodeletCostAttr getCostOfRounding(MLIRContext *context);

/// Parts of each loop, and of all together.
int64_t getNumParts(int64_t loop, int64_t block);
int64_t getNumParts(const TileForm &form, ArrayRef<int64_t> blocks);

/// Whether partitions may be nested: maps of all tensors can be, since each has
/// a dimension.
bool mayNest(const TileForm &form);

/// Parts of `loop` that each IPU has, the empty ones included.
int64_t getPartsPerIPU(const TileForm &form, const LoopBlocks &blocks,
                       unsigned loop);

/// Sizes of the region that a vertex touches by `access` if it runs `positions`
/// of each loop, from the start of each.
SmallVector<int64_t> getRegionSizes(const TileAccess &access,
                                    ArrayRef<int64_t> positions);

/// The tile mapping of a tensor that vertices touch by `access` under a
/// partition, in the layout of the access.
TileMappingAttr getAccessTileMapping(MLIRContext *context, const TileForm &form,
                                     const LoopBlocks &blocks,
                                     const TileAccess &access,
                                     int64_t first = 0);

/// The tile mapping by which vertices read input `index` under a partition that
/// gives their result the tile mapping `result`: in the layout of the access
/// or, where any order does, in that of the result or else in that of
/// `operand`, the tile mapping of all elements of the input in their order;
/// null if they lie otherwise.
TileMappingAttr getInputTileMapping(const TileForm &form,
                                    const LoopBlocks &blocks, unsigned index,
                                    TileMappingAttr result,
                                    TileMappingAttr operand);

/// Whether getInputTileMapping() looks at `operand`.
bool followsOperand(const TileForm &form, unsigned index);

/// The partition under which a tensor with `access` has the tile mapping
/// `mapping`, if there is one, whatever its layout; the inverse of
/// getAccessTileMapping.
std::optional<LoopBlocks> getPartition(const TileForm &form,
                                       const TileAccess &access,
                                       TileMappingAttr mapping);

/// The default map: `numElements` in their order over all tiles, in equal runs
/// of whole 4-byte words.
TileMappingAttr getLinearTileMapping(MLIRContext *context,
                                     const TargetModel &target,
                                     int64_t numElements, Type elementType);

/// The same on the I/O tiles, of which there is at least one.
TileMappingAttr getIOTileMapping(MLIRContext *context,
                                 const TargetModel &target, int64_t numElements,
                                 Type elementType);

/// The first legal partition: each loop, from the outermost on, is split into
/// as many parts as there are tiles left.
LoopBlocks getFirstPartition(const TargetModel &target, const TileForm &form);

/// A tile mapping that holds each element once, for a tensor of which tiles
/// want the regions of `access`: where tiles want the same region, each holds a
/// part of it, and where regions overlap, each holds what is nearest. Null if
/// no tile mapping says so.
TileMappingAttr getSpreadTileMapping(TileMappingAttr access);

/// The partition of `mapping`, of a tensor with dimensions `sizes`, for a
/// tensor of the same rank that has `shape`: as many parts of each dimension,
/// of equal size, and each element once. Null if a dimension that is factorised
/// in the mapping has another size there that it does not divide.
TileMappingAttr getRescaledTileMapping(TileMappingAttr mapping,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> shape);

/// `mapping` of the elements of `view` in row-major order, as a tile mapping of
/// the buffer of `numElements` that the view shows. Where the view shows a part
/// of the buffer, the dimensions that it splits are in as many parts, and those
/// that it shows backwards are split as if it did not. Null if the view does
/// not show elements of the buffer once, with its dimensions in some order.
TileMappingAttr getTileMappingOfBuffer(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

/// The same where all slices of the buffer that are as large as the view have
/// `mapping`, so that any of them can be copied to such a tensor on its tiles.
TileMappingAttr getTileMappingOfSlices(TileMappingAttr mapping,
                                       const StridedView &view,
                                       int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_H
