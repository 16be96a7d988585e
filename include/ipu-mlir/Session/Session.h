//===- Session.h - A loaded program and its variables -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a compiled program, attaches it to the simulated device, and runs it
// with tensors by name, as a PopXL session does:
//
//   auto program = compile(std::move(module), options);
//   auto session = Session::create(*program);
//   Session::Context attached(*session);      // variables go to the device,
//   auto outputs = session->run({{"x", x}});
//   auto w = session->getTensor("w");         // and come back
//
// A Context attaches a session as long as it exists. Callers that report why a
// session cannot be attached, or that copy no variables when they detach it,
// call attach() and detach() themselves.
//
// A program may have a program of the host (see CompiledProgram), which the
// same executor runs after each run of the device. Inputs of the device that
// have the names of variables of the host get the values of these variables,
// and inputs of the host that have the names of outputs of the device get these
// outputs. The profile does not contain the program of the host.
//
// The host has a copy of each variable. A transfer copies all variables, except
// that writing a variable copies only this variable. After a run, the copies of
// the host are outdated until the next transfer from the device.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SESSION_SESSION_H
#define IPU_MLIR_SESSION_SESSION_H

#include "ipu-mlir/Compiler/Compiler.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include <memory>

namespace mlir::ipu {

/// The callbacks are for all runs; see setCallbacks().
struct SessionOptions : LoadOptions, RunCallbacks {
  /// Whether variables are copied to the host when the session is detached.
  bool keepsWeights = true;
};

/// The error of a run that RunCallbacks::isStopped ended.
class StoppedError : public llvm::ErrorInfo<StoppedError> {
public:
  static char ID; // NOLINT(readability-identifier-naming): ErrorInfo names it.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::interrupted);
  }
};

struct SessionTensor {
  std::string name;
  RankedTensorType type;
  /// This flag is set if callers of run() may omit the tensor, because it is an
  /// input that has a default value or consists of seeds.
  bool hasDefault = false;
  /// This flag is set if the tensor is an input that consists of seeds.
  bool isSeed = false;
};

/// Returns the inputs and outputs of a run of `program`, including those of the
/// program of the host. What the device and the host exchange is not included.
ProgramSignature getSignature(const CompiledProgram &program);

class Session {
public:
  /// Loads `program`, which may be loaded any number of times. The program
  /// determines the entry. Emits errors and fails if the program is not
  /// executable.
  static FailureOr<std::unique_ptr<Session>>
  create(CompiledProgram program,
         const SessionOptions &options = SessionOptions());
  /// Compiles a copy of `module` with default options, and loads the result.
  /// Later changes of `module` have no effect. Emits errors and fails if the
  /// module cannot be compiled.
  static FailureOr<std::unique_ptr<Session>>
  create(ModuleOp module, const SessionOptions &options = SessionOptions());
  ~Session();

  /// Return the inputs and outputs of run(), in the order of first use, and the
  /// variables, in the order of their definitions, those of the host after
  /// those of the device. If a variable of the host has the name of a variable
  /// of the device, as RNG states have, its name starts with `host.`. Inputs
  /// and outputs have the types of getStreamType(). A variable has the type of
  /// the tensor that getTensor() returns for it. If there are several values of
  /// the variable, this type has a leading dimension for groups or replicas.
  ArrayRef<SessionTensor> getInputs() const;
  ArrayRef<SessionTensor> getOutputs() const;
  ArrayRef<SessionTensor> getVariables() const;

  //===--------------------------------------------------------------------===//
  // The device
  //===--------------------------------------------------------------------===//

  bool isAttached() const;

  /// Loads the program and copies all variables to the device. Does nothing if
  /// the session is attached. If it fails, diagnostics report the failure, and
  /// the session is not attached.
  LogicalResult attach();

  /// Copies all variables to the host if `copiesWeights` is set, and detaches
  /// the session. Does nothing if the session is not attached. If a variable
  /// cannot be copied, diagnostics report the failure, all variables on the
  /// host stay as they are, and the session is detached nevertheless.
  LogicalResult detach(bool copiesWeights);

