//===- Invocation.cpp - One call of ipu-run -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Host/OutputFiles.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Support/LocationName.h"
#include "ipu-mlir/Tools/Compile.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

Invocation::Invocation(const Options &options, MLIRContext *context)
    : options(options), context(context), printer(context, options.model) {}

Status Invocation::run() {
  if (!options.compared.empty())
    return compareProfiles();
  Status status = prepare();
  if (status == Status::Success)
    status = compile();
  if (status != Status::Success || options.emit != EmitLevel::None)
    return status;
  status = runProgram();
  if (status == Status::BadModel)
    describeTooLarge();
  return status;
}

Status Invocation::runProgram() {
  Status status;
  RunResult result;
  if (options.engine == EngineKind::None) {
    FailureOr<Profile> profile = estimate(options.allowOutOfMemory);
    if (failed(profile))
      return reportNotRun(options);
    result.profile = std::move(*profile);
    return writeResults(result);
  }
  if (status = bind(); status != Status::Success)
    return status;
  status = execute(options.engine, result);
  // The report is written even if the run failed.
  if (Status written = writeReport(); status == Status::Success)
    status = written;
  if (status != Status::Success)
    return status;
  if (options.compareEngines) {
    Progress::get().show("comparing engines");
    if (status = compareEngines(result); status != Status::Success)
      return status;
  }
  Progress::get().clear();
  if (status = writeResults(result); status != Status::Success)
    return status;
  if (options.compareF32)
    if (status = compareF32(result); status != Status::Success)
      return status;
  if (status = compareExpected(result); status != Status::Success)
    return status;
  return saveWeights(result);
}

//===----------------------------------------------------------------------===//
// Before the run
//===----------------------------------------------------------------------===//

Status Invocation::prepare() {
  Status status = readFiles();
  return status == Status::Success ? prepareOutputFiles() : status;
}

Status Invocation::readFiles() {
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
  if (options.loadWeights.empty())
    return Status::Success;
  llvm::Expected<std::vector<NamedTensor>> tensors =
      readTensorsFile(options.loadWeights, context);
  if (!tensors)
    return report(Status::BadUsage, tensors.takeError());
  for (NamedTensor &tensor : *tensors)
    weights[tensor.name] = std::move(tensor.tensor);
  return Status::Success;
}

Status Invocation::prepareOutputFiles() {
  if (!options.outputDir.empty())
    if (llvm::Error error = makeDirectory(options.outputDir))
      return report(Status::BadUsage, std::move(error));
  // The file of --load-weights is added after the file of --save-weights, which
  // may replace it.
  uses.addRead(options.model);
  for (const ConstantSpec &constant : options.constants)
    if (!constant.file.empty())
      uses.addRead(constant.file);
  for (StringRef path : files.keys())
    uses.addRead(path);
  if (!options.saveWeights.empty()) {
    if (llvm::Error error =
            uses.addWritten("--save-weights", options.saveWeights))
      return report(Status::BadUsage, std::move(error));
    llvm::Expected<std::string> target = getReplaceable(options.saveWeights);
    if (!target)
      return report(Status::BadUsage, target.takeError());
    weightsTarget = std::move(*target);
  }
  if (!options.loadWeights.empty())
    uses.addRead(options.loadWeights);
  struct Output {
    StringRef option, path;
    std::unique_ptr<OutputFile> *file;
  };
  const Output outputs[] = {
      {"--replica-equal-report", options.replicaEqualReport, &reportFile},
      {"--profile", options.profile, &profileFile},
      {"--trace", options.trace, &traceFile},
      {"--report", options.report, &pageFile}};
  for (const Output &output : outputs) {
    if (output.path.empty())
      continue;
    if (llvm::Error error = uses.addWritten(output.option, output.path))
      return report(Status::BadUsage, std::move(error));
    llvm::Expected<std::unique_ptr<OutputFile>> file =
        OutputFile::create(output.path);
    if (!file)
      return report(Status::BadUsage, file.takeError());
    *output.file = std::move(*file);
  }
  return Status::Success;
}

/// Reports options that a lowered model makes useless.
Status Invocation::checkNotLowered() {
  const CompileOptions &compilation = options.compilation;
  if (!isLowered(*module) || !compilation.pipeline.empty())
    return Status::Success;
  std::string given;
  if (options.emit == EmitLevel::Pop)
    given = "--emit pop";
  else if (!compilation.gradients.empty())
    given = "--gradients";
  else if (options.givenLowering)
    given = *options.givenLowering;
  else
    return Status::Success;
  return report(Status::BadUsage, given + ": the model is lowered already");
}

