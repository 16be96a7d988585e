//===- ReplicaClasses.cpp - Equality classes of bytes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaClasses.h"

#include "llvm/Support/xxhash.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

std::vector<int64_t> mlir::ipu::getLeastReplicas(ReplicaPartition partition) {
  std::vector<int64_t> result;
  // Classes are numbered by their least replica.
  for (auto [replica, number] : llvm::enumerate(partition.getClasses()))
    if (number == static_cast<int64_t>(result.size()))
      result.push_back(replica);
  return result;
}

std::vector<int64_t> mlir::ipu::getLeastReplicas(ReplicaPartition partition,
                                                 const ActiveReplicas &active) {
  if (active.areAll())
    return getLeastReplicas(partition);
  std::vector<int64_t> result;
  llvm::BitVector seen(partition.getNumClasses());
  for (int64_t replica : active.get()) {
    int64_t number = partition.classOf(replica);
    if (!seen.test(number))
      result.push_back(replica);
    seen.set(number);
  }
  return result;
}

std::vector<SmallVector<int64_t, 4>>
mlir::ipu::getMembers(ReplicaPartition partition) {
  std::vector<SmallVector<int64_t, 4>> result(partition.getNumClasses());
  for (auto [replica, number] : llvm::enumerate(partition.getClasses()))
    result[number].push_back(replica);
  return result;
}

/// Refines the classes that `keys` make of `replicas` by hashes of their bytes.
/// Returns whether any two are in one class.
static bool refineByHash(ArrayRef<int64_t> replicas, bool isStart,
                         GetBytesFn getBytes, ThreadPool &pool,
                         std::vector<int64_t> &keys) {
  std::map<int64_t, int64_t> counts;
  for (int64_t key : keys)
    ++counts[key];
  std::vector<uint64_t> hashes(replicas.size());
  pool.run(replicas.size(), [&](unsigned, int64_t begin, int64_t end) {
    std::vector<char> buffer;
    for (int64_t i = begin; i < end; ++i) {
      if (counts.find(keys[i])->second == 1)
        continue;
      ArrayRef<char> bytes = getBytes(replicas[i], isStart, buffer);
      hashes[i] = llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
    }
  });
  std::map<std::pair<int64_t, uint64_t>, int64_t> numbers;
  for (auto [key, hash] : llvm::zip_equal(keys, hashes))
    key = numbers.try_emplace({key, hash}, numbers.size()).first->second;
  return numbers.size() < replicas.size();
}

ReplicaPartition mlir::ipu::findEqualReplicas(ReplicaPartitions &partitions,
                                              ReplicaPartition known,
                                              GetBytesFn getBytes,
                                              ThreadPool &pool) {
  if (known.isAll())
    return known;
  std::vector<int64_t> replicas = getLeastReplicas(known);
  std::vector<int64_t> keys(replicas.size());
  if (!refineByHash(replicas, /*isStart=*/true, getBytes, pool, keys) ||
      !refineByHash(replicas, /*isStart=*/false, getBytes, pool, keys))
    return known;
  // Hashes may be equal at random: what differs then is a class of its own.
  std::vector<int64_t> first(replicas.size(), -1);
  for (auto [i, key] : llvm::enumerate(keys))
    if (first[key] < 0)
      first[key] = i;
  std::vector<int64_t> own(replicas.size());
  pool.run(replicas.size(), [&](unsigned, int64_t begin, int64_t end) {
    std::vector<char> buffer, otherBuffer;
    for (int64_t i = begin; i < end; ++i) {
      int64_t other = first[keys[i]];
      own[i] = other;
      if (other == i)
        continue;
      ArrayRef<char> bytes = getBytes(replicas[i], /*isStart=*/false, buffer);
      ArrayRef<char> others =
          getBytes(replicas[other], /*isStart=*/false, otherBuffer);
      if (bytes != others)
        own[i] = i;
    }
  });
  std::vector<int64_t> all(known.getNumReplicas());
  for (auto [replica, key] : llvm::enumerate(all))
    key = own[known.classOf(replica)];
  return partitions.get(all);
}