  /// Copy all variables of an attached session, from the device or to it. If
  /// the program ran since the last transfer, weightsFromHost() replaces what
  /// the runs wrote by the older values of the host.
  llvm::Error weightsToHost();
  llvm::Error weightsFromHost();

  /// Attaches the session as long as this object exists. The destructor
  /// detaches it, and copies variables to the host if
  /// SessionOptions::keepsWeights is set. An object that is created while the
  /// session is already attached does nothing. If attach() fails, the session
  /// is not attached.
  class Context {
  public:
    explicit Context(Session &session);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    /// Returns whether this object attached the session.
    bool isOwner() const { return attached; }

  private:
    Session &session;
    bool attached;
  };

  /// Runs the program once and returns its outputs. `inputs` must contain
  /// exactly the inputs of the program, but may omit inputs with default
  /// values and seeds. Omitted seeds are derived from LoadOptions::seed and the
  /// number of previous runs of the session. The program does not run if a
  /// tensor has a wrong type. If an input has several host transfers, the first
  /// dimension of its tensor is the dimension for the transfers, and may be
  /// larger than in the type of the input. If the program itself fails,
  /// diagnostics report the failure, and variables may have changed. A run that
  /// fails or is stopped (StoppedError) leaves a session that can run again.
  llvm::Expected<TensorMap> run(const TensorMap &inputs = {});

  /// Runs the program `count` times (at least once) with the same inputs, and
  /// returns the outputs of the last run. Seeds advance: see getInputsOfRun().
  llvm::Expected<TensorMap> runRepeatedly(int64_t count,
                                          const TensorMap &inputs = {});

  /// Runs the program `count` times (at least once), each time with the inputs
  /// that `getInputs` returns for the number of the run, from 0. Returns the
  /// outputs of the last run.
  llvm::Expected<TensorMap>
  runRepeatedly(int64_t count, function_ref<TensorMap(int64_t)> getInputs);

  /// Replaces the callbacks of SessionOptions for later runs.
  void setCallbacks(const RunCallbacks &callbacks);

  /// Returns the inputs of repeated run `run`, from 0: `inputs`, with seeds
  /// that differ between the runs. Run 0 has the seeds in `inputs`.
  TensorMap getInputsOfRun(const TensorMap &inputs, int64_t run) const;

  /// Return the profile of the last run. shareProfile() keeps it for the caller
  /// when the session runs again.
  const Profile &getProfile() const;
  std::shared_ptr<const Profile> shareProfile() const;

  //===--------------------------------------------------------------------===//
  // Variables and constants
  //===--------------------------------------------------------------------===//

  /// Returns the value of a variable or a constant. The name of a variable is
  /// its symbol. The name of a constant is the name in the location of its op,
  /// or the name of its `ipu.var`. Before a variable is read, all variables are
  /// copied from the device if the session is attached and the copies of the
  /// host are outdated. Constants are never copied.
  llvm::Expected<HostTensor> getTensor(StringRef name);
  llvm::Expected<TensorMap> getTensors(ArrayRef<StringRef> names);

  /// Writes the value of a variable. If the variable has several groups, the
  /// value has a leading dimension for groups. The value is written to the host
  /// and, if the session is attached, to the device. If a name or a value is
  /// invalid, writeTensors() writes no value.
  llvm::Error writeTensor(StringRef name, const HostTensor &tensor);
  llvm::Error writeTensors(const TensorMap &tensors);

  /// Writes variables as writeTensors() does, but also accepts the results of
  /// getTensors(). If the host reads a variable from all replicas, the value of
  /// this variable may have a leading dimension for replicas. The replicas of a
  /// group must then have equal values.
  llvm::Error restoreTensors(TensorMap tensors);

  /// The number of transfers until now. A transfer copies one variable or all
  /// variables.
  struct Transfers {
    int64_t toDevice = 0;
    int64_t toHost = 0;
  };
  const Transfers &getTransfers() const;

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);

  llvm::Error checkInputs(const TensorMap &inputs) const;
  llvm::Error checkTensors(const TensorMap &tensors) const;

  std::unique_ptr<Impl> impl;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SESSION_SESSION_H
