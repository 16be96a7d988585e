//===- InvocationComparisons.cpp - Comparisons of ipu-run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Tools/Compile.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

Status Invocation::compareEngines(const RunResult &result) {
  EngineKind otherEngine =
      options.engine == EngineKind::Jit ? EngineKind::Interp : EngineKind::Jit;
  RunResult other;
  // The run of the first engine already emitted the warnings.
  ScopedDiagnosticHandler dropWarnings(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  Status status = execute(otherEngine, other);
  if (status != Status::Success)
    return status;
  auto disagree = [](const Twine &text) {
    return report(Status::Mismatch,
                  "--compare-engines: the engines disagree on " + text);
  };
  auto compare = [&](StringRef what, ArrayRef<NamedTensor> all,
                     ArrayRef<NamedTensor> others) {
    // The set of written outputs may depend on values.
    for (const NamedTensor &theirs : others)
      if (!findNamed(all, theirs.name))
        return disagree(what + " '" + theirs.name +
                        "': only one engine writes it");
    for (const NamedTensor &ours : all) {
      const NamedTensor *theirs = findNamed(others, ours.name);
      if (!theirs)
        return disagree(what + " '" + ours.name +
                        "': only one engine writes it");
      Comparison comparison = compareTensors(ours.tensor, theirs->tensor);
      if (!comparison.holds())
        return disagree(what + " '" + ours.name +
                        "': " + comparison.describe());
    }
    return Status::Success;
  };
  status = compare("output", result.outputs, other.outputs);
  if (status != Status::Success)
    return status;
  return compare("variable", result.variables, other.variables);
}

Status Invocation::loadF32(ModelOptions model) {
  if (!isONNXFile(model.model)) {
    original = module->clone();
    return Status::Success;
  }
  // The import composes normalisations of f16 for the precision.
  model.computesInF16 = false;
  model.constantInputs = nullptr;
  return loadModel(model, context, printer.getSourceMgr(), original);
}

Status Invocation::compareF32(const RunResult &result) {
  Progress::get().show("comparing with f32");
  CompileOptions compilation = options.compilation;
  compilation.precision = Precision::F32;
  compilation.partials = pop::PartialsKind::F32;
  // The first compilation and the first run already emitted the warnings.
  ScopedDiagnosticHandler dropWarnings(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  FailureOr<CompiledProgram> compiled =
      compileModel(getModelOptions(), std::move(original), compilation);
  if (failed(compiled))
    return Status::BadModel;
  std::swap(*program, *compiled);
  llvm::scope_exit restore([&] { std::swap(*program, *compiled); });
  RunResult exact;
  if (Status status = execute(options.engine, exact); status != Status::Success)
    return status;
  Progress::get().clear();
  for (const NamedTensor &output : result.outputs)
    if (const NamedTensor *other = findNamed(exact.outputs, output.name)) {
      Comparison errors = compareTensors(output.tensor, other->tensor);
      getTextStream() << output.name << ": differs from f32 by at most "
                      << llvm::formatv("{0:e3} (absolute), {1:e3} (relative)",
                                       errors.maxAbsError, errors.maxRelError)
                      << "\n";
    }
  return Status::Success;
}

Status Invocation::compareProfiles() {
  SmallVector<NamedProfile> profiles;
  FileUses uses;
  for (const std::string &path : options.compared) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text = readFile(path);
    if (!text)
      return report(Status::BadUsage, text.takeError());
    llvm::Expected<NamedProfile> profile =
        readProfile(path, (*text)->getBuffer());
    if (!profile)
      return report(Status::BadUsage, profile.takeError());
    profiles.push_back(std::move(*profile));
    uses.addRead(path);
  }
  if (llvm::Error error = uses.addWritten("--report", options.report))
    return report(Status::BadUsage, std::move(error));
  llvm::Expected<std::unique_ptr<OutputFile>> file =
      OutputFile::create(options.report);
  if (!file)
    return report(Status::BadUsage, file.takeError());
  ipu::writeReport(profiles, getReportInfo(options.args), (*file)->os());
  if (llvm::Error error = (*file)->keep())
    return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

Status Invocation::compareExpected(const RunResult &result) {
  Status status = Status::Success;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Expectation &expectation = options.expectations[i];
    const NamedTensor *output = findNamed(result.outputs, expectation.name);
    if (!output)
      return report(Status::BadModel, "the program did not write output '" +
                                          expectation.name + "'");
    Comparison comparison =
        compareTensors(output->tensor, expected[i], expectation.tolerance);
    if (comparison.holds())
      getTextStream() << expectation.name << ": matches " << expectation.file
                      << ", max error "
                      << llvm::formatv("{0:e3}", comparison.maxAbsError)
                      << "\n";
    else
      status = report(Status::Mismatch,
                      "output '" + expectation.name + "' differs from " +
                          expectation.file + ": " + comparison.describe());
  }
  return status;
}
