//===- Invocation.cpp - One call of ipu-train -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include "ModelFiles.h"
#include "OptimizerText.h"
#include "Weights.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

static Status readData(StringRef path, MLIRContext *context, Dataset &data) {
  llvm::Expected<Dataset> read = Dataset::read(path, context);
  if (!read)
    return report(Status::BadUsage, read.takeError());
  data = std::move(*read);
  return Status::Success;
}

/// Equal optimizers have the same text.
static std::string printOptimizer(pop::OptimizerAttr optimizer) {
  std::string text;
  llvm::raw_string_ostream(text) << optimizer;
  return text;
}

Status Invocation::readOptimizers() {
  auto parsed =
      parseOptimizer("--optimizer", expandKind(options.optimizer), context);
  if (!parsed)
    return report(Status::BadUsage, parsed.takeError());
  optimizer = *parsed;
  for (const GroupOption &group : options.selection.groups) {
    auto ofGroup = parseOptimizer(
        "--group '" + group.pattern + "'",
        expandKind(replaceSettings(options.optimizer, group.settings)),
        context);
    if (!ofGroup)
      return report(Status::BadUsage, ofGroup.takeError());
    groupOptimizers.push_back(*ofGroup);
  }
  return Status::Success;
}

Status Invocation::readFiles() {
  if (Status status = readOptimizers(); status != Status::Success)
    return status;
  Progress::get().show("reading files");
  if (!options.data.empty())
    if (Status status = readData(options.data, context, training.data);
        status != Status::Success)
      return status;
  if (!options.validationData.empty())
    if (Status status =
            readData(options.validationData, context, validation.data);
        status != Status::Success)
      return status;
  ModelOptions modelOptions = options;
  modelOptions.externalFiles = &externalFiles;
  Status status =
      loadModel(modelOptions, context, printer.getSourceMgr(), module);
  if (status != Status::Success || options.initWeights.empty())
    return status;
  return readInitialWeights(options.initWeights, *module);
}

Status Invocation::bindData() {
  auto bind = [&](Dataset &data) {
    if (llvm::Error error = data.bind(model.inputs))
      return report(Status::BadUsage, std::move(error));
    if (options.hasLabels()) {
      if (llvm::Error error =
              data.checkLabels(model.target, model.classes, options.labels))
        return report(Status::BadUsage, std::move(error));
      data.weighLabels(model.target, options.labels);
    }
    if (options.loss->targets == Targets::Bits)
      if (llvm::Error error = data.checkBits(model.target))
        return report(Status::BadUsage, std::move(error));
    return Status::Success;
  };
  if (Status status = bind(training.data); status != Status::Success)
    return status;
  if (training.data.getNumSamples() < options.updateBatch)
    return report(Status::BadUsage, "'" + options.data + "': expects the " +
                                        Twine(options.updateBatch) +
                                        " samples of a batch but has " +
                                        Twine(training.data.getNumSamples()));
  int64_t updates = training.getUpdatesOfEpoch(model);
  if (options.epochs > kMaxUpdates / updates)
    return report(Status::BadUsage,
                  "--epochs expects at most " + Twine(kMaxUpdates / updates) +
                      ", for 2^53 updates, but got " + Twine(options.epochs));
  if (options.validationData.empty())
    return Status::Success;
  if (Status status = bind(validation.data); status != Status::Success)
    return status;
  int64_t samples = validation.data.getNumSamples();
  if (samples == 0)
    return report(Status::BadUsage,
                  "'" + options.validationData +
                      "': expects samples for validation but has none");
  if (options.hasLabels() &&
      validation.data.getWeight(llvm::to_vector(llvm::seq(samples))) == 0)
    return report(Status::BadUsage,
                  "'" + options.validationData +
                      "': expects labels that count but has none, because all "
                      "labels are ignored or have the weight 0");
  if (!model.wholeBatchReason.empty() && samples % model.partSize != 0)
    return report(Status::BadUsage,
                  "'" + options.validationData + "': expects a multiple of " +
                      Twine(model.partSize) +
                      " samples for validation, because " +
                      model.wholeBatchReason + ", but has " + Twine(samples));
  return Status::Success;
}

