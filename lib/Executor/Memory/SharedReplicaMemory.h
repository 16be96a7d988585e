//===- SharedReplicaMemory.h - Shared memory of equal replicas --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replicas that are known to hold equal values of a variable are a class of its
// partition, and the variable is stored once for each class. A step is executed
// once for each class of the elements that it reads and of those of its targets
// that it keeps, and the variables that it writes have that partition.
//
// A class that ReplicaEqual proves is a class here, or part of one. Both
// apply the same transfer functions, which are monotonic, and each replica
// takes one path through the program, while the analysis considers all paths.
// Only the analysis knows parts of a variable, so parts that moves read are
// compared byte by byte. Values from outside are compared, too, and each row
// of a remote buffer is stored once for all replicas that stored equal
// values.
//
// In a branch or a loop on which replicas differ, a step is executed for the
// replicas that take it. Classes of the variables that it writes contain only
// these replicas, and the elements of others are kept. Written variables are
// compared byte by byte where all replicas join again.
//
// If nothing is to be shared, all partitions have a class for each replica.
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
  LogicalResult advanceRngCounters(unsigned rng) override;
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
    /// One copy for each class. Null until the first access; the elements are
    /// then zeros. May be shared with variables that are copies of this one,
    /// and with the host.
    HostBytes data;
    ReplicaPartition partition;
    /// Whether fused sets have checked that there are no NaNs. Valid until the
    /// next write.
    bool hasNoNaNs = false;
  };

  /// The partition of a value that is the same on all replicas.
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
  /// Gives a variable memory that is not shared, for a write. Without
  /// `keepsElements`, its elements are lost.
  LogicalResult prepareToWrite(unsigned variable, bool keepsElements);
  ReplicaPartition keepOthersApart(ReplicaPartition partition,
                                   ReplicaPartition others);
  LogicalResult divide(unsigned variable, ReplicaPartition partition,
                       bool keepsElements);
  LogicalResult unite(unsigned variable);
  ReplicaPartition comparePart(unsigned variable, const StridedView &view);

  /// Whether vertices write the RNG state from which they draw.
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
    // prepareToWrite() was called for all variables that are written.
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
  /// While sets are fused, the memory of freed variables is kept until the sets
  /// are executed.
  bool isFusing = false;
  std::vector<HostBytes> retained;
  /// Variables that some replicas wrote while others did not.
  llvm::SmallSetVector<unsigned, 8> writtenApart;
  static constexpr size_t kMaxKnown = 4096;
  size_t maxKnown = kMaxKnown;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_SHAREDREPLICAMEMORY_H
