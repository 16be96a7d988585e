//===- ReplicaReductions.cpp - Reductions in any order --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaReductions.h"

#include "GroupMembers.h"

using namespace mlir::ipu;

ReplicaPartition mlir::ipu::reduceInGroups(ReplicaPartitions &partitions,
                                           ReplicaPartition input,
                                           const ReplicaGroups &groups) {
  return compareGroups(partitions, input, groups, MemberOrder::Any);
}

ReplicaPartition mlir::ipu::reduceScatterInGroups(ReplicaPartitions &partitions,
                                                  ReplicaPartition input,
                                                  const ReplicaGroups &groups) {
  return partitions.meet(reduceInGroups(partitions, input, groups),
                         partitions.getIndices(groups));
}
