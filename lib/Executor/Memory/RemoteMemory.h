//===- RemoteMemory.h - Rows of streaming memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H

#include "DeviceMemory.h"

namespace mlir::ipu {

/// The remote buffers of all replicas. A row gets memory at its first store.
/// Replicas that stored the same values share this memory.
class RemoteMemory {
public:
  /// Without `shares`, each replica has memory of its own.
  RemoteMemory(const Program &program, bool shares);

  /// The contents of a row. `values` is null if the row was never stored.
  ReplicaData get(unsigned buffer, int64_t row, int64_t replica) const;
  /// A row of zeros; null if the host has too little memory.
  const char *getZeros(unsigned buffer);

  /// Stores to the same row on all replicas. Replicas with the same memory
  /// store the same values.
  void storeAll(unsigned buffer, int64_t row,
                function_ref<ReplicaData(int64_t replica)> getData);
  /// Stores to one row for each replica.
  void store(unsigned buffer, ArrayRef<int64_t> rows,
             function_ref<ReplicaData(int64_t replica)> getData);

private:
  /// Shared by the replicas with equal contents.
  struct Content {
    std::vector<char> values;
    /// Empty if all elements are defined.
    std::vector<uint8_t> states;
  };
  /// One content for all replicas, or one for each; empty for a row that was
  /// never stored.
  using Row = SmallVector<std::shared_ptr<const Content>, 1>;

  std::shared_ptr<const Content> copy(unsigned buffer, ReplicaData data) const;
  const Program *program;
  int64_t replicas;
  bool shares;
  std::vector<llvm::DenseMap<int64_t, Row>> rows;
  /// Zeros as many as the bytes of a row, and one more, for each buffer.
  /// Allocated at the first request.
  std::vector<std::vector<char>> zeros;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
