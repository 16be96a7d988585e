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

/// The least replica of each class, in order.
std::vector<int64_t> getLeastReplicas(ReplicaPartition partition);

/// The least active replica of each class that has one, in order.
std::vector<int64_t> getLeastReplicas(ReplicaPartition partition,
                                      const ActiveReplicas &active);

/// The replicas of each class, in order.
std::vector<SmallVector<int64_t, 4>> getMembers(ReplicaPartition partition);

/// Bytes of a replica, or at least some of the first if `isStart`; in `buffer`,
/// if they are nowhere else. Of one size for all replicas.
using GetBytesFn = llvm::function_ref<ArrayRef<char>(
    int64_t replica, bool isStart, std::vector<char> &buffer)>;

/// The coarsest partition of replicas whose bytes are equal, which those of a
/// class of `known` are. Bytes after the start are only looked at where starts
/// are equal. `getBytes` is called from several threads at once.
ReplicaPartition findEqualReplicas(ReplicaPartitions &partitions,
                                   ReplicaPartition known, GetBytesFn getBytes,
                                   ThreadPool &pool);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REPLICACLASSES_H
