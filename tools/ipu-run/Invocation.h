//===- Invocation.h - One call of ipu-run -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H
#define IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H

#include "Options.h"
#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Session/Session.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Model.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu::run {

/// Returns the element of `list` with this name, or null if there is none.
template <typename List>
const typename List::value_type *findNamed(const List &list, StringRef name) {
  auto it =
      llvm::find_if(list, [&](const auto &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}

/// The results of runs of the program on the host.
struct RunResult {
  /// The outputs of the last run, in the order of the program. Outputs that the
  /// run did not write are missing.
  std::vector<NamedTensor> outputs;
  /// The profile of the last run.
  Profile profile;
  /// All variables after the last run, if they are needed.
  std::vector<NamedTensor> variables;
};

/// One call of ipu-run, after its arguments have been parsed.
class Invocation {
public:
  Invocation(const Options &options, MLIRContext *context);

  /// Compares profiles or runs a model, and writes all results. The caller must
  /// flush standard output.
  Status run();

private:
  /// Reads files and opens output files, so that errors of the user are
  /// reported before a long compilation.
  Status prepare();
  Status readFiles();
  Status prepareOutputFiles();
  Status checkNotLowered();
  Status checkPasses();
  Status emitPop();
  ModelOptions getModelOptions();
  Status compile();
  /// Runs the compiled program and writes what is requested.
  Status runProgram();
  /// Checks names and types against the program, and creates the inputs.
  Status bind();
  std::string describeNames();
  Status checkExpectedTypes();
  Status checkResultFiles();
  FailureOr<std::unique_ptr<Session>> createSession(EngineKind engine,
                                                    bool &isMismatch);
  /// Runs the program on one engine as often as requested.
  Status execute(EngineKind engine, RunResult &result);
  std::string describeRun();
  void showProgress(RunProgress progress);
  /// Sets variables to the values of --load-weights. If --save-weights is
  /// given, fails if a .npz file cannot store the type of a variable.
  Status bindWeights(Session &session);
  Status readVariables(Session &session, RunResult &result);
  /// Computes the profile, as far as it is known without values.
  FailureOr<Profile> estimate(bool allowOutOfMemory);
  /// Writes the profile, trace, report and summary of a program that does not
  /// fit the memory of tiles.
  void describeTooLarge();
  /// Compares with the other engine's outputs and variables.
  Status compareEngines(const RunResult &result);
  /// Loads the model that is compiled in f32.
  Status loadF32(ModelOptions model);
  /// Prints the errors of outputs, compared with a run in f32.
  Status compareF32(const RunResult &result);
  Status writeReport();
  Status writeResults(const RunResult &result);
  /// Writes the output of --report-compare.
  Status compareProfiles();
  Status compareExpected(const RunResult &result);
  Status saveWeights(const RunResult &result);

  /// Returns the stream for text that people read. This is standard output,
  /// unless a file is written to standard output.
  PlainTextStream getTextStream() const;
  SmallVector<StringRef> getOutputNames() const;

  const Options &options;
  MLIRContext *context;
  DiagnosticPrinter printer;

  /// The model before its compilation.
  OwningOpRef<ModuleOp> module;
  /// The model of --compare-f32 before its compilation.
  OwningOpRef<ModuleOp> original;
  std::optional<CompiledProgram> program;
  ProgramSignature signature;
  /// The inputs of the model that are constants of the program.
  std::vector<std::string> constantInputs;
  /// The tensors of files, by path.
  llvm::StringMap<HostTensor> files;
  /// Files that are read and written. Outputs are added when their names are
  /// known.
  FileUses uses;
  TensorMap inputs;
  std::vector<HostTensor> expected;
  TensorMap weights;
  /// The number of the current run, from 1 to options.runs.
  int64_t currentRun = 1;
  /// The path of --save-weights, with links resolved.
  std::string weightsTarget;
  std::unique_ptr<OutputFile> profileFile;
  std::unique_ptr<OutputFile> traceFile;
  /// The file of --report.
  std::unique_ptr<OutputFile> pageFile;
  /// The file of --replica-equal-report.
  std::unique_ptr<OutputFile> reportFile;
  ReplicaEqualReport replicaEqualReport;
};

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_INVOCATION_H
