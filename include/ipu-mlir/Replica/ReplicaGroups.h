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
/// order of their least replicas. The factory functions return none if their
/// arguments do not define such a division.
class ReplicaGroups {
public:
  /// The greatest number of replicas. It is much greater than the number in any
  /// program, and small enough that computations with it do not overflow.
  static constexpr int64_t kMaxReplicas = int64_t(1) << 20;

  /// One group of all replicas. There must be at least one replica.
  static ReplicaGroups getAll(int64_t numReplicas);
  /// Groups whose members have the distance `stride`. `stride * size` must
  /// divide the number of replicas.
  static std::optional<ReplicaGroups> getStrided(int64_t numReplicas,
                                                 int64_t stride, int64_t size);
  /// Groups by pairs (stride, size). The first pair is the slowest index in a
  /// group. If the pairs are sorted by stride, the product of each pair must
  /// divide the next stride, or the number of replicas.
  static std::optional<ReplicaGroups>
  getNested(int64_t numReplicas,
            llvm::ArrayRef<std::pair<int64_t, int64_t>> strideSizes);
  /// `members` are the groups of `size`, one after the other, with each replica
  /// once.
  static std::optional<ReplicaGroups>
  getExplicit(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t getNumReplicas() const { return groups.size(); }
  int64_t getNumGroups() const { return getNumReplicas() / groupSize; }
  int64_t getGroupSize() const { return groupSize; }

  /// The group that contains a replica, and the index of the replica in this
  /// group.
  int64_t groupOf(int64_t replica) const { return groups[replica]; }
  int64_t indexIn(int64_t replica) const { return indices[replica]; }
  /// The replicas of a group, in the order of their indices.
  llvm::ArrayRef<int64_t> members(int64_t group) const {
    return llvm::ArrayRef(replicas).slice(group * groupSize, groupSize);
  }
  /// The least replica of a group, which represents it. It is not always the
  /// first member.
  int64_t leastOf(int64_t group) const {
    return *llvm::min_element(members(group));
  }

  /// The groups of replicas with equal indices. They only exist for groups with
  /// stride 1, and for groups whose stride times size is the number of
  /// replicas.
  std::optional<ReplicaGroups> getTranspose() const;

  /// Whether each group of `other` is contained in one of these groups.
  bool contains(const ReplicaGroups &other) const;

  bool operator==(const ReplicaGroups &other) const {
    return groupSize == other.groupSize && replicas == other.replicas;
  }
  bool operator!=(const ReplicaGroups &other) const {
    return !(*this == other);
  }

private:
  /// Groups in any order. Each replica must be in one of them.
  ReplicaGroups(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t groupSize;
  /// The members of all groups; the group and the index of each replica.
  llvm::SmallVector<int64_t, 0> replicas, groups, indices;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAGROUPS_H
