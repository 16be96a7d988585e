//===- ReplicaPartition.cpp - Partitions of replicas ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaPartition.h"

#include "GroupMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <numeric>

using namespace mlir::ipu;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// ReplicaPartition
//===----------------------------------------------------------------------===//

int64_t ReplicaPartition::getNumClasses() const {
  return *llvm::max_element(*classes) + 1;
}

llvm::raw_ostream &mlir::ipu::operator<<(llvm::raw_ostream &os,
                                         ReplicaPartition partition) {
  if (partition.isAll())
    return os << "all";
  if (partition.isNone())
    return os << "none";
  SmallVector<SmallVector<int64_t, 4>> members(partition.getNumClasses());
  for (auto [replica, of] : llvm::enumerate(partition.getClasses()))
    members[of].push_back(replica);
  for (ArrayRef<int64_t> replicas : members) {
    os << "{";
    llvm::interleave(replicas, os, ",");
    os << "}";
  }
  return os;
}

//===----------------------------------------------------------------------===//
// ReplicaPartitions
//===----------------------------------------------------------------------===//

ReplicaPartitions::ReplicaPartitions(int64_t numReplicas) {
  std::vector<int64_t> keys(numReplicas);
  all = get(keys);
  std::iota(keys.begin(), keys.end(), 0);
  none = get(keys);
}

ReplicaPartition ReplicaPartitions::get(ArrayRef<int64_t> keys) {
  auto classes = std::make_unique<std::vector<int64_t>>();
  classes->reserve(keys.size());
  // A std::map is used because llvm::DenseMap reserves two keys.
  std::map<int64_t, int64_t> classOfKey;
  for (int64_t key : keys)
    classes->push_back(
        classOfKey.try_emplace(key, classOfKey.size()).first->second);
  auto [it, isNew] = known.try_emplace(ArrayRef<int64_t>(*classes));
  if (isNew)
    it->second = std::move(classes);
  return ReplicaPartition(it->second.get());
}

ReplicaPartition ReplicaPartitions::getGroups(const ReplicaGroups &groups) {
  std::vector<int64_t> keys(getNumReplicas());
  for (int64_t replica = 0; replica < getNumReplicas(); ++replica)
    keys[replica] = groups.groupOf(replica);
  return get(keys);
}

ReplicaPartition ReplicaPartitions::getIndices(const ReplicaGroups &groups) {
  std::vector<int64_t> keys(getNumReplicas());
  for (int64_t replica = 0; replica < getNumReplicas(); ++replica)
    keys[replica] = groups.indexIn(replica);
  return get(keys);
}

ReplicaPartition ReplicaPartitions::meetSlow(ReplicaPartition a,
                                             ReplicaPartition b) {
  if (a.getAsOpaquePointer() > b.getAsOpaquePointer())
    std::swap(a, b);
  auto [it, isNew] = meets.try_emplace(
      std::pair(a.getAsOpaquePointer(), b.getAsOpaquePointer()));
  if (!isNew)
    return it->second;
  std::vector<int64_t> keys(getNumReplicas());
  for (int64_t replica = 0; replica < getNumReplicas(); ++replica)
    keys[replica] = a.classOf(replica) * getNumReplicas() + b.classOf(replica);
  return it->second = get(keys);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

ReplicaPartition mlir::ipu::compareGroups(ReplicaPartitions &partitions,
                                          ReplicaPartition input,
                                          const ReplicaGroups &groups,
                                          MemberOrder order) {
  std::map<std::vector<int64_t>, int64_t> numbers;
  std::vector<int64_t> keys(input.getNumReplicas());
  for (int64_t group = 0; group < groups.getNumGroups(); ++group) {
    std::vector<int64_t> classes;
    for (int64_t replica : groups.members(group))
      classes.push_back(input.classOf(replica));
    if (order == MemberOrder::Any)
      llvm::sort(classes);
    int64_t number =
        numbers.try_emplace(std::move(classes), numbers.size()).first->second;
    for (int64_t replica : groups.members(group))
      keys[replica] = number;
  }
  return partitions.get(keys);
}

ReplicaPartition mlir::ipu::combineInGroups(ReplicaPartitions &partitions,
                                            ReplicaPartition input,
                                            const ReplicaGroups &groups) {
  return compareGroups(partitions, input, groups, MemberOrder::Given);
}

ReplicaPartition mlir::ipu::scatterInGroups(ReplicaPartitions &partitions,
                                            ReplicaPartition input,
                                            const ReplicaGroups &groups) {
  return partitions.meet(combineInGroups(partitions, input, groups),
                         partitions.getIndices(groups));
}

ReplicaPartition mlir::ipu::sliceInGroups(ReplicaPartitions &partitions,
                                          ReplicaPartition input,
                                          const ReplicaGroups &groups) {
  return partitions.meet(input, partitions.getIndices(groups));
}

ReplicaPartition mlir::ipu::broadcastInGroups(ReplicaPartitions &partitions,
                                              ReplicaPartition input,
                                              const ReplicaGroups &groups,
                                              int64_t root) {
  std::vector<int64_t> keys(input.getNumReplicas());
  for (auto [replica, key] : llvm::enumerate(keys))
    key = input.classOf(groups.members(groups.groupOf(replica))[root]);
  return partitions.get(keys);
}

ReplicaPartition
mlir::ipu::permuteReplicas(ReplicaPartitions &partitions,
                           ReplicaPartition input,
                           ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  // Replicas that get zeros form a separate class.
  std::vector<int64_t> keys(input.getNumReplicas(), -1);
  for (auto [source, target] : pairs)
    keys[target] = input.classOf(source);
  return partitions.get(keys);
}