/// Reports a --pass-pipeline that cannot run, or a missing function.
Status Invocation::checkPasses() {
  const CompileOptions &compilation = options.compilation;
  if (compilation.pipeline.empty()) {
    if (succeeded(lookupEntry(*module, compilation.entry)))
      return Status::Success;
    return report(Status::BadModel,
                  "'" + options.model + "' has no function '" +
                      compilation.entry +
                      "' that can run; --entry names the function to run");
  }
  if (llvm::Error error = checkPipelines(compilation, context))
    return report(Status::BadUsage,
                  "--pass-pipeline: " + llvm::toString(std::move(error)));
  return Status::Success;
}

/// Prints the model with the orders of its sums, the numbers of its draws and
/// its placement, which later passes do not change.
Status Invocation::emitPop() {
  Progress::get().clear();
  CompileOptions compilation = options.compilation;
  compilation.placesLayers = options.placement == PlacementKind::Layers;
  if (compilation.pipeline.empty() &&
      failed(prepareGraph(*module, compilation)))
    return reportNotCompiled(options);
  module->print(llvm::outs());
  return Status::Success;
}

/// Returns the options of the model with the values of --input in files, which
/// may define shapes.
ModelOptions Invocation::getModelOptions() {
  ModelOptions model = options;
  model.constantInputs = &constantInputs;
  for (const InputSpec &spec : options.inputs) {
    if (spec.file.empty() || spec.name == "*")
      continue;
    const HostTensor &tensor = files.at(spec.file);
    model.hostInputs[spec.name] = {
        SmallVector<int64_t>(tensor.type.getShape()),
        [&tensor](Type elementType) -> llvm::Expected<DenseElementsAttr> {
          HostTensor viewed = tensor;
          viewAs(elementType, viewed);
          return getDenseElements(viewed);
        }};
  }
  return model;
}

Status Invocation::compile() {
  Progress::get().show("reading " + options.model);
  ModelOptions model = getModelOptions();
  Status status = loadModel(model, context, printer.getSourceMgr(), module);
  if (status == Status::Success)
    status = checkNotLowered();
  if (status != Status::Success)
    return status;
  if (options.emit == EmitLevel::Pop)
    return emitPop();
  if (status = checkPasses(); status != Status::Success)
    return status;
  CompileOptions compilation = options.compilation;
  if (options.compareF32)
    if (status = loadF32(model); status != Status::Success)
      return status;
  compilation.tooLarge = [&](CompiledProgram tooLarge) {
    program = std::move(tooLarge);
  };
  FailureOr<CompiledProgram> compiled =
      compileModel(model, std::move(module), compilation);
  if (succeeded(compiled))
    program = std::move(*compiled);
  else if (program)
    describeTooLarge();
  if (succeeded(compiled) && options.emit == EmitLevel::IPU)
    program->print(llvm::outs());
  return succeeded(compiled) ? Status::Success : Status::BadModel;
}

Status Invocation::bind() {
  FailureOr<func::FuncOp> entry =
      lookupEntry(program->getModule(), options.compilation.entry);
  if (succeeded(entry) &&
      (entry->getNumArguments() || entry->getNumResults())) {
    entry->emitError()
        << "expects a program that is lowered to ipu and has no arguments "
           "or results but got "
        << entry->getFunctionType();
    entry = failure();
  }
  if (failed(entry))
    return report(Status::BadModel,
                  "'" + options.model + "' has no program to run");
  signature = getSignature(*program);
  std::vector<InputSpec> specs = options.inputs;
  llvm::erase_if(specs, [&](const InputSpec &spec) {
    return llvm::is_contained(constantInputs, spec.name);
  });
  llvm::Expected<std::vector<std::optional<HostTensor>>> values =
      resolveInputs(specs, signature.inputs,
                    [&](StringRef file) -> llvm::Expected<HostTensor> {
                      return files.at(file);
                    });
  if (!values)
    return report(Status::BadUsage,
                  llvm::toString(values.takeError()) + describeNames());
  for (auto [input, value] : llvm::zip_equal(signature.inputs, *values))
    if (value)
      inputs[input.name] = std::move(*value);
  if (Status status = checkExpectedTypes(); status != Status::Success)
    return status;
  return checkResultFiles();
}

