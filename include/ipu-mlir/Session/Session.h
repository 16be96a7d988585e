//===- Session.h - A compiled program and its variables ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program, attaches it to the simulated device, and runs it with
// tensors by name, as a PopXL session does:
//
//   auto session = Session::create(module);   // checks and lowers
//   Session::Context attached(*session);      // variables go to the device,
//   auto outputs = session->run({{"x", x}});
//   auto w = session->getTensor("w");         // and come back
//
// The host has a copy of each variable. A transfer copies all variables, or one
// that is written. From a run until the next transfer from the device, the
// copies are outdated.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SESSION_SESSION_H
#define IPU_MLIR_SESSION_SESSION_H

#include "ipu-mlir/Executor/Run/Executor.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::ipu {

struct SessionOptions : LoadOptions {
  /// Whether variables go back to the host when the session is detached.
  bool keepsWeights = true;
  /// Adds the passes that lower a module without ipu ops; by default those of
  /// pop-to-ipu-pipeline, with its defaults.
  std::function<void(OpPassManager &)> buildPipeline;
  /// Says what a program that does not fit would fit with: compiles it up to
  /// kMaxMemoryTrials times. Only with the default passes.
  bool advisesOnMemory = true;
  /// As those of RunOptions, for all runs.
  std::function<void()> expectationFailed;
  std::function<void(const RunProgress &)> progress;
};

/// Tensors by name.
using TensorMap = std::map<std::string, HostTensor>;

struct SessionTensor {
  std::string name;
  RankedTensorType type;
  /// Of an input: run() need not be given it.
  bool hasDefault = false;
};

class Session {
public:
  /// Compiles a copy of `module`; what happens to `module` afterwards does not
  /// matter. Fails with diagnostics.
  static FailureOr<std::unique_ptr<Session>>
  create(ModuleOp module, const SessionOptions &options = SessionOptions());
  ~Session();

  /// What run() takes and returns, in order of first use, and the variables, in
  /// order of their definition, with the type that getTensor() returns. Types
  /// are those of getStreamType(); a variable has a dimension in front for its
  /// groups or replicas, if there are several.
  ArrayRef<SessionTensor> getInputs() const;
  ArrayRef<SessionTensor> getOutputs() const;
  ArrayRef<SessionTensor> getVariables() const;

  //===--------------------------------------------------------------------===//
  // The device
  //===--------------------------------------------------------------------===//

  bool isAttached() const;

  /// Attaches the session while it lives: the program is loaded anew and all
  /// variables go to the device; at the end they come back, if the options say
  /// so. Does nothing inside another one.
  class Context {
  public:
    explicit Context(Session &session);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    /// Whether this one attached the session.
    bool isOwner() const { return attached; }

  private:
    Session &session;
    bool attached;
  };

  /// Runs the program once. `inputs` has to have exactly the inputs, but may
  /// leave out those with a default value; nothing happens unless all of them
  /// have their types. With several host transfers,
  /// the first dimension of an input may be larger. What fails in the program
  /// itself is told by diagnostics; variables may have changed then.
  llvm::Expected<TensorMap> run(const TensorMap &inputs = {});

  /// Runs the program `count` times, which has to be positive, with the same
  /// inputs, and returns the outputs of the last run.
  llvm::Expected<TensorMap> runRepeatedly(int64_t count,
                                          const TensorMap &inputs = {});

  /// What the last run cost.
  const Profile &getProfile() const;

  //===--------------------------------------------------------------------===//
  // Variables and constants
  //===--------------------------------------------------------------------===//

  /// The value of a variable or a constant: variables by the name of their
  /// symbol, constants by that of their location or `ipu.var`. Moves all
  /// variables from the device if the session is attached and its copies are
  /// outdated; constants are never moved.
  llvm::Expected<HostTensor> getTensor(StringRef name);
  llvm::Expected<TensorMap> getTensors(ArrayRef<StringRef> names);

  /// Gives a variable a value: with a dimension in front for its groups, if
  /// there are several. The host has it at once, and the device if the session
  /// is attached. Nothing is written unless everything can be.
  llvm::Error writeTensor(StringRef name, const HostTensor &tensor);
  llvm::Error writeTensors(const TensorMap &tensors);

  /// As writeTensors(), but also takes what getTensors() returned: a variable
  /// that is read of all replicas may have a dimension for them, if those of a
  /// group have the same value.
  llvm::Error restoreTensors(TensorMap tensors);

  /// Transfers so far, each of one or all variables.
  struct Transfers {
    int64_t toDevice = 0;
    int64_t toHost = 0;
  };
  const Transfers &getTransfers() const;

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);

  LogicalResult attach();
  void detach();
  llvm::Error checkInputs(const TensorMap &inputs) const;

  std::unique_ptr<Impl> impl;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SESSION_SESSION_H
