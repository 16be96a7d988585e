//===- GroupMembers.h - Groups of equal members -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_REPLICA_GROUPMEMBERS_H
#define IPU_MLIR_LIB_REPLICA_GROUPMEMBERS_H

#include "ipu-mlir/Replica/ReplicaPartition.h"

namespace mlir::ipu {

/// The way in which the members of two groups are compared: index by index
/// (`Given`) or as multisets (`Any`).
enum class MemberOrder { Given, Any };

/// Returns the partition in which two replicas are in one class if the members
/// of their groups are equal according to `input`.
ReplicaPartition compareGroups(ReplicaPartitions &partitions,
                               ReplicaPartition input,
                               const ReplicaGroups &groups, MemberOrder order);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_REPLICA_GROUPMEMBERS_H
