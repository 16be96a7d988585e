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

/// The least active replica of each class that has an active replica, in order.
std::vector<int64_t> getLeastReplicas(ReplicaPartition partition,
                                      const ActiveReplicas &active);

/// The replicas of each class, in order.
std::vector<SmallVector<int64_t, 4>> getMembers(ReplicaPartition partition);

/// Returns the bytes of a replica or, with `isStart`, at least some of the
/// first bytes. If they are not stored elsewhere, they are in `buffer`. All
/// replicas have the same number of bytes.
using GetBytesFn = llvm::function_ref<ArrayRef<char>(
    int64_t replica, bool isStart, std::vector<char> &buffer)>;

/// The coarsest partition of replicas whose bytes are equal. Replicas in one
/// class of `known` are known to have equal bytes. Bytes after the start are
/// only compared if the starts are equal. Several threads call `getBytes` at
/// the same time.
ReplicaPartition findEqualReplicas(ReplicaPartitions &partitions,
                                   ReplicaPartition known, GetBytesFn getBytes,
                                   ThreadPool &pool);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REPLICACLASSES_H