/// Fails before the training if a file cannot be written that is written at the
/// end of the training.
Status Invocation::checkOutputs() {
  FileUses uses;
  for (StringRef path : {options.model, options.data, options.validationData,
                         options.initWeights, options.selection.trainable})
    if (!path.empty())
      uses.addRead(path);
  for (StringRef path : externalFiles)
    uses.addRead(path);
  if (!options.checkpoint.empty()) {
    std::vector<std::string> paths =
        CheckpointFolder::getFiles(options.checkpoint);
    paths.push_back(options.checkpoint);
    for (StringRef path : paths)
      if (llvm::Error error = uses.addWritten("--checkpoint", path))
        return report(Status::BadUsage, std::move(error));
  }
  struct Output {
    StringRef option, path;
    bool usesOutputFile;
  };
  const Output outputs[] = {
      {"--log", options.log, /*usesOutputFile=*/false},
      {"--plot", options.plot, /*usesOutputFile=*/true},
      {"--profile", options.profile, /*usesOutputFile=*/true},
      {"--report", options.report, /*usesOutputFile=*/true},
      {"--save-onnx", options.saveONNX, /*usesOutputFile=*/true},
      {"--save-best", options.saveBest,
       /*usesOutputFile=*/StringRef(options.saveBest).ends_with(".onnx")},
      {"--save-weights", options.saveWeights, /*usesOutputFile=*/false}};
  for (const Output &output : outputs)
    if (!output.path.empty())
      if (llvm::Error error = uses.addWritten(output.option, output.path))
        return report(Status::BadUsage, std::move(error));
  // Other files may be in the folder of the checkpoint.
  if (!options.checkpoint.empty())
    if (llvm::Error error = makeDirectory(options.checkpoint))
      return report(Status::BadUsage, std::move(error));
  for (const Output &output : outputs) {
    if (output.path.empty() || !output.usesOutputFile)
      continue;
    if (auto file = OutputFile::create(output.path); !file)
      return report(Status::BadUsage, file.takeError());
  }
  for (StringRef path : {options.saveWeights, options.saveBest}) {
    if (path.empty())
      continue;
    if (auto target = getReplaceable(path); !target)
      return report(Status::BadUsage, target.takeError());
  }
  return checkModelFiles();
}

/// Fails before the training if a trained weight is no initializer of the ONNX
/// model.
Status Invocation::checkModelFiles() {
  const std::pair<StringRef, StringRef> files[] = {
      {"--save-onnx", options.saveONNX}, {"--save-best", options.saveBest}};
  for (auto [option, path] : files)
    if (path.ends_with(".onnx"))
      if (llvm::Error error =
              checkInitializers(options.model, model.saved, context))
        return report(Status::BadUsage,
                      option + ": " + llvm::toString(std::move(error)));
  return Status::Success;
}

/// Returns the target as `PRESET,KEY=VALUE...`, without the number of replicas,
/// which is a separate setting.
static std::string formatTarget(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
  if (!target)
    return kDefaultPreset.str();
  std::string text = target.getPreset().str();
  if (DictionaryAttr overrides = target.getOverrides())
    for (NamedAttribute constant : overrides)
      if (auto value = dyn_cast<IntegerAttr>(constant.getValue());
          value && constant.getName() != "replicas")
        text += ("," + constant.getName().getValue() + "=").str() +
                std::to_string(value.getInt());
  return text;
}

/// Returns a hash of the model without its target.
static uint64_t hashModel(ModuleOp module) {
  Attribute target = module->removeAttr(IPUDialect::kTargetAttrName);
  std::string text;
  llvm::raw_string_ostream(text) << module;
  if (target)
    module->setAttr(IPUDialect::kTargetAttrName, target);
  std::vector<uint64_t> hashes = {llvm::xxh3_64bits(text)};
  // The text names resources, but does not have their data.
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr resource) {
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        hashes.push_back(llvm::xxh3_64bits(llvm::toStringRef(blob->getData())));
    });
  });
  return hashNumbers(hashes);
}

