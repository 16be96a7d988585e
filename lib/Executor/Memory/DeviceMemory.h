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

/// Of each element on each tile, and of each element outside of tiles.
enum ElementState : uint8_t {
  kNeverWritten = 0,
  kDefined = 1,
  /// An exchange copied an element that had no value.
  kMovedUndefined = 2,
  /// Code was loaded over it.
  kOverwritten = 3,
  /// Of elements that are only looked for: not there.
  kAbsent = 255,
};

/// Whether all of `size` states are kDefined.
inline bool areDefined(const uint8_t *states, int64_t size) {
  uint8_t difference = 0;
  for (int64_t i = 0; i < size; ++i)
    difference |= states[i] ^ kDefined;
  return difference == 0;
}

/// The elements that a replica gets, and their states; no states if all are
/// defined.
struct ReplicaData {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// What `values` are all of, if it may be shared.
  const HostBytes *bytes = nullptr;
};

/// Elements of a variable for a reader; no states if all are
/// defined.
struct ElementsSeen {
  const char *values = nullptr;
  const uint8_t *states = nullptr;
  /// Where they are, if nowhere else.
  std::vector<char> valueBuffer;
  std::vector<uint8_t> stateBuffer;
};

/// The variables of all replicas, and what the nodes of a program do to them.
/// Elements go in and out in row-major order of the whole variable.
class DeviceMemory {
public:
  explicit DeviceMemory(int64_t replicas)
      : partitions(replicas), active(replicas) {}
  virtual ~DeviceMemory();
  /// What comes is another run of the program.
  virtual void startRun() {}
  /// What comes happens on `replicas`; others keep what they hold.
  virtual LogicalResult setActive(const ActiveReplicas &replicas) {
    active = replicas;
    return success();
  }
  const ActiveReplicas &getActive() const { return active; }
  /// The live range of a variable begins; it has no value.
  virtual LogicalResult begin(unsigned variable) = 0;
  virtual void end(unsigned variable) = 0;
  virtual LogicalResult compute(const ComputeNode &node) = 0;
  virtual LogicalResult exchange(const ExchangeNode &node) = 0;
  /// Does what the first of `nodes` do, of a sequence, if they may run as one;
  /// returns how many do, or 0.
  virtual FailureOr<size_t> runFused(ArrayRef<ProgramNode> /*nodes*/) {
    return 0;
  }
  /// Brings the counters in the RNG state to the next compute set.
  virtual LogicalResult advanceRngCounters(unsigned rng) = 0;
  /// Gives all elements a value, on every active replica. Replicas that are
  /// given the same memory have the same values.
  virtual LogicalResult
  write(unsigned variable,
        function_ref<ReplicaData(int64_t replica)> getData) = 0;
  /// `user` is the op that lets others see the variable, which is wrong of
  /// undefined elements unless it asks for their states.
  virtual LogicalResult read(Operation *user, unsigned variable,
                             int64_t replica, char *to,
                             uint8_t *states = nullptr) = 0;
  /// All elements of a variable that is read, of one class of getPartition()
  /// after the other, to be shared; null if they have to be copied.
  virtual HostBytes share(unsigned /*variable*/) { return {}; }
  /// Whether a variable of floats surely has no NaNs.
  virtual bool hasNoNaNs(unsigned /*variable*/) const { return false; }
  /// Elements [low, high] of a variable as they are, which is never wrong.
  virtual void look(unsigned variable, int64_t replica, int64_t low,
                    int64_t high, ElementsSeen &seen) = 0;
  /// Which replicas are known to hold the same. A partition lives until the
  /// next node.
  virtual ReplicaPartition getPartition(unsigned variable) const = 0;
  ReplicaPartitions &getPartitions() { return partitions; }
  /// Whether elements may be undefined.
  virtual bool hasStates() const { return false; }
  /// Op `user` reads what nothing has been written to; where that is wrong,
  /// explains itself by `message`.
  virtual LogicalResult readUndefined(Operation *, const Twine &) {
    return success();
  }
  /// Code of a function of the program comes to where it is called.
  virtual void loadCode(unsigned) {}
  /// `call` runs code that comes and goes: fails if a variable took its memory.
  virtual LogicalResult callCode(Operation * /*call*/, unsigned /*function*/) {
    return success();
  }
  /// After the last node: fails if what happened before must not happen.
  virtual LogicalResult finish() { return success(); }

protected:
  ReplicaPartitions partitions;
  ActiveReplicas active;
};

/// One row-major buffer for each variable, whatever its tile mapping, on each
/// class of replicas that are known to hold the same; if not `shares`, on each
/// replica. Runs `fusedSets` block by block, which the engine must take. The
/// other arguments outlive the result.
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
