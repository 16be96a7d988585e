//===- ReplicaGroups.cpp - Groups of replicas -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaGroups.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <numeric>

using namespace mlir::ipu;
using llvm::ArrayRef;
using llvm::SmallVector;

ReplicaGroups::ReplicaGroups(ArrayRef<int64_t> members, int64_t size)
    : groupSize(size), groups(members.size()), indices(members.size()) {
  assert(size > 0 && members.size() % size == 0 && "groups are of one size");
  SmallVector<ArrayRef<int64_t>> lists;
  for (; !members.empty(); members = members.drop_front(size))
    lists.push_back(members.take_front(size));
  llvm::sort(lists, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return *llvm::min_element(a) < *llvm::min_element(b);
  });
  for (auto [group, list] : llvm::enumerate(lists))
    for (auto [index, replica] : llvm::enumerate(list)) {
      replicas.push_back(replica);
      groups[replica] = group;
      indices[replica] = index;
    }
}

ReplicaGroups ReplicaGroups::getAll(int64_t numReplicas) {
  assert(numReplicas > 0 && "there are replicas");
  SmallVector<int64_t> members(numReplicas);
  std::iota(members.begin(), members.end(), 0);
  return ReplicaGroups(members, numReplicas);
}

std::optional<ReplicaGroups>
ReplicaGroups::getStrided(int64_t numReplicas, int64_t stride, int64_t size) {
  return getNested(numReplicas, {{stride, size}});
}

std::optional<ReplicaGroups>
ReplicaGroups::getNested(int64_t numReplicas,
                         ArrayRef<std::pair<int64_t, int64_t>> strideSizes) {
  if (numReplicas < 1 || numReplicas > kMaxReplicas)
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> sorted;
  for (auto [stride, size] : strideSizes) {
    if (stride < 1 || size < 1 || stride > kMaxReplicas || size > kMaxReplicas)
      return std::nullopt;
    if (size > 1)
      sorted.push_back({stride, size});
  }
  llvm::sort(sorted);
  for (auto [i, pair] : llvm::enumerate(sorted)) {
    int64_t next = i + 1 < sorted.size() ? sorted[i + 1].first : numReplicas;
    if (next % (pair.first * pair.second) != 0)
      return std::nullopt;
  }
  // The members of the group whose least replica is 0.
  SmallVector<int64_t> offsets = {0};
  for (auto [stride, size] : strideSizes) {
    SmallVector<int64_t> finer;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < size; ++i)
        finer.push_back(offset + i * stride);
    offsets = std::move(finer);
  }
  SmallVector<int64_t> members;
  for (int64_t replica = 0; replica < numReplicas; ++replica) {
    bool isLeast = llvm::all_of(sorted, [&](std::pair<int64_t, int64_t> pair) {
      return replica / pair.first % pair.second == 0;
    });
    if (isLeast)
      for (int64_t offset : offsets)
        members.push_back(replica + offset);
  }
  return ReplicaGroups(members, offsets.size());
}

std::optional<ReplicaGroups>
ReplicaGroups::getExplicit(ArrayRef<int64_t> members, int64_t size) {
  int64_t numReplicas = members.size();
  if (size < 1 || members.empty() || numReplicas % size != 0)
    return std::nullopt;
  SmallVector<bool> found(numReplicas);
  for (int64_t replica : members) {
    if (replica < 0 || replica >= numReplicas || found[replica])
      return std::nullopt;
    found[replica] = true;
  }
  return ReplicaGroups(members, size);
}

std::optional<ReplicaGroups> ReplicaGroups::getTranspose() const {
  int64_t numReplicas = getNumReplicas(), numGroups = getNumGroups();
  if (getStrided(numReplicas, 1, groupSize) == *this)
    return getStrided(numReplicas, groupSize, numGroups);
  if (getStrided(numReplicas, numGroups, groupSize) == *this)
    return getStrided(numReplicas, 1, numGroups);
  return std::nullopt;
}

bool ReplicaGroups::contains(const ReplicaGroups &other) const {
  if (other.getNumReplicas() != getNumReplicas())
    return false;
  for (int64_t group = 0; group < other.getNumGroups(); ++group)
    for (int64_t replica : other.members(group))
      if (groupOf(replica) != groupOf(other.members(group).front()))
        return false;
  return true;
}
