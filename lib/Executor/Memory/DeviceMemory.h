//===- DeviceMemory.h - Storage of variables --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_MEMORY_DEVICEMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_MEMORY_DEVICEMEMORY_H

#include "../Program/FusedSets.h"
#include "../Support/ThreadPool.h"
#include "ActiveReplicas.h"
#include "ipu-mlir/Executor/Engine/Engine.h"
#include "ipu-mlir/Host/HostBytes.h"
#include "ipu-mlir/Replica/ReplicaPartition.h"

namespace mlir::ipu {

/// The state of an element on a tile, or of an element in a buffer that belongs
/// to no tile.
enum ElementState : uint8_t {
  kNeverWritten = 0,
  kDefined = 1,
  /// An exchange copied an element that had no value.
  kMovedUndefined = 2,
  /// The code of a function was loaded to the memory of the element.
  kOverwritten = 3,
  /// No tile that was searched holds the element.
  kAbsent = 255,
};

/// Returns whether all of `size` states are kDefined.
inline bool areDefined(const uint8_t *states, int64_t size) {
  uint8_t difference = 0;
  for (int64_t i = 0; i < size; ++i)
    difference |= states[i] ^ kDefined;
  return difference == 0;
}

/// The elements of a variable on a replica, and their states. `states` is null
/// if all elements are defined.
struct ReplicaData {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// The host bytes that contain exactly `values`, if a variable may share
  /// them; otherwise null.
  const HostBytes *bytes = nullptr;
};

/// The elements of a variable that look() returns, and their states. `states`
/// is null if all elements are defined.
struct ElementsSeen {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// The storage of `values` and `states` if these are not stored elsewhere.
  std::vector<char> valueBuffer;
  std::vector<uint8_t> stateBuffer;
};

/// The variables of all replicas, and the effects of a program's nodes on them.
/// Functions pass the elements of a whole variable in row-major order.
class DeviceMemory {
public:
  explicit DeviceMemory(int64_t replicas)
      : partitions(replicas), active(replicas) {}
  virtual ~DeviceMemory();
  /// Must be called before the first node of each run of the program.
  virtual void startRun() {}
  /// Lets only `replicas` execute the following nodes. Other replicas keep
  /// their elements.
  virtual LogicalResult setActive(const ActiveReplicas &replicas) {
    active = replicas;
    return success();
  }
  const ActiveReplicas &getActive() const { return active; }
  /// Starts the live range of a variable. The variable has no value at first.
  virtual LogicalResult begin(unsigned variable) = 0;
  virtual void end(unsigned variable) = 0;
  virtual LogicalResult compute(const ComputeNode &node) = 0;
  virtual LogicalResult exchange(const ExchangeNode &node) = 0;
  /// Executes some nodes at the start of the sequence `nodes` together, if this
  /// is possible. Returns the number of executed nodes, or 0.
  virtual FailureOr<size_t> runFused(ArrayRef<ProgramNode> /*nodes*/) {
    return 0;
  }
  /// Advances the counters in the RNG state of `node`.
  virtual LogicalResult advanceRngCounters(const AdvanceRngNode &node) = 0;
  /// Sets all elements of a variable on each active replica. Replicas for which
  /// `getData` returns the same pointers get the same values.
  virtual LogicalResult
  write(unsigned variable,
        function_ref<ReplicaData(int64_t replica)> getData) = 0;
  /// Copies all elements of a variable on a replica to `to`. `user` is the op
  /// that makes the variable visible to the host. If `states` is not null, the
  /// function writes the states of the elements to it; otherwise, undefined
  /// elements are an error.
  virtual LogicalResult read(Operation *user, unsigned variable,
                             int64_t replica, char *to,
                             uint8_t *states = nullptr) = 0;
  /// Returns all elements of a variable as shared bytes, in the order of the
  /// classes of getPartition(). Must be called after the variable was read.
  /// Returns null bytes if the elements must be copied instead.
  virtual HostBytes share(unsigned /*variable*/) { return {}; }
  /// Returns whether a variable of floats is known to contain no NaNs.
  virtual bool hasNoNaNs(unsigned /*variable*/) const { return false; }
  /// Sets `seen` to elements [low, high] of a variable. These may be undefined.
  virtual void look(unsigned variable, int64_t replica, int64_t low,
                    int64_t high, ElementsSeen &seen) = 0;
  /// Returns the partition of the replicas that are known to hold equal values
  /// of a variable. The result is valid until the next node.
  virtual ReplicaPartition getPartition(unsigned variable) const = 0;
  ReplicaPartitions &getPartitions() { return partitions; }
  /// Returns whether elements may be undefined.
  virtual bool hasStates() const { return false; }
  /// Must be called if the op `user` reads memory that was never written. If
  /// this is an error, the function emits `message`.
  virtual LogicalResult readUndefined(Operation *, const Twine &) {
    return success();
  }
  /// Loads the code of a function of the program to executable memory.
  virtual void loadCode(unsigned) {}
  /// Must be called before `call` executes the code of a function that is not
  /// always on the tiles. Emits an error if a variable has overwritten the
  /// code.
  virtual LogicalResult callCode(Operation * /*call*/, unsigned /*function*/) {
    return success();
  }
  /// Must be called after the last node. Fails if an earlier check of the run
  /// found an error.
  virtual LogicalResult finish() { return success(); }

protected:
  ReplicaPartitions partitions;
  ActiveReplicas active;
};

/// Creates a memory that stores each variable in row-major order, for any tile
/// mapping. If `shares` is true, a variable has one buffer for each class of
/// replicas that are known to hold equal values; otherwise, it has one buffer
/// for each replica. The memory executes `fusedSets` block by block; the engine
/// must support this. The arguments except `shares` and `fusedSets` must
/// outlive the result.
std::unique_ptr<DeviceMemory> createSharedReplicaMemory(const Program &program,
                                                        Engine &engine,
                                                        ThreadPool &pool,
                                                        bool shares,
                                                        FusedSetsMap fusedSets);

/// Writes the initial value of a variable to `memory`, on all replicas.
LogicalResult writeInitialValue(const Program &program, unsigned variable,
                                DeviceMemory &memory);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_DEVICEMEMORY_H
