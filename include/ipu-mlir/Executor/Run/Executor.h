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

/// `None` computes no values: only what is known without them, the profile, is
/// there afterwards. Inputs are not asked for and expectations not checked.
enum class EngineKind { Interp, Jit, None };

/// More host threads than this are surely a mistake.
constexpr unsigned kMaxThreads = 1024;

/// How a program gets onto the device.
struct LoadOptions {
  /// The func.func that is the program.
  std::string entry = "main";
  EngineKind engine = EngineKind::Jit;
  /// Keeps the memories of tiles apart and fails at what a real device would
  /// not forgive: see docs/check-mode.md. Needs the engine Interp.
  bool check = false;
  /// Shares nothing between replicas, and fails where what an op writes is not
  /// equal on the replicas that its `ipu.replica_equal` says: see
  /// docs/replica-equal.md. Needs an engine that computes values.
  bool checkReplicaEqual = false;
  /// Gets what was equal in all runs or, without `checkReplicaEqual`, stored
  /// once; outlives what is loaded.
  ReplicaEqualReport *replicaEqualReport = nullptr;
  /// Runs a program that does not fit the memory of tiles, with a warning.
  bool allowOutOfMemory = false;
  /// What all `ipu.rng_state` of the program start from.
  uint64_t seed = 0;
  /// Whether profiles say what exchanges and code are made of, which takes time
  /// when a program is loaded.
  bool detailsProfile = false;
  /// Host threads; never changes results or the profile.
  unsigned threads = 1;
  /// The folder that keeps compiled kernels for other runs, or empty: then they
  /// are not kept. See docs/performance.md#start-up.
  std::string cacheFolder;
};

/// Where a run is.
struct RunProgress {
  /// What is done, from 0 to 1, by the estimated cycles of steps. A loop counts
  /// as one iteration if the number of its iterations is a value.
  double fraction = 0.0;
  /// What begins; null if it is no step.
  StepOpInterface step;
};

/// What the host does in one run.
struct RunOptions {
  /// Gives the value of an input stream; called once for each stream, in
  /// order of first use, with the type that the host's tensor has to have: see
  /// getStreamType(). Failure, after it told the user why, ends the run.
  std::function<FailureOr<HostTensor>(StringRef name, RankedTensorType type)>
      input;
  /// Called for each `ipu.expect` that does not hold, after its diagnostic: the
  /// run fails then, and this tells that failure from all others.
  std::function<void()> expectationFailed;
  /// Called before each step, if there is a function.
  std::function<void(const RunProgress &)> progress;
};

struct ExecuteOptions : LoadOptions, RunOptions {};

struct ExecuteResult {
  /// Output streams in order of their first store.
  std::vector<NamedTensor> outputs;
  Profile profile;
};

/// What execute() needs in the context of a module. Passes have to depend on
/// it; other callers may, and execute() loads what they did not.
void registerExecutorDialects(DialectRegistry &registry);

/// Runs `module`. Fails with located diagnostics if the program is not
/// executable (ops at another level, operands that are not where a vertex
/// reads them, steps without cost) or an expectation does not hold.
FailureOr<ExecuteResult> execute(ModuleOp module,
                                 const ExecuteOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_RUN_EXECUTOR_H
