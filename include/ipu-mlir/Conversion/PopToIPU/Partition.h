//===- Partition.h - Cutting a tile form into parts -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The link between the loops of an op (TileForm) and maps (MapAttr).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PARTITION_H
#define IPU_MLIR_CONVERSION_POPTOIPU_PARTITION_H

#include "ipu-mlir/Analysis/CostModel.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

/// Positions of each loop that one tile runs.
using LoopBlocks = SmallVector<int64_t>;

/// What the choice of a partition needs to know of an op.
struct PartitionProblem {
  TileForm form;
  SmallVector<Type> inputTypes, resultTypes; // element types
  CodeletCostAttr cost;
};

/// The partition into at most `target.getTilesPerReplica()` parts with the
/// fewest estimated cycles: those of the fullest vertex, plus those of
/// receiving its inputs. Uses more than one tile where there is more than one
/// position. Ties go to the one that cuts outer loops more.
LoopBlocks choosePartition(const TargetModel &target,
                           const PartitionProblem &problem);

/// The map of a tensor that vertices touch by `access` under a partition.
MapAttr getAccessMap(MLIRContext *context, const TileForm &form,
                     const LoopBlocks &blocks, const TileAccess &access,
                     int64_t first = 0);

/// The partition under which a result with `access` has the map `map`, if
/// there is one; the inverse of getAccessMap.
std::optional<LoopBlocks> getPartition(const TileForm &form,
                                       const TileAccess &access, MapAttr map);

/// The default map: `numElements` in their order over all tiles, in equal runs
/// of whole 4-byte words.
MapAttr getLinearMap(MLIRContext *context, const TargetModel &target,
                     int64_t numElements, Type elementType);

} // namespace mlir::ipu

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PARTITION_H
