//===- Invocation.h - One call of ipu-run -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H
#define IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H

#include "Lowering.h"
#include "Options.h"
#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "ipu-mlir/Session/Session.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Model.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu::run {

/// The element of that name, or null.
template <typename List>
const typename List::value_type *findNamed(const List &list, StringRef name) {
  auto it =
      llvm::find_if(list, [&](const auto &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}

/// What runs of the program leave on the host.
struct RunResult {
  /// Of the last run, in the program's order; what it did not write is not
  /// there.
  std::vector<NamedTensor> outputs;
  /// Of the last run.
  Profile profile;
  /// All variables after the last run, if anyone wants them.
  std::vector<NamedTensor> variables;
};

/// One call of ipu-run, after its arguments have been parsed.
class Invocation {
public:
  Invocation(const Options &options, MLIRContext *context);

  /// Does everything but the flush of standard output. Compares profiles, or
  /// runs a model.
  Status run();

private:
  /// Reads files and opens those to be written, so that what a user got wrong
  /// is told before a long compilation.
  Status prepare();
  Status readFiles();
  Status prepareOutputFiles();
  Status compile();
  /// Checks names and types against the program, makes the inputs.
  Status bind();
  std::string describeNames();
  Status checkExpectedTypes();
  Status checkResultFiles();
  FailureOr<std::unique_ptr<Session>> createSession(EngineKind engine,
                                                    bool &isMismatch);
  /// Runs the program on one engine as often as it was asked for.
  Status execute(EngineKind engine, RunResult &result);
  std::string describeRun();
  void showProgress(RunProgress progress);
  /// Gives variables the values of --load-weights; fails if they could not be
  /// saved afterwards.
  Status bindWeights(Session &session);
  Status readVariables(Session &session, RunResult &result);
  /// What is known without values: a profile.
  Status estimate(RunResult &result);
  /// Compares with the other engine's outputs and variables.
  Status compareEngines(const RunResult &result);
  Status writeReport();
  Status writeResults(const RunResult &result);
  /// Writes what --report-compare asks for.
  Status compareProfiles();
  Status compareExpected(const RunResult &result);
  Status saveWeights(const RunResult &result);

  const Options &options;
  MLIRContext *context;
  DiagnosticPrinter printer;

  OwningOpRef<ModuleOp> module;
  Signature signature;
  /// Tensors by file, by input, and as options.expectations.
  llvm::StringMap<HostTensor> files;
  /// Files that are read and written; outputs follow when their names are
  /// known.
  FileUses uses;
  TensorMap inputs;
  std::vector<HostTensor> expected;
  TensorMap weights;
  /// From 1 to options.runs.
  int64_t currentRun = 1;
  /// Where --save-weights writes, links followed.
  std::string weightsTarget;
  std::unique_ptr<OutputFile> profileFile;
  std::unique_ptr<OutputFile> traceFile;
  /// Of --report.
  std::unique_ptr<OutputFile> pageFile;
  /// Of --replica-equal-report.
  std::unique_ptr<OutputFile> reportFile;
  ReplicaEqualReport replicaEqualReport;
};

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H
