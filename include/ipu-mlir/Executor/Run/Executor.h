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
  /// Whether a run keeps the memories of tiles separate, and reports errors
  /// that would corrupt a run on a real device: see docs/check-mode.md.
  /// Requires the engine Interp.
  bool check = false;
  /// Whether a run stores the values of each replica separately, and fails if
  /// the values that an op writes differ although `ipu.replica_equal` of the op
  /// states that they are equal: see docs/replica-equal.md. Requires an engine
  /// that computes values.
  bool checkReplicaEqual = false;
  /// If not null, receives a report for the ops with a replica-equal
  /// annotation. With `checkReplicaEqual`, the report states on which replicas
  /// the values that an op wrote were equal in all runs. Without
  /// `checkReplicaEqual`, the report states which replicas shared one stored
  /// copy of the values. The object must outlive the loaded program.
  ReplicaEqualReport *replicaEqualReport = nullptr;
  /// Whether to run a program that does not fit in tile memory, with a warning.
  /// If not set, such a program is an error.
  bool allowOutOfMemory = false;
  /// The seed of all `ipu.rng_state` ops of the program, and of the streams of
  /// seeds to which the host gives no tensor.
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

/// What a caller of a run may observe and end.
struct RunCallbacks {
  /// Called for each `ipu.expect` that does not hold, after its diagnostic. The
  /// run then fails. This function lets the caller distinguish this failure
  /// from other failures.
  std::function<void()> expectationFailed;
  /// Called before each step, if it is set.
  std::function<void(const RunProgress &)> progress;
  /// Called before each step, if it is set. If it returns true, the run ends
  /// and fails without a diagnostic.
  std::function<bool()> isStopped;
};

/// The actions of the host in one run.
struct RunOptions : RunCallbacks {
  /// Returns the value of an input stream. The function is called once for each
  /// stream, in the order of first use, with the required type of the host's
  /// tensor: see getStreamType(). A failure ends the run; the function must
  /// report the reason.
  std::function<FailureOr<HostTensor>(StringRef name, RankedTensorType type)>
      input;
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
/// steps without a cost, operands that are not on the tiles that read them, or
/// ops that must be lowered before they can be executed.
FailureOr<ExecuteResult> execute(ModuleOp module,
                                 const ExecuteOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_RUN_EXECUTOR_H
