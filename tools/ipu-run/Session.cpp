//===- Session.cpp - Compiles and runs one model --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Files.h"
#include "Progress.h"
#include "ipu-mlir/Executor/Print.h"
#include "ipu-mlir/Executor/Results.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

/// The element of that name, or null.
template <typename List>
static const typename List::value_type *findNamed(const List &list,
                                                  StringRef name) {
  auto it =
      llvm::find_if(list, [&](const auto &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}

/// Says which node of an ONNX model a diagnostic is about, if it does not say
/// so itself: such models have no lines, and printers drop the names of
/// locations.
static void nameNode(Diagnostic &diagnostic) {
  auto named = diagnostic.getLocation()->findInstanceOf<NameLoc>();
  if (!named)
    return;
  std::string node = "'" + named.getName().str() + "'";
  if (!StringRef(diagnostic.str()).contains(node))
    diagnostic << ", in node " << node;
}

Session::Session(const Options &options, MLIRContext *context)
    : options(options), context(context),
      sourceMgr(std::make_shared<llvm::SourceMgr>()) {}

Status Session::run() {
  SourceMgrDiagnosticHandler handler(*sourceMgr, context);
  // Users wrote models; the ops that became of them tell them nothing.
  context->printOpOnDiagnostic(false);
  // Called first; passes the diagnostic on to the one that prints.
  bool isONNX = isONNXFile(options.model);
  ScopedDiagnosticHandler prepareToPrint(context, [&](Diagnostic &diagnostic) {
    Progress::get().clear();
    if (isONNX)
      nameNode(diagnostic);
    return failure();
  });

  Status status = prepare();
  if (status == Status::Success)
    status = compile();
  if (status != Status::Success || options.emit != EmitLevel::None)
    return status;
  if (options.engine != EngineKind::None)
    if (status = bind(); status != Status::Success)
      return status;

  ExecuteResult result;
  Progress::get().show("running");
  if (status = execute(options.engine, result); status != Status::Success)
    return status;
  if (options.compareEngines) {
    Progress::get().show("comparing engines");
    if (status = compareEngines(result); status != Status::Success)
      return status;
  }
  Progress::get().clear();
  if (status = writeResults(result); status != Status::Success)
    return status;
  return compareExpected(result);
}

//===----------------------------------------------------------------------===//
// Before the run
//===----------------------------------------------------------------------===//

Status Session::prepare() {
  SmallVector<StringRef> paths;
  for (const InputSpec &spec : options.inputs)
    paths.push_back(spec.file);
  for (const Expectation &expectation : options.expectations)
    paths.push_back(expectation.file);
  Progress::get().show("reading files");
  for (StringRef path : paths) {
    if (path.empty() || files.contains(path))
      continue;
    llvm::Expected<HostTensor> tensor = readTensorFile(path, context);
    if (!tensor)
      return report(Status::BadUsage, tensor.takeError());
    files.try_emplace(path, std::move(*tensor));
  }

  if (!options.outputDir.empty())
    if (llvm::Error error = makeDirectory(options.outputDir))
      return report(Status::BadUsage, std::move(error));
  if (options.profile.empty())
    return Status::Success;
  paths.push_back(options.model);
  for (StringRef path : paths)
    if (!path.empty() && llvm::sys::fs::equivalent(path, options.profile))
      return report(Status::BadUsage, "--profile: '" + options.profile +
                                          "' is a file that is read");
  llvm::Expected<std::unique_ptr<OutputFile>> file =
      OutputFile::create(options.profile);
  if (!file)
    return report(Status::BadUsage, file.takeError());
  profileFile = std::move(*file);
  return Status::Success;
}

Status Session::compile() {
  Progress::get().show("reading " + options.model);
  Status status = loadModel(options, context, sourceMgr, module);
  if (status != Status::Success)
    return status;
  if (options.emit == EmitLevel::Pop) {
    Progress::get().clear();
    if (isLowered(*module))
      return report(Status::BadUsage,
                    "--emit pop: the model is lowered already");
    module->print(llvm::outs());
    return Status::Success;
  }
  Progress::get().show("compiling " + options.model);
  status = lowerModel(options, *module);
  Progress::get().clear();
  if (status == Status::Success && options.emit == EmitLevel::IPU)
    module->print(llvm::outs());
  return status;
}

Status Session::bind() {
  FailureOr<Signature> found = getSignature(*module);
  if (failed(found))
    return report(Status::BadModel,
                  "'" + options.model + "' has no program to run");
  signature = std::move(*found);
  llvm::Expected<std::vector<HostTensor>> values =
      resolveInputs(options.inputs, signature.inputs,
                    [&](StringRef file) -> llvm::Expected<HostTensor> {
                      return files.at(file);
                    });
  if (!values)
    return report(Status::BadUsage, values.takeError());
  for (auto [input, value] : llvm::zip_equal(signature.inputs, *values))
    inputs.try_emplace(input.name, std::move(value));
  return checkExpectedTypes();
}

/// Types that differ are a mismatch: no values could be as expected.
Status Session::checkExpectedTypes() {
  for (const Expectation &expectation : options.expectations) {
    std::string text;
    llvm::raw_string_ostream os(text);
    const ProgramInput *output = findNamed(signature.outputs, expectation.name);
    if (!output) {
      os << "--expect: unknown output '" << expectation.name
         << "'; the program's outputs are ";
      llvm::interleaveComma(signature.outputs, os, [&](const ProgramInput &o) {
        os << '\'' << o.name << "' : " << o.type;
      });
      return report(Status::BadUsage, text);
    }
    const HostTensor &tensor = files.at(expectation.file);
    if (tensor.type != output->type) {
      os << "output '" << output->name << "' is a " << output->type << " but "
         << expectation.file << " holds a " << tensor.type;
      return report(Status::Mismatch, text);
    }
    expected.push_back(tensor);
  }
  // All that is needed of them has been copied.
  files.clear();
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// The run and its results
//===----------------------------------------------------------------------===//

Status Session::execute(EngineKind engine, ExecuteResult &result) {
  bool isMismatch = false;
  ExecuteOptions execution;
  execution.engine = engine;
  execution.check = options.check && engine == EngineKind::Interp;
  execution.threads = options.threads;
  execution.allowOutOfMemory = options.allowOutOfMemory;
  execution.expectationFailed = [&] { isMismatch = true; };
  execution.input = [&](StringRef name,
                        RankedTensorType) -> FailureOr<HostTensor> {
    auto it = inputs.find(name);
    if (it == inputs.end())
      return module->emitError() << "no value for input '" << name << "'";
    return it->second;
  };
  FailureOr<ExecuteResult> ran = ipu::execute(*module, execution);
  if (succeeded(ran)) {
    result = std::move(*ran);
    return Status::Success;
  }
  if (isMismatch)
    return report(Status::Mismatch, "an expectation of the program does not "
                                    "hold");
  return report(Status::BadModel,
                "could not run model '" + options.model + "'");
}

Status Session::compareEngines(const ExecuteResult &result) {
  EngineKind otherEngine =
      options.engine == EngineKind::Jit ? EngineKind::Interp : EngineKind::Jit;
  ExecuteResult other;
  Status status = execute(otherEngine, other);
  if (status != Status::Success)
    return status;
  for (auto [ours, theirs] : llvm::zip_equal(result.outputs, other.outputs)) {
    Comparison comparison = compareTensors(ours.tensor, theirs.tensor);
    if (comparison.holds())
      continue;
    Progress::get().clear();
    return report(Status::Mismatch,
                  "--compare-engines: the engines disagree on output '" +
                      ours.name + "': " + comparison.describe());
  }
  return Status::Success;
}

Status Session::writeResults(const ExecuteResult &result) {
  if (options.outputDir.empty())
    for (const NamedTensor &output : result.outputs)
      printTensor(llvm::outs(), output.name, output.tensor);
  else if (llvm::Error error =
               ipu::writeResults(options.outputDir, result.outputs))
    return report(Status::BadUsage, std::move(error));

  if (options.summary)
    printSummary(result.profile, llvm::outs());
  if (!profileFile)
    return Status::Success;
  writeProfile(result.profile, profileFile->os());
  if (llvm::Error error = profileFile->keep())
    return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

Status Session::compareExpected(const ExecuteResult &result) {
  Status status = Status::Success;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Expectation &expectation = options.expectations[i];
    const NamedTensor *output = findNamed(result.outputs, expectation.name);
    if (!output)
      return report(Status::BadModel, "the program did not write output '" +
                                          expectation.name + "'");
    Comparison comparison =
        compareTensors(output->tensor, expected[i], expectation.tolerance);
    if (!comparison.holds())
      status = report(Status::Mismatch,
                      "output '" + expectation.name + "' is not as in " +
                          expectation.file + ": " + comparison.describe());
  }
  return status;
}
