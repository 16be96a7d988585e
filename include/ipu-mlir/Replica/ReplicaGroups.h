//===- ReplicaGroups.h - Groups of replicas ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the replicas of a program are divided into groups of one size.
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

/// Replicas 0 to R - 1 in groups, which are numbered by their least replica.
/// Makers return nothing where they are not given a division into groups.
class ReplicaGroups {
public:
  /// Far more replicas than there are; what passes here stays far from
  /// overflow.
  static constexpr int64_t kMaxReplicas = int64_t(1) << 20;

  /// One group of all replicas, of which there is at least one.
  static ReplicaGroups getAll(int64_t numReplicas);
  /// Members are `stride` apart; `stride * size` divides the replicas.
  static std::optional<ReplicaGroups> getStrided(int64_t numReplicas,
                                                 int64_t stride, int64_t size);
  /// Pairs (stride, size), the first being the slowest index in a group. Sorted
  /// by stride, the product of each pair divides the next stride, or the
  /// replicas.
  static std::optional<ReplicaGroups>
  getNested(int64_t numReplicas,
            llvm::ArrayRef<std::pair<int64_t, int64_t>> strideSizes);
  /// `members` are groups of `size` one after the other, with each replica
  /// once.
  static std::optional<ReplicaGroups>
  getExplicit(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t getNumReplicas() const { return groups.size(); }
  int64_t getNumGroups() const { return getNumReplicas() / groupSize; }
  int64_t getGroupSize() const { return groupSize; }

  /// The group that a replica is in, and its index in that group.
  int64_t groupOf(int64_t replica) const { return groups[replica]; }
  int64_t indexIn(int64_t replica) const { return indices[replica]; }
  /// The replicas of a group in order of their index.
  llvm::ArrayRef<int64_t> members(int64_t group) const {
    return llvm::ArrayRef(replicas).slice(group * groupSize, groupSize);
  }
  /// The replica that stands for a group: not always the first of its members.
  int64_t leastOf(int64_t group) const {
    return *llvm::min_element(members(group));
  }

  /// Groups of the replicas of equal index. There is one only for groups that
  /// are strided by 1, or by a stride that with their size makes up all
  /// replicas.
  std::optional<ReplicaGroups> getTranspose() const;

  /// Whether each group of `other` lies in one of these.
  bool contains(const ReplicaGroups &other) const;

  bool operator==(const ReplicaGroups &other) const {
    return groupSize == other.groupSize && replicas == other.replicas;
  }
  bool operator!=(const ReplicaGroups &other) const {
    return !(*this == other);
  }

private:
  /// Takes groups in any order; each replica is in one of them.
  ReplicaGroups(llvm::ArrayRef<int64_t> members, int64_t size);

  int64_t groupSize;
  /// The members of all groups; the group and the index of each replica.
  llvm::SmallVector<int64_t, 0> replicas, groups, indices;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAGROUPS_H
