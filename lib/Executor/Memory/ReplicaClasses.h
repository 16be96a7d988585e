//===- ReplicaClasses.h - Equality classes of bytes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_REPLICACLASSES_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_REPLICACLASSES_H

#include "../Support/ThreadPool.h"
#include "ActiveReplicas.h"
#include "ipu-mlir/Replica/ReplicaPartition.h"
#include <vector>

namespace mlir::ipu {

/// Returns the least replica of each class, in the order of the classes.
std::vector<int64_t> getLeastReplicas(ReplicaPartition partition);

/// Returns the least active replica of each class, in the order of the classes.
/// Classes without an active replica have no entry.
std::vector<int64_t> getLeastReplicas(ReplicaPartition partition,
                                      const ActiveReplicas &active);

/// Returns the replicas of each class, in ascending order.
std::vector<SmallVector<int64_t, 4>> getMembers(ReplicaPartition partition);

/// A function that returns the bytes of a replica. With `isStart`, it may
/// return only some of the first bytes. It may store the bytes in `buffer`. All
/// replicas must have the same number of bytes.
using GetBytesFn = llvm::function_ref<ArrayRef<char>(
    int64_t replica, bool isStart, std::vector<char> &buffer)>;

/// Returns the coarsest partition in which the replicas of each class have
/// equal bytes. The replicas in one class of `known` are already known to have
/// equal bytes. The function compares the bytes after the start of two replicas
/// only if the starts are equal. Several threads call `getBytes` at the same
/// time.
ReplicaPartition findEqualReplicas(ReplicaPartitions &partitions,
                                   ReplicaPartition known, GetBytesFn getBytes,
                                   ThreadPool &pool);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REPLICACLASSES_H
