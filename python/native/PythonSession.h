//===- PythonSession.h - Sessions for Python --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_PYTHONSESSION_H
#define IPU_MLIR_PYTHON_NATIVE_PYTHONSESSION_H

#include "Diagnostics.h"
#include "Interrupt.h"
#include "Options.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace mlir::ipu::python {

/// An input, an output or a variable. It may outlive its session, except
/// `type`.
struct TensorInfo {
  std::string name;
  RankedTensorType type;
  std::string typeText;
  std::string elementText;
  std::vector<int64_t> shape;
  pybind11::dtype dtype;
  bool hasDefault = false;
  bool isSeed = false;
};

/// The profile of a run, which is independent of later runs.
class RunProfile {
public:
  explicit RunProfile(std::shared_ptr<const Profile> profile)
      : profile(std::move(profile)) {}

  std::string getJson() const;
  std::string getTrace() const;
  std::string getSummary() const;
  std::string getReport(const std::string &title,
                        const std::vector<std::string> &arguments) const;

private:
  std::shared_ptr<const Profile> profile;
};

/// A compiled program in a context of its own, and its session. All functions
/// but stop() wait until no other thread uses the object. The caller holds the
/// lock of the interpreter, which long functions release.
class PythonSession {
public:
  /// Reads a module into its argument. Reports failures through diagnostics or
  /// report().
  using Reader = function_ref<tools::Status(PythonSession &session,
                                            OwningOpRef<ModuleOp> &module)>;

  /// Compiles and loads the module that `read` reads.
  static std::unique_ptr<PythonSession> create(Options options, Reader read);

  MLIRContext *getContext() { return context.get(); }
  const Options &getOptions() const { return options; }

  const std::vector<TensorInfo> &getInputs() const { return inputs; }
  const std::vector<TensorInfo> &getOutputs() const { return outputs; }
  const std::vector<TensorInfo> &getVariables() const { return variables; }
  std::vector<std::string> getConstants() const;
  const std::vector<Message> &getDiagnostics() const { return diagnostics; }

  bool isAttached() const { return session && session->isAttached(); }
  Session::Transfers getTransfers() const {
    return session ? session->getTransfers() : Session::Transfers();
  }
  void attach();
  void detach(bool copiesWeights);
  void weightsToHost();
  void weightsFromHost();

  pybind11::dict run(pybind11::handle inputs, pybind11::handle count,
                     pybind11::handle progress);
  void stop() { isStopRequested = true; }

  pybind11::dict get(const std::vector<std::string> &names);
  void write(pybind11::handle values, bool restores);

  /// Returns the profile of the last run, or the estimate.
  RunProfile getProfile();
  std::string getText();

private:
  class Lock;

  explicit PythonSession(Options options);
  void compile(Reader read);
  LogicalResult load(OwningOpRef<ModuleOp> module, Interrupt &interrupt);
  void describeTensors();
  Session &getSession();
  TensorMap readTensors(pybind11::handle values, ArrayRef<TensorInfo> infos);
  /// Raises an exception if `error` is one: RunError if `messages` has errors,
  /// and ValueError otherwise.
  static void check(llvm::Error error, MessageCollector &messages);

  Options options;
  std::unique_ptr<llvm::DefaultThreadPool> pool;
  std::shared_ptr<MLIRContext> context;
  std::optional<CompiledProgram> program;
  /// Null if the engine computes no values.
  std::unique_ptr<Session> session;
  /// The profile of a program without an engine.
  std::shared_ptr<const Profile> estimate;
  std::vector<TensorInfo> inputs, outputs, variables;
  std::vector<Message> diagnostics;
  bool hasRun = false;

  std::mutex mutex;
  std::atomic<std::thread::id> user;
  std::atomic<bool> isStopRequested{false};
};

/// Adds Session, Profile and TensorInfo to `module`.
void bindSession(pybind11::module_ &module);

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_PYTHONSESSION_H
