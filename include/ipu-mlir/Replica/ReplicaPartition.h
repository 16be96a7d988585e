//===- ReplicaPartition.h - Partitions of replicas --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of the replicas of a program: a value is the same on all replicas
// of a class. Partitions are unique within the object that creates them, so
// equal ones are one pointer and meets are computed once. Plain C++ without
// ops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_REPLICA_REPLICAPARTITION_H
#define IPU_MLIR_REPLICA_REPLICAPARTITION_H

#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::ipu {

/// A partition of replicas 0 to R - 1. A pointer; lives as long as the
/// `ReplicaPartitions` that it is from. Null where nothing is known yet.
class ReplicaPartition {
public:
  ReplicaPartition() = default;

  explicit operator bool() const { return classes; }
  bool operator==(ReplicaPartition other) const {
    return classes == other.classes;
  }
  bool operator!=(ReplicaPartition other) const { return !(*this == other); }

  int64_t getNumReplicas() const { return classes->size(); }
  /// The class of each replica; classes are numbered by their least replica.
  llvm::ArrayRef<int64_t> getClasses() const { return *classes; }
  int64_t getNumClasses() const;
  int64_t classOf(int64_t replica) const { return (*classes)[replica]; }
  bool areEqual(int64_t a, int64_t b) const { return classOf(a) == classOf(b); }

  /// Whether all replicas are in one class. With one replica a partition is
  /// both this and `isNone`.
  bool isAll() const { return classes->back() == 0 && getNumClasses() == 1; }
  bool isNone() const { return getNumClasses() == getNumReplicas(); }

  const void *getAsOpaquePointer() const { return classes; }

private:
  explicit ReplicaPartition(const std::vector<int64_t> *classes)
      : classes(classes) {}

  const std::vector<int64_t> *classes = nullptr;
  friend class ReplicaPartitions;
};

/// Prints `all`, `none` or classes such as `{0,1}{2,3}`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              ReplicaPartition partition);

/// The partitions of a number of replicas that came up.
class ReplicaPartitions {
public:
  /// From 1 to `ReplicaGroups::kMaxReplicas`.
  explicit ReplicaPartitions(int64_t numReplicas);

  int64_t getNumReplicas() const { return all.getNumReplicas(); }
  /// How many partitions and meets are remembered.
  size_t getNumKnown() const { return known.size() + meets.size(); }
  /// Equal on all replicas; not known to be equal on any two of them.
  ReplicaPartition getAll() const { return all; }
  ReplicaPartition getNone() const { return none; }
  /// Replicas of equal keys make a class.
  ReplicaPartition get(llvm::ArrayRef<int64_t> keys);
  /// The replicas of each group, or those of equal index in their groups.
  ReplicaPartition getGroups(const ReplicaGroups &groups);
  ReplicaPartition getIndices(const ReplicaGroups &groups);

  /// The coarsest partition finer than both: replicas are in one class if they
  /// are in both.
  ReplicaPartition meet(ReplicaPartition a, ReplicaPartition b) {
    if (a == b || b == all || a == none)
      return a;
    if (a == all || b == none)
      return b;
    return meetSlow(a, b);
  }
  /// Whether replicas that are equal in `fine` are equal in `coarse`.
  bool isFiner(ReplicaPartition fine, ReplicaPartition coarse) {
    return meet(fine, coarse) == fine;
  }

private:
  ReplicaPartition meetSlow(ReplicaPartition a, ReplicaPartition b);

  llvm::DenseMap<llvm::ArrayRef<int64_t>, std::unique_ptr<std::vector<int64_t>>>
      known;
  llvm::DenseMap<std::pair<const void *, const void *>, ReplicaPartition> meets;
  ReplicaPartition all, none;
};

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

// What is equal after a collective of groups, given what was equal before: what
// holds for any values that are equal as given, and no more.

/// Each replica gets what all of its group have, in order: all_reduce and
/// all_gather.
ReplicaPartition combineInGroups(ReplicaPartitions &partitions,
                                 ReplicaPartition input,
                                 const ReplicaGroups &groups);
/// Each gets the part of its index of what all of its group have:
/// reduce_scatter and all_to_all.
ReplicaPartition scatterInGroups(ReplicaPartitions &partitions,
                                 ReplicaPartition input,
                                 const ReplicaGroups &groups);
/// Each keeps the part of its index of what it has: replica_slice.
ReplicaPartition sliceInGroups(ReplicaPartitions &partitions,
                               ReplicaPartition input,
                               const ReplicaGroups &groups);
/// Each gets what the member of index `root` of its group has.
ReplicaPartition broadcastInGroups(ReplicaPartitions &partitions,
                                   ReplicaPartition input,
                                   const ReplicaGroups &groups, int64_t root);
/// Pairs (source, target): the target gets what the source has, others zeros.
ReplicaPartition
permuteReplicas(ReplicaPartitions &partitions, ReplicaPartition input,
                llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs);

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAPARTITION_H
