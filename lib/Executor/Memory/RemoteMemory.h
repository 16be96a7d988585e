//===- RemoteMemory.h - Rows of streaming memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H

#include "DeviceMemory.h"

namespace mlir::ipu {

/// The remote buffers of all replicas. The first store to a row allocates
/// memory for it. Replicas that stored the same values share the memory.
class RemoteMemory {
public:
  /// If `shares` is false, each replica has separate memory.
  RemoteMemory(const Program &program, bool shares);

  /// Returns the contents of a row. `values` of the result is null if the row
  /// was never stored.
  ReplicaData get(unsigned buffer, int64_t row, int64_t replica) const;
  /// Returns a row of zeros, or null if the host has too little memory.
  const char *getZeros(unsigned buffer);

  /// Stores to the same row on all replicas. Replicas for which `getData`
  /// returns the same pointers store the same values.
  void storeAll(unsigned buffer, int64_t row,
                function_ref<ReplicaData(int64_t replica)> getData);
  /// Stores to one row on each replica. `rows` contains the row of each
  /// replica.
  void store(unsigned buffer, ArrayRef<int64_t> rows,
             function_ref<ReplicaData(int64_t replica)> getData);

private:
  /// The contents of a row. Replicas with equal contents share one object.
  struct Content {
    std::vector<char> values;
    /// The states of the elements; empty if all elements are defined.
    std::vector<uint8_t> states;
  };
  /// The contents of a row: one entry for all replicas, or one entry for each
  /// replica. There is no entry if the row was never stored.
  using Row = SmallVector<std::shared_ptr<const Content>, 1>;

  std::shared_ptr<const Content> copy(unsigned buffer, ReplicaData data) const;
  const Program *program;
  int64_t replicas;
  bool shares;
  std::vector<llvm::DenseMap<int64_t, Row>> rows;
  /// For each buffer, as many zero bytes as a row has, and one more. The vector
  /// is allocated at the first request.
  std::vector<std::vector<char>> zeros;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_REMOTEMEMORY_H
