//===- Device.h - A loaded program with its state --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_DEVICE_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_DEVICE_H

#include "../Check/ReplicaCheck.h"
#include "../Memory/RemoteMemory.h"
#include "../Program/StreamUses.h"
#include "CodeResidency.h"
#include "HostStates.h"
#include "ipu-mlir/Executor/Run/Executor.h"

namespace mlir::ipu {

/// Loads what no pass loaded.
void loadExecutorDialects(MLIRContext *context);

/// A program on the simulated device, and what survives its runs: states,
/// remote buffers, variables with initial values, and the code that is on the
/// tiles.
class Device {
public:
  /// Reads and checks `program`, gives variables their initial values. Fails
  /// with located diagnostics.
  static FailureOr<std::unique_ptr<Device>> load(ModuleOp module,
                                                 const LoadOptions &options);

  /// Brings everything into the state that it had when it was loaded, unless
  /// it is in it.
  LogicalResult reset();

  /// Runs the program once. A run that fails leaves the state as it was then.
  FailureOr<ExecuteResult> run(const RunOptions &options);

  const Program &getProgram() const { return program; }

  /// Gives a state a value of getWrittenType(), or returns the one that it has,
  /// of getReadType(). Needs an engine that computes values. In a checked run,
  /// elements of padding or that the program never wrote are read as they are.
  /// With `checkReplicaEqual`, reading fails where replicas of which the host
  /// reads one hold different values.
  LogicalResult writeState(unsigned state, const HostTensor &tensor);
  FailureOr<HostTensor> readState(unsigned state);

private:
  Device(Program program, const LoadOptions &options);
  /// Warns of what is known before a run.
  void checkStreams();
  LogicalResult createMemory();
  LogicalResult createValues();
  LogicalResult checkReadOnce(unsigned state);

  Program program;
  LoadOptions options;
  ThreadPool pool;
  std::unique_ptr<Engine> engine;
  /// None if the engine computes no values.
  std::unique_ptr<DeviceMemory> memory;
  /// None if nothing is to be checked.
  std::unique_ptr<ReplicaCheck> replicaCheck;
  RemoteMemory remote;
  CodeResidency code;
  StreamUses streamUses;
  /// What the profiles of runs have in common, found once.
  Profile description;
  /// Whether nothing was written since the last reset.
  bool isReset = false;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_DEVICE_H
