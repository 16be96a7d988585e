//===- ReplicaPartition.h - Partitions of replicas --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions of the replicas of a program: a value is equal on all replicas of
// a class. Partitions are unique within the object that creates them. Therefore
// equal partitions are the same pointer, and the meet of two partitions is
// computed only once. This library is plain C++ and does not use ops.
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

/// A partition of replicas 0 to R - 1. The object is a pointer, which is valid
/// as long as the `ReplicaPartitions` that created it exists. A null pointer
/// means that nothing is known yet.
class ReplicaPartition {
public:
  ReplicaPartition() = default;

  explicit operator bool() const { return classes; }
  bool operator==(ReplicaPartition other) const {
    return classes == other.classes;
  }
  bool operator!=(ReplicaPartition other) const { return !(*this == other); }

  int64_t getNumReplicas() const { return classes->size(); }
  /// Returns the class of each replica. Classes are numbered in the order of
  /// their least replicas.
  llvm::ArrayRef<int64_t> getClasses() const { return *classes; }
  int64_t getNumClasses() const;
  int64_t classOf(int64_t replica) const { return (*classes)[replica]; }
  bool areEqual(int64_t a, int64_t b) const { return classOf(a) == classOf(b); }

  /// Return whether all replicas are in one class, and whether each replica has
  /// its own class. With one replica, both hold.
  bool isAll() const { return classes->back() == 0 && getNumClasses() == 1; }
  bool isNone() const { return getNumClasses() == getNumReplicas(); }

  const void *getAsOpaquePointer() const { return classes; }

private:
  explicit ReplicaPartition(const std::vector<int64_t> *classes)
      : classes(classes) {}

  const std::vector<int64_t> *classes = nullptr;
  friend class ReplicaPartitions;
};

/// Prints `all`, `none` or the classes of a partition, for example
/// `{0,1}{2,3}`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              ReplicaPartition partition);

/// Owns all partitions of replicas 0 to R - 1.
class ReplicaPartitions {
public:
  /// Creates the object for `numReplicas` replicas, from 1 to
  /// `ReplicaGroups::kMaxReplicas`.
  explicit ReplicaPartitions(int64_t numReplicas);

  int64_t getNumReplicas() const { return all.getNumReplicas(); }
  /// Returns the number of cached partitions and meets.
  size_t getNumKnown() const { return known.size() + meets.size(); }
  /// Return the partition of values that are equal on all replicas, and the
  /// partition of values that are not known to be equal on any two replicas.
  ReplicaPartition getAll() const { return all; }
  ReplicaPartition getNone() const { return none; }
  /// Returns the partition whose classes are the replicas with equal keys.
  ReplicaPartition get(llvm::ArrayRef<int64_t> keys);
  /// Return the partition whose classes are the groups (getGroups), or the
  /// partition in which two replicas are in one class if they have the same
  /// index in their groups (getIndices).
  ReplicaPartition getGroups(const ReplicaGroups &groups);
  ReplicaPartition getIndices(const ReplicaGroups &groups);

  /// Returns the coarsest partition that is finer than both `a` and `b`: two
  /// replicas are in one class if they are in one class of both partitions.
  ReplicaPartition meet(ReplicaPartition a, ReplicaPartition b) {
    if (a == b || b == all || a == none)
      return a;
    if (a == all || b == none)
      return b;
    return meetSlow(a, b);
  }
  /// Returns whether replicas that are in one class of `fine` are also in one
  /// class of `coarse`.
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

// These functions return the partition of the result of a collective. `input`
// is the partition of the input of the collective. Two replicas are in one
// class of the returned partition if they have equal results for all inputs
// that are equal within each class of `input`.

/// For all_reduce and all_gather: each replica gets the values of all replicas
/// of its group, in order.
ReplicaPartition combineInGroups(ReplicaPartitions &partitions,
                                 ReplicaPartition input,
                                 const ReplicaGroups &groups);
/// For reduce_scatter and all_to_all: each replica gets a part of the values of
/// all replicas of its group. The number of the part is the index of the
/// replica in the group.
ReplicaPartition scatterInGroups(ReplicaPartitions &partitions,
                                 ReplicaPartition input,
                                 const ReplicaGroups &groups);
/// For replica_slice: each replica keeps the part of its own value whose number
/// is the index of the replica in its group.
ReplicaPartition sliceInGroups(ReplicaPartitions &partitions,
                               ReplicaPartition input,
                               const ReplicaGroups &groups);
/// For a broadcast: each replica gets the value of the member of its group that
/// has the index `root`.
ReplicaPartition broadcastInGroups(ReplicaPartitions &partitions,
                                   ReplicaPartition input,
                                   const ReplicaGroups &groups, int64_t root);
/// For a permutation by pairs (source, target): the target gets the value of
/// the source. Replicas that are not targets get zeros.
ReplicaPartition
permuteReplicas(ReplicaPartitions &partitions, ReplicaPartition input,
                llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs);

} // namespace mlir::ipu

#endif // IPU_MLIR_REPLICA_REPLICAPARTITION_H