/// Settings are lines of text.
static std::string escape(StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::printEscapedString(name, os);
  return text;
}

/// The setting with the names of all weights.
static constexpr StringLiteral kWeightsSetting = "WEIGHTS";

/// Returns the settings that determine the bits of the results of a training.
Settings Invocation::getSettings() const {
  auto weights = llvm::map_range(
      model.weights, [](const Weight &weight) { return escape(weight.name); });
  std::string groups;
  for (auto [group, attr] :
       llvm::zip_equal(options.selection.groups, groupOptimizers))
    groups += (groups.empty() ? "" : "; ") + escape(group.pattern) + ":" +
              printOptimizer(attr);
  auto classWeights =
      llvm::map_range(options.labels.classes,
                      [](double weight) { return formatWeight(weight); });
  return {
      {"--loss", options.loss->name.str() + "=" + escape(model.output) + "," +
                     escape(model.target)},
      {"--ignore-index", std::to_string(options.labels.ignoreIndex)},
      {"--class-weights", llvm::join(classWeights, ",")},
      {"--optimizer", printOptimizer(optimizer)},
      {"--group", groups},
      {"--batch", std::to_string(options.updateBatch)},
      {"--accumulate", std::to_string(options.accumulate)},
      {"--replicas", std::to_string(model.replicas)},
      {"--target", formatTarget(*module)},
      {"--precision", stringifyPrecision(options.precision).str()},
      {"--partials", stringifyPartials(options.partials).str()},
      {"--stochastic-rounding", options.stochasticRounding ? "on" : "off"},
      // Without stochastic rounding, merged collectives have the same bits.
      {"--merge-collectives",
       std::to_string(options.stochasticRounding ? options.mergedBytes : 0)},
      {"--seed", std::to_string(options.seed)},
      {"--top-k", std::to_string(options.topK)},
      {"--data", llvm::utohexstr(training.data.getHash())},
      // The hash of the model depends on some of the options above.
      {"MODEL", llvm::utohexstr(modelHash)},
      {kWeightsSetting.str(), llvm::join(weights, ", ")},
  };
}

/// Locks the folder of --checkpoint. Reads the checkpoint if it exists.
Status Invocation::openCheckpoint() {
  if (options.checkpoint.empty())
    return Status::Success;
  auto opened = CheckpointFolder::open(options.checkpoint);
  if (!opened)
    return report(Status::BadUsage, opened.takeError());
  folder = std::move(*opened);
  auto loaded = folder->load(context);
  if (!loaded)
    return report(Status::BadUsage, loaded.takeError());
  checkpoint = std::move(*loaded);
  if (checkpoint)
    return checkCheckpoint();
  if (options.mustResume)
    return report(Status::BadUsage, "--must-resume expects the checkpoint '" +
                                        folder->getFile() +
                                        "', which does not exist");
  if (options.resume) {
    Progress::get().clear();
    llvm::errs() << getToolName() << ": '" << folder->getFile()
                 << "' does not exist; --resume starts a new training\n";
  }
  return Status::Success;
}

Status Invocation::checkCheckpoint() {
  if (!options.resume)
    return report(
        Status::BadUsage,
        "'" + folder->getFile() +
            "' holds the checkpoint of a training: use --resume to continue "
            "this training, or another --checkpoint to keep this checkpoint");
  std::map<std::string, std::string> saved(checkpoint->settings.begin(),
                                           checkpoint->settings.end());
  for (const auto &[name, value] : getSettings()) {
    auto it = saved.find(name);
    if (it == saved.end())
      return report(Status::BadUsage,
                    "'" + folder->getFile() + "': expects setting '" + name +
                        "' but has none; another version of ipu-train saved "
                        "this checkpoint");
    if (it->second == value)
      continue;
    if (name == kWeightsSetting)
      return report(Status::BadUsage,
                    "'" + folder->getFile() +
                        "': expects --train, --trainable and --freeze to "
                        "select the weights that the training began with, '" +
                        it->second + "', but got '" + value + "'");
    bool isFile = name == "MODEL" || name == "--data";
    return report(
        Status::BadUsage,
        "'" + folder->getFile() + "': expects " + name +
            (isFile ? " to be the file that the training began with"
                    : " to be '" + it->second + "' but got '" + value + "'"));
  }
  int64_t updatesOfEpoch = training.getUpdatesOfEpoch(model);
  const History &history = checkpoint->history;
  if (llvm::Error error = checkEpochs(history, updatesOfEpoch))
    return report(Status::BadUsage, "'" + folder->getFile() + "': " +
                                        llvm::toString(std::move(error)));
  // A profile requires that at least one update runs. Other files are written
  // from the data of the checkpoint.
  int64_t updates = history.size(), end = updatesOfEpoch * options.epochs;
  bool isStopped =
      options.patience && countEpochsAfterBest(history) >= options.patience;
  if (options.needsProfile() && (updates >= end || isStopped))
    return report(
        Status::BadUsage,
        Twine(options.profile.empty() ? "--report" : "--profile") +
            " expects an update to run, but '" + folder->getFile() + "' is " +
            (isStopped ? "the end of a training that --patience has stopped"
                       : describeEnd(updates, end, options.epochs)));
  return Status::Success;
}