/// Describes the names in --input that are not inputs, with the options that
/// apply to them.
std::string Invocation::describeNames() {
  std::string text;
  for (const InputSpec &spec : options.inputs) {
    StringRef hint;
    Operation *symbol =
        SymbolTable::lookupSymbolIn(program->getModule(), spec.name);
    if (const CompiledProgram *host = program->getHostProgram())
      if (auto state = host->getModule().lookupSymbol<StateOp>(spec.name))
        symbol = state;
    auto stream = dyn_cast_or_null<StreamOp>(symbol);
    if (findNamed(signature.inputs, spec.name) || spec.name == "*")
      continue;
    if (findNamed(options.constants, spec.name))
      hint = "a constant, which has the value of --constant";
    if (stream && stream.getDirection() == StreamDirection::DeviceToHost)
      hint = "an output: --expect compares it, --output-dir writes it";
    else if (stream)
      hint = "a stream that the program never loads: it needs no --input";
    else if (isa_and_nonnull<StateOp>(symbol))
      hint = "a variable: --load-weights gives it a value";
    if (!hint.empty())
      text += ("; '" + spec.name + "' is " + hint).str();
  }
  if (options.inputs.empty() && !signature.inputs.empty())
    text = "; --input NAME=VALUE gives one input a value, --input '*=VALUE' "
           "gives all inputs a value";
  return text;
}

/// Checks the types of expected values. A wrong type is a mismatch, because no
/// output can have the expected values.
Status Invocation::checkExpectedTypes() {
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
    HostTensor tensor = files.at(expectation.file);
    viewAs(output->type.getElementType(), tensor);
    if (tensor.type != output->type) {
      os << "output '" << output->name << "' is a " << output->type << " but "
         << expectation.file << " holds a " << tensor.type;
      return report(Status::Mismatch, text);
    }
    expected.push_back(std::move(tensor));
  }
  // The required tensors have been copied.
  files.clear();
  return Status::Success;
}

/// Fails if a file of --output-dir is also read, or is written by another
/// option.
Status Invocation::checkResultFiles() {
  if (options.outputDir.empty())
    return Status::Success;
  for (const std::string &name : getFileNames(getOutputNames())) {
    SmallString<128> path(options.outputDir);
    llvm::sys::path::append(path, name + ".npy");
    if (llvm::Error error = uses.addWritten("--output-dir", path))
      return report(Status::BadUsage, std::move(error));
  }
  return Status::Success;
}

SmallVector<StringRef> Invocation::getOutputNames() const {
  return llvm::map_to_vector(signature.outputs, [](const ProgramInput &output) {
    return StringRef(output.name);
  });
}

//===----------------------------------------------------------------------===//
// The run and its results
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<Session>>
Invocation::createSession(EngineKind engine, bool &isMismatch) {
  SessionOptions session;
  session.engine = engine;
  session.check = options.check && engine == EngineKind::Interp;
  session.checkReplicaEqual = options.checkReplicaEqual;
  if (reportFile && engine == options.engine)
    session.replicaEqualReport = &replicaEqualReport;
  session.threads = options.threads;
  session.cacheFolder = options.cacheFolder;
  session.seed = options.seed;
  session.allowOutOfMemory = options.allowOutOfMemory;
  session.detailsProfile = options.detailsProfile();
  session.keepsWeights = false;
  session.expectationFailed = [&isMismatch] { isMismatch = true; };
  if (Progress::get().isOn())
    session.progress = [this](const RunProgress &progress) {
      showProgress(progress);
    };
  return Session::create(*program, session);
}

void Invocation::showProgress(RunProgress progress) {
  if (!Progress::get().isDue())
    return;
  std::string step;
  if (progress.step) {
    StringAttr name = getLocationName(progress.step->getLoc());
    step = name ? name.str() : progress.step.getStepName();
  }
  Progress::get().showRun("running" + describeRun(),
                          (currentRun - 1 + progress.fraction) / options.runs,
                          step);
}

/// Describes the number of the current run if there are several runs.
std::string Invocation::describeRun() {
  if (options.runs == 1)
    return "";
  return (", run " + Twine(currentRun) + " of " + Twine(options.runs)).str();
}

