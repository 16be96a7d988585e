//===- ActiveReplicas.h - Replicas that execute a node ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_ACTIVEREPLICAS_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_ACTIVEREPLICAS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace mlir::ipu {

/// The replicas that execute the current node of a program. These are all
/// replicas, except inside of a branch or loop for which replicas decide
/// differently.
class ActiveReplicas {
public:
  /// Creates the set of all replicas.
  explicit ActiveReplicas(int64_t numReplicas) : mask(numReplicas, true) {
    for (int64_t replica = 0; replica < numReplicas; ++replica)
      replicas.push_back(replica);
  }
  /// Creates the set of `replicas`, which must be in ascending order.
  ActiveReplicas(int64_t numReplicas, ArrayRef<int64_t> replicas)
      : replicas(replicas.begin(), replicas.end()), mask(numReplicas) {
    for (int64_t replica : replicas)
      mask.set(replica);
  }

  /// Returns the active replicas in ascending order.
  ArrayRef<int64_t> get() const { return replicas; }
  int64_t size() const { return replicas.size(); }
  bool areAll() const { return replicas.size() == mask.size(); }
  bool contains(int64_t replica) const { return mask.test(replica); }

private:
  std::vector<int64_t> replicas;
  llvm::BitVector mask;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_ACTIVEREPLICAS_H
