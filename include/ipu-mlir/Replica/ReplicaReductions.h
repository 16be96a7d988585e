//===- ReplicaReductions.h - Reductions in any order ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partition after a reduction of groups whose result does not depend on the
// order of members. ReplicaPartition.h has the partition after other
// reductions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H
#define IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H

#include "ipu-mlir/Replica/ReplicaPartition.h"

namespace mlir::ipu {

/// Each replica gets what all of its group have, in any order: all_reduce.
ReplicaPartition reduceInGroups(ReplicaPartitions &partitions,
                                ReplicaPartition input,
                                const ReplicaGroups &groups);
/// Each gets the part of its index of that: reduce_scatter.
ReplicaPartition reduceScatterInGroups(ReplicaPartitions &partitions,
                                       ReplicaPartition input,
                                       const ReplicaGroups &groups);

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAREDUCTIONS_H