Status Invocation::execute(EngineKind engine, RunResult &result) {
  Progress::get().show("loading");
  bool isMismatch = false;
  FailureOr<std::unique_ptr<Session>> session =
      createSession(engine, isMismatch);
  if (failed(session))
    return reportNotRun(options);
  if (Status status = bindWeights(**session); status != Status::Success)
    return status;
  Session::Context attached(**session);
  if (!attached.isOwner())
    return reportNotRun(options);

  TensorMap outputs;
  Progress::get().startRuns();
  for (currentRun = 1; currentRun <= options.runs; ++currentRun) {
    std::string where = describeRun();
    Progress::get().show("running" + where);
    llvm::Expected<TensorMap> ran =
        (*session)->run((*session)->getInputsOfRun(inputs, currentRun - 1));
    if (ran) {
      outputs = std::move(*ran);
      continue;
    }
    // A diagnostic already reported the error.
    llvm::consumeError(ran.takeError());
    if (isMismatch)
      return report(Status::Mismatch,
                    "an expectation of the program does not hold" + where);
    return reportNotRun(options, where);
  }
  result.profile = (*session)->getProfile();
  for (const ProgramInput &output : signature.outputs)
    if (auto it = outputs.find(output.name); it != outputs.end())
      result.outputs.push_back({output.name, std::move(it->second)});
  return readVariables(**session, result);
}

FailureOr<Profile> Invocation::estimate(bool allowOutOfMemory) {
  ExecuteOptions execution;
  execution.entry = options.compilation.entry;
  execution.engine = EngineKind::None;
  execution.threads = options.threads;
  execution.allowOutOfMemory = allowOutOfMemory;
  execution.detailsProfile = options.detailsProfile();
  FailureOr<ExecuteResult> ran = ipu::execute(program->getModule(), execution);
  if (failed(ran))
    return failure();
  return std::move(ran->profile);
}

void Invocation::describeTooLarge() {
  if (!isLowered(program->getModule()) || options.emit != EmitLevel::None ||
      options.allowOutOfMemory ||
      !(profileFile || traceFile || pageFile || options.summary))
    return;
  // The failed compilation or run has reported what is missing.
  ScopedDiagnosticHandler drop(context, [](Diagnostic &) { return success(); });
  FailureOr<Profile> profile = estimate(/*allowOutOfMemory=*/true);
  if (failed(profile))
    return;
  const MemoryProfile &memory = profile->memory;
  if (memory.tilesOverMemory == 0 &&
      memory.maxCodeBytes <= profile->target.code_memory)
    return;
  RunResult result;
  result.profile = std::move(*profile);
  writeResults(result);
}

Status Invocation::writeReport() {
  if (!reportFile)
    return Status::Success;
  writeReplicaEqualReport(replicaEqualReport, reportFile->os());
  if (llvm::Error error = reportFile->keep())
    return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

PlainTextStream Invocation::getTextStream() const {
  return tools::getTextStream({options.replicaEqualReport, options.profile,
                               options.trace, options.report});
}

Status Invocation::writeResults(const RunResult &result) {
  PlainTextStream text = getTextStream();
  auto nameFile = [&](StringRef name, StringRef path) {
    text << "output '" << name << "' is in '" << path << "'\n";
  };
  if (options.outputDir.empty())
    for (const NamedTensor &output : result.outputs)
      printTensor(text, output.name, output.tensor);
  else if (llvm::Error error = ipu::writeResults(
               options.outputDir, result.outputs, getOutputNames(), nameFile))
    return report(Status::BadUsage, std::move(error));

  if (options.summary)
    printSummary(result.profile, text);
  auto write = [&](std::unique_ptr<OutputFile> &file,
                   function_ref<void(raw_ostream &)> writeTo) {
    if (!file)
      return Status::Success;
    writeTo(file->os());
    if (llvm::Error error = file->keep())
      return report(Status::BadUsage, std::move(error));
    return Status::Success;
  };
  const Profile &profile = result.profile;
  if (Status status = write(
          profileFile, [&](raw_ostream &os) { writeProfile(profile, os); });
      status != Status::Success)
    return status;
  if (Status status = write(traceFile,
                            [&](raw_ostream &os) {
                              if (!isGzipFile(options.trace))
                                return writeTrace(profile, os);
                              std::string text;
                              llvm::raw_string_ostream stream(text);
                              writeTrace(profile, stream);
                              writeGzip(text, os);
                            });
      status != Status::Success)
    return status;
  return write(pageFile, [&](raw_ostream &os) {
    ipu::writeReport(llvm::sys::path::filename(options.model), profile,
                     getReportInfo(options.args), os);
  });
}
