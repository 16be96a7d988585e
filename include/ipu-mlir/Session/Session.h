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
// variable that is written. After a run, the copies are outdated until the next
// transfer from the device.
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
  /// Whether variables are copied to the host when the session is detached.
  bool keepsWeights = true;
  /// Adds the passes that lower a module without ipu ops. By default, the
  /// passes of pop-to-ipu-pipeline with default options.
  std::function<void(OpPassManager &)> buildPipeline;
  /// Reports settings with which a program that does not fit would fit, by
  /// compiling it up to kMaxMemoryTrials times. Only with the default passes.
  bool advisesOnMemory = true;
  /// As in RunOptions, for all runs.
  std::function<void()> expectationFailed;
  std::function<void(const RunProgress &)> progress;
};

/// Tensors by name.
using TensorMap = std::map<std::string, HostTensor>;

struct SessionTensor {
  std::string name;
  RankedTensorType type;
  /// For an input: run() may omit it.
  bool hasDefault = false;
};

class Session {
public:
  /// Compiles a copy of `module`; later changes of `module` have no effect.
  /// Fails with diagnostics.
  static FailureOr<std::unique_ptr<Session>>
  create(ModuleOp module, const SessionOptions &options = SessionOptions());
  ~Session();

  /// The arguments and results of run(), in the order of first use, and the
  /// variables, in the order of their definitions, with the types that
  /// getTensor() returns. Types are those of getStreamType(). A variable has a
  /// leading dimension for its groups or replicas if there are several.
  ArrayRef<SessionTensor> getInputs() const;
  ArrayRef<SessionTensor> getOutputs() const;
  ArrayRef<SessionTensor> getVariables() const;

  //===--------------------------------------------------------------------===//
  // The device
  //===--------------------------------------------------------------------===//

  bool isAttached() const;

  /// Attaches the session as long as this object exists. At construction, the
  /// program is loaded and all variables are copied to the device. At
  /// destruction, they are copied back if the options say so. A nested object
  /// does nothing.
  class Context {
  public:
    explicit Context(Session &session);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    /// Whether this object attached the session.
    bool isOwner() const { return attached; }

  private:
    Session &session;
    bool attached;
  };

  /// Runs the program once. `inputs` must have exactly the inputs of the
  /// program, but may omit those with a default value. The program does not run
  /// if a tensor has a wrong type. With several host transfers, the first
  /// dimension of an input may be larger. Failures of the program itself are
  /// reported by diagnostics; variables may have changed then.
  llvm::Expected<TensorMap> run(const TensorMap &inputs = {});

  /// Runs the program `count` times (at least once) with the same inputs, and
  /// returns the outputs of the last run.
  llvm::Expected<TensorMap> runRepeatedly(int64_t count,
                                          const TensorMap &inputs = {});

  /// What the last run cost.
  const Profile &getProfile() const;

  //===--------------------------------------------------------------------===//
  // Variables and constants
  //===--------------------------------------------------------------------===//

  /// The value of a variable or a constant. Variables are named by their
  /// symbol, constants by their location or `ipu.var`. Copies all variables
  /// from the device if the session is attached and the copies of the host are
  /// outdated. Constants are never copied.
  llvm::Expected<HostTensor> getTensor(StringRef name);
  llvm::Expected<TensorMap> getTensors(ArrayRef<StringRef> names);

  /// Writes the value of a variable, with a leading dimension for its groups if
  /// there are several. The host gets the value at once, and the device too if
  /// the session is attached. If one of several values cannot be written, none
  /// is written.
  llvm::Error writeTensor(StringRef name, const HostTensor &tensor);
  llvm::Error writeTensors(const TensorMap &tensors);

  /// As writeTensors(), but also accepts the results of getTensors(): a
  /// variable that the host reads from all replicas may have a dimension for
  /// them, if the values of each group are the same.
  llvm::Error restoreTensors(TensorMap tensors);

  /// The number of transfers until now, each of one or all variables.
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
