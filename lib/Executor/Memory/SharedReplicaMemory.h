//===- SharedReplicaMemory.h - Shared memory of equal replicas --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each variable has a partition of the replicas. The replicas of a class are
// known to hold equal values of the variable, which is stored once for each
// class. For each step, a partition is computed from the partitions of the
// elements that the step reads, and of the elements of its targets that it
// keeps. The step is executed once for each class of this partition, which
// becomes the partition of the variables that the step writes.
//
// If the replica-equal analysis proves that replicas hold equal values, they
// are in one class here. Both apply the same transfer functions, which are
// monotonic. Each replica takes one path through the program, while the
// analysis considers all paths. Only the analysis knows the partitions of parts
// of a variable. Therefore parts that moves read are compared byte by byte.
// Values from outside of the device are compared, too. Each row of a remote
// buffer is stored once for all replicas that stored equal values.
//
// If replicas decide differently at a branch or loop, a step in its body is
// executed only for the replicas that take the body. The new classes of a
// variable that the step writes contain only these replicas, and the other
// replicas keep their elements. When all replicas are active again, the
// variables that were written in the body are compared byte by byte.
//
// If sharing is disabled, each replica has a class of its own in all
// partitions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_SHAREDREPLICAMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_SHAREDREPLICAMEMORY_H

#include "DeviceMemory.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {

struct CopyLoops;

class SharedReplicaMemory : public DeviceMemory {
public:
  SharedReplicaMemory(const Program &program, Engine &engine, ThreadPool &pool,
                      bool shares, FusedSetsMap fusedSets)
      : DeviceMemory(program.target.replicas), program(program), engine(engine),
        pool(pool), replicas(program.target.replicas), shares(shares),
        storage(program.variables.size()), fusedSets(std::move(fusedSets)) {}

  LogicalResult setActive(const ActiveReplicas &replicas) override;
  LogicalResult begin(unsigned variable) override {
    forgetPartitions();
    drop(variable);
    storage[variable].partition = getCoarsest();
    // The host may read the variable at any time, so its memory exists.
    return program.variables[variable].liveRange == VariableLiveRange::Device
               ? prepareToRead(variable)
               : success();
  }
  void end(unsigned variable) override { drop(variable); }
  LogicalResult compute(const ComputeNode &node) override;
  LogicalResult exchange(const ExchangeNode &node) override;
  FailureOr<size_t> runFused(ArrayRef<ProgramNode> nodes) override;
  LogicalResult advanceRngCounters(const AdvanceRngNode &node) override;
  LogicalResult write(unsigned variable,
                      function_ref<ReplicaData(int64_t)> getData) override;
  LogicalResult read(Operation *, unsigned variable, int64_t replica, char *to,
                     uint8_t *states) override {
    int64_t bytes = program.variables[variable].bytes;
    if (failed(prepareToRead(variable)))
      return failure();
    std::copy_n(getStorage(variable, replica), bytes, to);
    if (states)
      std::fill_n(states, bytes / program.variables[variable].elementBytes,
                  kDefined);
    return success();
  }
  HostBytes share(unsigned variable) override { return storage[variable].data; }
  bool hasNoNaNs(unsigned variable) const override {
    return storage[variable].hasNoNaNs;
  }
  void look(unsigned variable, int64_t replica, int64_t low, int64_t,
            ElementsSeen &seen) override {
    seen.values = getStorage(variable, replica) +
                  low * program.variables[variable].elementBytes;
    seen.states = nullptr;
  }
  ReplicaPartition getPartition(unsigned variable) const override {
    return storage[variable].partition;
  }

private:
  struct Storage {
    /// One copy of the variable for each class. The data are null until the
    /// first access; the elements are then zeros. Copies of this variable, and
    /// the host, may share the data.
    HostBytes data;
    ReplicaPartition partition;
    /// Whether the variable is known to contain no NaN, because compute sets
    /// that ran block by block wrote it and scanned it for NaNs (FusedScan).
    /// The value is valid until the next write.
    bool hasNoNaNs = false;
  };

  /// Returns the partition of a value that is equal on all replicas.
  ReplicaPartition getCoarsest() const {
    return shares ? partitions.getAll() : partitions.getNone();
  }
  void forgetPartitions();
  /// Frees the memory of a variable.
  void drop(unsigned variable);
  void retain(HostBytes bytes);
  LogicalResult allocate(unsigned variable, bool isZero);
  /// Allocates the memory of a variable for a read.
  LogicalResult prepareToRead(unsigned variable);
  /// Prepares a write: gives a variable memory that it does not share with
  /// another variable or the host. If `keepsElements` is false, the elements
  /// are lost.
  LogicalResult prepareToWrite(unsigned variable, bool keepsElements);
  ReplicaPartition keepOthersApart(ReplicaPartition partition,
                                   ReplicaPartition others);
  LogicalResult divide(unsigned variable, ReplicaPartition partition,
                       bool keepsElements);
  LogicalResult unite(unsigned variable);
  ReplicaPartition comparePart(unsigned variable, const StridedView &view);

  /// Returns whether the vertices of a group write the RNG state from which
  /// they draw.
  bool drawsStream(const VertexGroup &group) const {
    return group.rng && program.rngGenerator == RngGenerator::Stream;
  }
  LogicalResult runGroup(const VertexGroup &group);
  ReplicaPartition
  getGroupPartition(const VertexGroup &group,
                    function_ref<ReplicaPartition(unsigned)> getPartition);
  FailureOr<ReplicaPartition> prepareGroup(const VertexGroup &group,
                                           const FusedGroup *fused = nullptr);
  InFlightDiagnostic emitFault(const VertexGroup &group,
                               const CodeletFault &fault, int64_t replica);
  std::optional<CodeletFault> runParts(const VertexGroup &group,
                                       ArrayRef<int64_t> classes, int64_t begin,
                                       int64_t end);

  // Fused sets.
  friend class FusedRun;
  std::optional<ReplicaPartition>
  getFusedPartition(const FusedSets &sets, ArrayRef<ProgramNode> nodes);

  bool shareMove(const ProgramMove &move, const CopyLoops &loops);
  LogicalResult runMove(const ProgramMove &move, bool keepsElements);
  LogicalResult prepareTargets(const ExchangeNode &node);

  char *getStorage(unsigned variable, int64_t replica) const {
    const Storage &stored = storage[variable];
    // prepareToWrite() was called for all variables that are written, so the
    // bytes are not shared.
    return const_cast<char *>(stored.data.data()) +
           stored.partition.classOf(replica) *
               program.variables[variable].bytes;
  }

  const Program &program;
  Engine &engine;
  ThreadPool &pool;
  int64_t replicas;
  bool shares;
  std::vector<Storage> storage;
  FusedSetsMap fusedSets;
  /// Whether fused sets (FusedSets.h) are being executed. In this time,
  /// `retained` keeps the memory of freed variables.
  bool isFusing = false;
  std::vector<HostBytes> retained;
  /// Variables that some replicas wrote while other replicas were not active.
  llvm::SmallSetVector<unsigned, 8> writtenApart;
  static constexpr size_t kMaxKnown = 4096;
  size_t maxKnown = kMaxKnown;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_SHAREDREPLICAMEMORY_H
