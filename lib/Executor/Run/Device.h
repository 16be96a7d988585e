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

/// Loads the dialects that the executor needs and that no pass has loaded.
void loadExecutorDialects(MLIRContext *context);

/// A program on the simulated device, and the data that persist between runs.
/// These data are states, remote buffers, variables with initial values, and
/// the code on the tiles.
class Device {
public:
  /// Reads and checks the program in `module`, and sets the initial values of
  /// variables. If this fails, the function emits diagnostics with locations.
  static FailureOr<std::unique_ptr<Device>> load(ModuleOp module,
                                                 const LoadOptions &options);

  /// If data have changed since load(), resets all data to their values after
  /// load().
  LogicalResult reset();

  /// Runs the program once. After a failed run, the data remain as they were at
  /// the failure.
  FailureOr<ExecuteResult> run(const RunOptions &options);

  const Program &getProgram() const { return program; }

  /// writeState() writes a value of type getWrittenType() to a state, and
  /// readState() returns a value of type getReadType(). Both require an engine
  /// that computes values. In a checked run, padding and elements that the
  /// program never wrote are read without errors. With `checkReplicaEqual`,
  /// readState() fails if the host reads one of several replicas and these
  /// replicas hold different values.
  LogicalResult writeState(unsigned state, const HostTensor &tensor);
  FailureOr<HostTensor> readState(unsigned state);

private:
  Device(Program program, const LoadOptions &options);
  /// Warns about problems of streams that are known before a run.
  void checkStreams();
  LogicalResult createMemory();
  LogicalResult createValues();
  LogicalResult write(const HostState &state, const HostTensor &tensor);
  LogicalResult writeInternalStates();
  LogicalResult checkReadOnce(unsigned state);

  Program program;
  LoadOptions options;
  ThreadPool pool;
  std::unique_ptr<Engine> engine;
  /// Null if the engine computes no values.
  std::unique_ptr<DeviceMemory> memory;
  /// Null if replica-equal annotations are neither checked nor reported.
  std::unique_ptr<ReplicaCheck> replicaCheck;
  RemoteMemory remote;
  CodeResidency code;
  StreamUses streamUses;
  /// The part that the profiles of all runs have in common. It is computed
  /// once.
  Profile description;
  /// Whether no data were written since the last reset.
  bool isReset = false;
  /// Whether the host has written a state since the last run. Internal states
  /// get their initial values before the next run.
  bool hasNewStates = false;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_DEVICE_H
