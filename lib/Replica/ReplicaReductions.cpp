//===- ReplicaReductions.cpp - Reductions in any order --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaReductions.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir::ipu;

ReplicaPartition mlir::ipu::reduceInGroups(ReplicaPartitions &partitions,
                                           ReplicaPartition input,
                                           const ReplicaGroups &groups) {
  std::map<std::vector<int64_t>, int64_t> numbers;
  std::vector<int64_t> keys(input.getNumReplicas());
  for (int64_t group = 0; group < groups.getNumGroups(); ++group) {
    std::vector<int64_t> classes;
    for (int64_t replica : groups.members(group))
      classes.push_back(input.classOf(replica));
    llvm::sort(classes);
    int64_t number =
        numbers.try_emplace(std::move(classes), numbers.size()).first->second;
    for (int64_t replica : groups.members(group))
      keys[replica] = number;
  }
  return partitions.get(keys);
}

ReplicaPartition mlir::ipu::reduceScatterInGroups(ReplicaPartitions &partitions,
                                                  ReplicaPartition input,
                                                  const ReplicaGroups &groups) {
  return partitions.meet(reduceInGroups(partitions, input, groups),
                         partitions.getIndices(groups));
}
