//===- ReplicaReductions.h - Reductions in any order ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partition after a reduction in groups whose result does not depend on the
// order of members. ReplicaPartition.h has the partition after other
// reductions.
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
/// For reduce_scatter: each replica gets the part of this combined value whose
/// number is the index of the replica in its group.
ReplicaPartition reduceScatterInGroups(ReplicaPartitions &partitions,
                                       ReplicaPartition input,
                                       const ReplicaGroups &groups);

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H
