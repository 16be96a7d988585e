//===- ShardedParts.h - Replicas that hold equal parts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SHARDEDPARTS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SHARDEDPARTS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"

namespace mlir::pop {

/// Returns the groups of replicas that have the same index in their groups of
/// `groups`. If a tensor is divided over `groups`, these replicas hold the same
/// part of it.
inline ReplicaGroupsAttr
getGroupsOfEqualIndices(MLIRContext *context,
                        const ipu::ReplicaGroups &groups) {
  SmallVector<SmallVector<int64_t>> result(groups.getGroupSize());
  for (int64_t group = 0; group < groups.getNumGroups(); ++group)
    for (auto [index, replica] : llvm::enumerate(groups.members(group)))
      result[index].push_back(replica);
  return ReplicaGroupsAttr::getExplicit(context, result);
}

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SHARDEDPARTS_H
