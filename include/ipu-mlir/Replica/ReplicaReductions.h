//===- ReplicaReductions.h - Reductions in any order ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partitions of the results of reductions in groups. The result of such a
// reduction must not depend on the order of the members of a group.
// ReplicaPartition.h has functions for all other reductions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H
#define IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H

#include "ipu-mlir/Replica/ReplicaPartition.h"

namespace mlir::ipu {

/// For all_reduce: each replica gets the values of all replicas of its group,
/// combined in any order.
ReplicaPartition reduceInGroups(ReplicaPartitions &partitions,
                                ReplicaPartition input,
                                const ReplicaGroups &groups);
/// For reduce_scatter: the values of all replicas of a group are combined in
/// any order. Each replica gets the part of the combined value whose number is
/// the index of the replica in its group.
ReplicaPartition reduceScatterInGroups(ReplicaPartitions &partitions,
                                       ReplicaPartition input,
                                       const ReplicaGroups &groups);

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H
