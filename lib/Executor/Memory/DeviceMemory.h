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

/// The state of each element on each tile, and of each element outside of
/// tiles.
enum ElementState : uint8_t {
  kNeverWritten = 0,
  kDefined = 1,
  /// An exchange copied an element that had no value.
  kMovedUndefined = 2,
  /// Code was loaded over the element.
  kOverwritten = 3,
  /// For searched elements: the element does not exist.
  kAbsent = 255,
};

/// Whether all of `size` states are kDefined.
inline bool areDefined(const uint8_t *states, int64_t size) {
  uint8_t difference = 0;
  for (int64_t i = 0; i < size; ++i)
    difference |= states[i] ^ kDefined;
  return difference == 0;
}

/// The elements for a replica, and their states. There are no states if all are
/// defined.
struct ReplicaData {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// The bytes that contain exactly `values`, if they may be shared.
  const HostBytes *bytes = nullptr;
};

/// Elements of a variable for a reader. There are no states if all are defined.
struct ElementsSeen {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// The storage of the elements, if they are not stored elsewhere.
  std::vector<char> valueBuffer;
  std::vector<uint8_t> stateBuffer;
};

/// The variables of all replicas, and the effects of the nodes of a program on
/// them. Elements are passed in row-major order of the whole variable.
class DeviceMemory {
public:
  explicit DeviceMemory(int64_t replicas)
      : partitions(replicas), active(replicas) {}
  virtual ~DeviceMemory();
  /// The following nodes belong to another run of the program.
  virtual void startRun() {}
  /// The following nodes are executed on `replicas`. Other replicas keep their
  /// elements.
  virtual LogicalResult setActive(const ActiveReplicas &replicas) {
    active = replicas;
    return success();
  }
  const ActiveReplicas &getActive() const { return active; }
  /// Starts the live range of a variable, which has no value.
  virtual LogicalResult begin(unsigned variable) = 0;
  virtual void end(unsigned variable) = 0;
  virtual LogicalResult compute(const ComputeNode &node) = 0;
  virtual LogicalResult exchange(const ExchangeNode &node) = 0;
  /// Executes the first of `nodes`, a sequence, if they can run together.
  /// Returns the number of executed nodes, or 0.
  virtual FailureOr<size_t> runFused(ArrayRef<ProgramNode> /*nodes*/) {
    return 0;
  }
  /// Advances the counters in the RNG state to the next compute set.
  virtual LogicalResult advanceRngCounters(unsigned rng) = 0;
  /// Sets all elements on every active replica. Replicas with the same memory
  /// get the same values.
  virtual LogicalResult
  write(unsigned variable,
        function_ref<ReplicaData(int64_t replica)> getData) = 0;
  /// `user` is the op that makes the variable visible. Undefined elements are
  /// an error, unless it requests their states.
  virtual LogicalResult read(Operation *user, unsigned variable,
                             int64_t replica, char *to,
                             uint8_t *states = nullptr) = 0;
  /// All elements of a variable that is read, for one class of getPartition()
  /// after the other, as shared bytes. Null if they must be copied.
  virtual HostBytes share(unsigned /*variable*/) { return {}; }
  /// Whether a variable of floats certainly contains no NaNs.
  virtual bool hasNoNaNs(unsigned /*variable*/) const { return false; }
  /// Elements [low, high] of a variable, which may be undefined.
  virtual void look(unsigned variable, int64_t replica, int64_t low,
                    int64_t high, ElementsSeen &seen) = 0;
  /// The replicas that are known to hold equal values. A partition is valid
  /// until the next node.
  virtual ReplicaPartition getPartition(unsigned variable) const = 0;
  ReplicaPartitions &getPartitions() { return partitions; }
  /// Whether elements may be undefined.
  virtual bool hasStates() const { return false; }
  /// Op `user` reads memory that was never written. If this is an error,
  /// `message` describes it.
  virtual LogicalResult readUndefined(Operation *, const Twine &) {
    return success();
  }
  /// Loads the code of a function of the program to executable memory.
  virtual void loadCode(unsigned) {}
  /// `call` executes code that is not always on the tiles. Fails if a variable
  /// has overwritten it.
  virtual LogicalResult callCode(Operation * /*call*/, unsigned /*function*/) {
    return success();
  }
  /// Must be called after the last node. Fails if an earlier event was an
  /// error.
  virtual LogicalResult finish() { return success(); }

protected:
  ReplicaPartitions partitions;
  ActiveReplicas active;
};

/// One row-major buffer for each variable, for any tile mapping, and for each
/// class of replicas that are known to hold equal values; without `shares`, for
/// each replica. Executes `fusedSets` block by block; the engine must support
/// this. The other arguments must outlive the result.
std::unique_ptr<DeviceMemory> createSharedReplicaMemory(const Program &program,
                                                        Engine &engine,
                                                        ThreadPool &pool,
                                                        bool shares,
                                                        FusedSetsMap fusedSets);

/// Gives a variable of `memory` its initial value on all replicas.
LogicalResult writeInitialValue(const Program &program, unsigned variable,
                                DeviceMemory &memory);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_MEMORY_DEVICEMEMORY_H
