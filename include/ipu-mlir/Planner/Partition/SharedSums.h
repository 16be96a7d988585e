//===- SharedSums.h - Tiles that share sums ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile mappings and partitions with which the tiles that hold partial values of
// the same elements share the combined elements.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_SHAREDSUMS_H
#define IPU_MLIR_PLANNER_PARTITION_SHAREDSUMS_H

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"

namespace mlir::ipu {

/// Partial values in row-major order: of each element of `numInner` consecutive
/// elements there are `numCombined` values, at this distance, that an op
/// combines. If no op combines values, `numCombined` is 0.
struct PartialValues {
  int64_t numCombined = 0, numInner = 1;
};

/// Returns the partial values in operand number `operand` of an op that adds
/// rows. Returns no such values for other ops.
PartialValues getPartialValues(const PartitionProblem &problem,
                               unsigned operand);

/// `mapping` is a tile mapping of partial values. Returns a tile mapping of the
/// combined values, in which the tiles that hold partial values of the same
/// elements share these elements. Returns null unless dimensions of the mapping
/// number the values that are combined.
TileMappingAttr getSharedTileMapping(TileMappingAttr mapping,
                                     PartialValues values);

/// `blocks` is a partition of an op whose result has partial values. If the
/// tiles that hold partial values of the same elements cannot share these
/// elements evenly, returns a partition with slightly larger blocks that allows
/// it, or std::nullopt.
std::optional<LoopBlocks> getSharedPartition(MLIRContext *context,
                                             const TileForm &form,
                                             const LoopBlocks &blocks,
                                             PartialValues values);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_SHAREDSUMS_H
