//===- ReplicaGroups.h - Groups of replicas ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions of the replicas of a program into groups of one size.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_REPLICA_REPLICAGROUPS_H
#define IPU_MLIR_REPLICA_REPLICAGROUPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace mlir::ipu {

/// A division of replicas 0 to R - 1 into groups, which are numbered in the
/// order of their least replicas. The factory functions return std::nullopt if
/// their arguments do not define such a division.
class ReplicaGroups {
public:
  /// The greatest number of replicas. It is much greater than the number in
  /// practical programs, and small enough that computations with it do not
  /// overflow.
  static constexpr int64_t kMaxReplicas = int64_t(1) << 20;

  /// Returns one group of all replicas. There must be at least one replica.
  static ReplicaGroups getAll(int64_t numReplicas);
  /// Returns groups of `size` replicas. The numbers of successive members of a
  /// group differ by `stride`. `stride * size` must divide the number of
  /// replicas.
  static std::optional<ReplicaGroups> getStrided(int64_t numReplicas,
                                                 int64_t stride, int64_t size);
  /// Returns groups that are defined by pairs (stride, size): the number of a
  /// member is the least replica of its group plus, for each pair, `stride`
  /// times an index from 0 to `size` - 1. The index of the first pair changes
  /// most slowly. The pairs may be in any order. Two conditions must hold for
  /// the pairs in ascending order of stride: stride * size of each pair divides
  /// the stride of the next pair, and stride * size of the last pair divides
  /// the number of replicas.
  static std::optional<ReplicaGroups>
  getNested(int64_t numReplicas,
            llvm::ArrayRef<std::pair<int64_t, int64_t>> strideSizes);
  /// Returns groups of `size` members. `members` lists the members of all
  /// groups, one group after the other, and contains each replica once.
  static std::optional<ReplicaGroups>
  getExplicit(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t getNumReplicas() const { return groups.size(); }
  int64_t getNumGroups() const { return getNumReplicas() / groupSize; }
  int64_t getGroupSize() const { return groupSize; }

  /// Return the group that contains a replica, and the index of the replica in
  /// this group.
  int64_t groupOf(int64_t replica) const { return groups[replica]; }
  int64_t indexIn(int64_t replica) const { return indices[replica]; }
  /// Returns the replicas of a group, in the order of their indices.
  llvm::ArrayRef<int64_t> members(int64_t group) const {
    return llvm::ArrayRef(replicas).slice(group * groupSize, groupSize);
  }
  /// Returns the least replica of a group, which represents the group. It is
  /// not always the first member.
  int64_t leastOf(int64_t group) const {
    return *llvm::min_element(members(group));
  }

  /// Returns the transposed groups: each of them consists of the replicas that
  /// have the same index in these groups. Returns std::nullopt unless the
  /// stride of these groups is 1, or their stride times their size is the
  /// number of replicas.
  std::optional<ReplicaGroups> getTranspose() const;

  /// Returns whether each group of `other` is a subset of one of these groups.
  bool contains(const ReplicaGroups &other) const;

  bool operator==(const ReplicaGroups &other) const {
    return groupSize == other.groupSize && replicas == other.replicas;
  }
  bool operator!=(const ReplicaGroups &other) const {
    return !(*this == other);
  }

private:
  /// Creates groups from their members. The groups may be in any order, and
  /// each replica must be in one group.
  ReplicaGroups(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t groupSize;
  /// The members of all groups, the group of each replica, and the index of
  /// each replica.
  llvm::SmallVector<int64_t, 0> replicas, groups, indices;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAGROUPS_H