/// Checks that the program has the expected inputs and outputs. They can
/// differ, because streams are renamed if a model uses a name twice, and
/// settings may become streams.
static Status checkStreams(const Options &options, const TrainedModel &model,
                           const Part &part) {
  for (const SessionTensor &input : part.session->getInputs())
    if (!input.hasDefault && input.name != kSeedName &&
        !(options.hasLabels() && input.name == kFactorName) &&
        !part.data.hasArray(input.name))
      return report(
          Status::BadUsage,
          "the program has the input '" + input.name +
              "', which is not an input of the model; expects numbers "
              "or schedules as settings of an optimizer");
  SmallVector<StringRef> needed = {kLossName};
  if (options.loss->targets != Targets::Values)
    needed.push_back(model.output);
  for (StringRef name : needed)
    if (llvm::none_of(
            part.session->getOutputs(),
            [&](const SessionTensor &output) { return output.name == name; }))
      return report(Status::BadModel,
                    "the program has no output '" + name +
                        "': the model uses this name for something else");
  return Status::Success;
}

Status Invocation::printSelection() {
  Progress::get().clear();
  PlainTextStream text = options.getTextStream();
  printWeights(text, model, options.selection.groups);
  llvm::outs().flush();
  return Status::Success;
}

Status Invocation::compile() {
  auto compilePart = [&](Part &part, ProgramKind kind) {
    auto session = train::compile(options, model, *module, kind);
    if (failed(session))
      return Status::BadModel;
    part.session = std::move(*session);
    return checkStreams(options, model, part);
  };
  if (Status status = compilePart(training, ProgramKind::Training);
      status != Status::Success)
    return status;
  return options.validationData.empty()
             ? Status::Success
             : compilePart(validation, ProgramKind::Validation);
}

Status Invocation::run() {
  if (Status status = readFiles(); status != Status::Success)
    return status;
  if (Status status =
          inspectModel(options, *module, training.data.getNames(), model);
      status != Status::Success)
    return status;
  if (options.printPipeline) {
    Progress::get().clear();
    for (ProgramKind kind : {ProgramKind::Training, ProgramKind::Validation})
      llvm::outs() << "builtin.module(" << getPipeline(options, model, kind)
                   << ")\n";
    return Status::Success;
  }
  modelHash = hashModel(*module);
  setOptimizers(*module, model, groupOptimizers);
  for (auto step : {&Invocation::bindData, &Invocation::checkOutputs,
                    &Invocation::openCheckpoint, &Invocation::printSelection,
                    &Invocation::compile})
    if (Status status = (this->*step)(); status != Status::Success)
      return status;
  auto compileDiagnosis = [&] {
    return train::compile(options, model, *module, ProgramKind::Diagnosis);
  };
  Trainer trainer(options, model, optimizer, context, training, validation,
                  folder.get(), compileDiagnosis);
  if (checkpoint)
    if (Status status = trainer.resume(std::move(*checkpoint));
        status != Status::Success)
      return status;
  return trainer.run(getSettings());
}
