//===- LoopPartition.h - Partitions of the loops of an op --------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of the loops of an op (TileForm), and their conversion to and from
// tile mappings (TileMappingAttr).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_LOOPPARTITION_H
#define IPU_MLIR_PLANNER_PARTITION_LOOPPARTITION_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

/// A partition: for each loop, the number of positions that one tile
/// executes. The last tile along a loop may execute fewer positions.
struct LoopBlocks : SmallVector<int64_t> {
  using SmallVector::SmallVector;
  /// The loops in the order in which their parts are assigned to tiles. From
  /// one tile to the next, the part of the last loop changes fastest. If
  /// `order` is empty, the loops are in the order of the form.
  SmallVector<unsigned> order = {};
  /// For a nested partition, the number of IPUs along each loop, and the number
  /// of tiles of each IPU. Along a loop, each IPU has the same number of parts.
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
  /// If this loop is set, the size of its blocks divides the size of the loop.
  std::optional<unsigned> evenLoop = std::nullopt;

  /// Returns whether `blocks` satisfies the condition of `evenLoop`.
  bool isEven(ArrayRef<int64_t> blocks) const {
    return !evenLoop || form.loops[*evenLoop] % blocks[*evenLoop] == 0;
  }
};

/// Returns the partition problem of `op`. If `domain` is not empty and the op
/// supports loops over the shape `domain`, the loops are over this shape; see
/// CodeletOpInterface::getTileForm. Emits an error and fails if the op cannot
/// be executed on tiles in its present form.
FailureOr<PartitionProblem> getPartitionProblem(CodeletOpInterface op,
                                                ArrayRef<int64_t> domain);

/// Returns whether `op` rounds the result of a matmul, of a convolution or of
/// an addition of partial sums, and is the only op that reads this result. If
/// these sums stay on the tile that computes them, the vertex that computes the
/// sums also rounds them when it writes them.
bool isRoundingOfSums(Operation *op);

/// Returns the cost of an op that rounds sums, if the vertex that computes the
/// sums also rounds them.
CodeletCostAttr getCostOfRounding(MLIRContext *context);

/// Returns whether the op of `problem` moves a region whose position is not
/// known when tile mappings are chosen.
bool movesRegion(const PartitionProblem &problem);

/// Returns whether `op` changes a part of a tensor that is read from a ref, and
/// its result is only copied to this ref. If the result has the tile mapping of
/// the ref, the op then writes to the ref in place.
bool updatesInPlace(CodeletOpInterface op, const TileForm &form);

/// Sets whether the op of `problem` updates an input in place. The form has an
/// updated input.
void setInPlace(PartitionProblem &problem, bool isInPlace);

/// Return the number of parts of one loop, and the number of parts of all loops
/// together.
int64_t getNumParts(int64_t loop, int64_t block);
int64_t getNumParts(const TileForm &form, ArrayRef<int64_t> blocks);

/// Returns the number of parts of `loop` on each IPU, including empty parts.
int64_t getPartsPerIPU(const TileForm &form, const LoopBlocks &blocks,
                       unsigned loop);

/// Returns the sizes of the region that a vertex accesses by `access` if the
/// vertex executes the first positions[i] positions of each loop i.
SmallVector<int64_t> getRegionSizes(const TileAccess &access,
                                    ArrayRef<int64_t> positions);

/// Returns the tile mapping that assigns each element of a tensor to the tiles
/// whose vertices access the element. The vertices have the partition `blocks`
/// and access the tensor by `access`. The tile mapping has the layout of
/// `access`, and its first tile is `first`.
TileMappingAttr getAccessTileMapping(MLIRContext *context, const TileForm &form,
                                     const LoopBlocks &blocks,
                                     const TileAccess &access,
                                     int64_t first = 0);

/// Returns the tile mapping that assigns each element of input `index` to the
/// tiles whose vertices read the element. The vertices have the partition
/// `blocks`. `result` is the tile mapping of the result. If the input is a
/// whole variable in row-major order, `operand` is the tile mapping of this
/// variable. Otherwise, `operand` is null. The returned tile mapping has the
/// first of the following layouts whose condition holds:
/// - the layout of the access, if the access has a layout;
/// - the layout of `result`, if the input and the result have equal domains;
/// - the layout of `operand`, if `operand` can be refactored to the domain of
///   the input;
/// - the layout of `result`. Dimensions that only the input has are outermost.
TileMappingAttr getInputTileMapping(const TileForm &form,
                                    const LoopBlocks &blocks, unsigned index,
                                    TileMappingAttr result,
                                    TileMappingAttr operand);

/// Returns whether the result of getInputTileMapping() depends on `operand`.
bool followsOperand(const TileForm &form, unsigned index);

/// The inverse of getAccessTileMapping(): returns the partition for which
/// getAccessTileMapping() returns `mapping`, apart from its layout. Returns
/// std::nullopt if there is no such partition.
std::optional<LoopBlocks> getPartition(const TileForm &form,
                                       const TileAccess &access,
                                       TileMappingAttr mapping);

/// Returns the default tile mapping. It divides `numElements` elements, in
/// row-major order, into contiguous blocks of equal size, one for each compute
/// tile. The blocks consist of whole 4-byte words.
TileMappingAttr getLinearTileMapping(MLIRContext *context,
                                     const TargetModel &target,
                                     int64_t numElements, Type elementType);

/// Increases the blocks of the problem's even loop until they divide the loop.
void makeEven(const PartitionProblem &problem, LoopBlocks &blocks);

/// Returns the first legal partition. From the outermost loop on, each loop is
/// split into as many parts as possible. All loops together have at most as
/// many parts as there are compute tiles.
LoopBlocks getFirstPartition(const TargetModel &target, const TileForm &form);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_LOOPPARTITION_H
