//===- RemoteMemory.h - Rows of streaming memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H

#include "DeviceMemory.h"

namespace mlir::ipu {

/// The remote buffers of all replicas. A row has memory from when something is
/// stored to it, and replicas that stored the same have one memory.
class RemoteMemory {
public:
  /// If not `shares`, each replica has a memory of its own for what is stored.
  RemoteMemory(const Program &program, bool shares);

  /// What is in a row; null values if nothing has been stored to it.
  ReplicaData get(unsigned buffer, int64_t row, int64_t replica) const;
  /// The row of zeros; null if the host has no memory for it.
  const char *getZeros(unsigned buffer);

  /// Stores to the same row on all replicas; those that are given the same
  /// memory store the same.
  void storeAll(unsigned buffer, int64_t row,
                function_ref<ReplicaData(int64_t replica)> getData);
  /// Stores to a row for each replica.
  void store(unsigned buffer, ArrayRef<int64_t> rows,
             function_ref<ReplicaData(int64_t replica)> getData);

private:
  /// Shared by the replicas that hold the same.
  struct Content {
    std::vector<char> values;
    /// Empty if all elements are defined.
    std::vector<uint8_t> states;
  };
  /// One content of all replicas, or that of each; none of a row that nothing
  /// has been stored to.
  using Row = SmallVector<std::shared_ptr<const Content>, 1>;

  std::shared_ptr<const Content> copy(unsigned buffer, ReplicaData data) const;
  const Program *program;
  int64_t replicas;
  bool shares;
  std::vector<llvm::DenseMap<int64_t, Row>> rows;
  /// As many bytes as the row of each buffer has, from the first request for
  /// them, and one more.
  std::vector<std::vector<char>> zeros;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
