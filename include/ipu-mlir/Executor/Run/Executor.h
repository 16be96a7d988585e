//===- Executor.h - Runs of ipu programs ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_RUN_EXECUTOR_H
#define IPU_MLIR_EXECUTOR_RUN_EXECUTOR_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Executor/Profile/Profile.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace mlir::ipu {

struct ReplicaEqualReport;

/// The engine that computes the values of a run. `None` computes no values: a
/// run only has results that are known without values, such as the profile. The
/// run then requests no inputs and checks no expectations.
enum class EngineKind { Interp, Jit, None };

/// The greatest number of host threads that may be requested. A greater number
/// is probably a mistake.
constexpr unsigned kMaxThreads = 1024;

/// Options for loading a program onto the device.
struct LoadOptions {
  /// The name of the func.func that is the program.
  std::string entry = "main";
  EngineKind engine = EngineKind::Jit;
  /// Whether the memories of tiles are kept separate, and errors are reported
  /// that would corrupt a run on a real device: see docs/check-mode.md.
  /// Requires the engine Interp.
  bool check = false;
  /// Whether the values of each replica are stored separately, and a run fails
  /// if the values that an op writes are not equal on the replicas of its
  /// `ipu.replica_equal`: see docs/replica-equal.md. Requires an engine that
  /// computes values.
  bool checkReplicaEqual = false;
  /// Receives the report of the values that were equal in all runs or, without
  /// `checkReplicaEqual`, that were stored once. It must outlive the loaded
  /// program. May be null.
  ReplicaEqualReport *replicaEqualReport = nullptr;
  /// Whether a program that does not fit in the memory of tiles runs with a
  /// warning. If not set, it is an error.
  bool allowOutOfMemory = false;
  /// The seed of all `ipu.rng_state` ops of the program.
  uint64_t seed = 0;
  /// Whether profiles contain details of exchanges and code, which take time to
  /// compute when a program is loaded.
  bool detailsProfile = false;
  /// The number of host threads. It does not affect the results and the
  /// profile.
  unsigned threads = 1;
  /// The folder that stores compiled kernels for other runs. If it is empty,
  /// kernels are not stored. See docs/performance.md#start-up.
  std::string cacheFolder;
};

/// The progress of a run.
struct RunProgress {
  /// The completed part of the run, from 0 to 1, measured in the estimated
  /// cycles of steps. A loop counts as one iteration if its number of
  /// iterations is not constant.
  double fraction = 0.0;
  /// The step that begins; null if no step begins.
  StepOpInterface step;
};

/// The actions of the host in one run.
struct RunOptions {
  /// Returns the value of an input stream. The function is called once for each
  /// stream, in the order of first use, with the required type of the host's
  /// tensor: see getStreamType(). A failure ends the run; the function must
  /// report the reason.
  std::function<FailureOr<HostTensor>(StringRef name, RankedTensorType type)>
      input;
  /// Called for each `ipu.expect` that does not hold, after its diagnostic. The
  /// run then fails. With this call, the caller can distinguish this failure
  /// from others.
  std::function<void()> expectationFailed;
  /// Called before each step, if it is set.
  std::function<void(const RunProgress &)> progress;
};

struct ExecuteOptions : LoadOptions, RunOptions {};

struct ExecuteResult {
  /// The output streams in the order of their first store.
  std::vector<NamedTensor> outputs;
  Profile profile;
};

/// Registers the dialects that execute() needs in the context of a module. A
/// pass that calls execute() must depend on them. For other callers, execute()
/// loads the missing dialects.
void registerExecutorDialects(DialectRegistry &registry);

/// Runs `module`. Emits errors and fails if an expectation does not hold or if
/// the program is not executable. A program is not executable if it contains
/// ops of another level, operands that are not on the tiles that read them, or
/// steps without a cost.
FailureOr<ExecuteResult> execute(ModuleOp module,
                                 const ExecuteOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_RUN_EXECUTOR_H
