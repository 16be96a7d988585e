//===- Programs.cpp - Programs for training and tests ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "OptimizerText.h"
#include "OutputKind.h"
#include "Weights.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Tools/Compile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <array>
#include <charconv>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// Reports `diag` and returns the status for a model that cannot be compiled.
static Status badModel(InFlightDiagnostic diag) {
  diag.report();
  return Status::BadModel;
}

/// Finds the samples among the arguments.
static Status findArguments(const Options &options, func::FuncOp main,
                            TrainedModel &model) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string name =
        getName(main.getArgAttr(i, pop::PopDialect::kNameAttrName), "arg", i);
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
    if (!type)
      return badModel(main.emitError() << "expects argument '" << name
                                       << "' to be a tensor but got "
                                       << main.getArgumentTypes()[i]);
    if (main.getArgAttr(i, pop::PopDialect::kDefaultAttrName))
      continue;
    if (type.getRank() == 0 ||
        (!model.inputs.empty() &&
         type.getDimSize(0) != model.inputs.front().type.getDimSize(0)))
      return badModel(
          main.emitError()
          << "expects the first dimension of input '" << name
          << "' to be the number of samples, as for all other inputs, but got "
          << type);
    model.inputs.push_back({name, type});
    if (isONNXFile(options.model))
      model.inputs.back().rows = findRows(main.getArgument(i));
  }
  if (model.inputs.empty())
    return badModel(main.emitError()
                    << "expects inputs for samples but has none");
  model.partSize = model.inputs.front().type.getDimSize(0);
  return Status::Success;
}

/// Finds the result from which the loss is computed.
static Status findOutput(const Options &options, func::FuncOp main,
                         TrainedModel &model, RankedTensorType &type) {
  std::vector<std::string> names;
  names.reserve(main.getNumResults());
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    names.push_back(getName(
        main.getResultAttr(i, pop::PopDialect::kNameAttrName), "result", i));
  model.output = options.lossOutput;
  if (model.output.empty() && names.size() == 1)
    model.output = names.front();
  auto it = llvm::find(names, model.output);
  if (it == names.end())
    return report(Status::BadUsage,
                  model.output.empty()
                      ? "--loss expects KIND=OUTPUT, where OUTPUT is one of '" +
                            llvm::join(names, "', '") + "'"
                      : "--loss: unknown output '" + model.output +
                            "'; the model's outputs are '" +
                            llvm::join(names, "', '") + "'");
  bool isIdentity = options.loss->name == "identity";
  if (!isIdentity && model.output == kLossName)
    return badModel(main.emitError() << "has output '" << kLossName
                                     << "', but this is the name of the loss");
  model.outputIndex = it - names.begin();
  Type found = main.getResultTypes()[model.outputIndex];
  type = dyn_cast<RankedTensorType>(found);
  if (!type || !isa<FloatType>(type.getElementType()))
    return badModel(
        main.emitError()
        << "expects output '" << model.output
        << "', whose loss is minimized, to be a tensor of floats but got "
        << found);
  bool isOfSamples = type.getRank() > 0 && type.getDimSize(0) == model.partSize;
  if (isIdentity && !isOfSamples)
    model.wholeBatchReason =
        "output '" + model.output + "' is the loss of a whole batch";
  if (!isIdentity && !isOfSamples)
    return badModel(
        main.emitError()
        << "expects the first dimension of output '" << model.output
        << "', whose loss is minimized, to be the number of samples, "
        << model.partSize << ", but got " << type);
  if (options.hasLabels()) {
    if (type.getRank() < 2)
      return badModel(main.emitError()
                      << "expects output '" << model.output
                      << "', whose loss is minimized, to have dimensions for "
                         "samples and for classes but got "
                      << type);
    model.classes = type.getDimSize(1);
    size_t weights = options.labels.classes.size();
    if (weights && weights != static_cast<size_t>(model.classes))
      return report(Status::BadUsage,
                    "--class-weights expects a weight for each of the " +
                        Twine(model.classes) + " classes of output '" +
                        model.output + "' but got " + Twine(weights));
    if (options.topK > model.classes)
      return report(Status::BadUsage,
                    "--top-k expects at most " + Twine(model.classes) +
                        ", the number of classes of output '" + model.output +
                        "', but got " + Twine(options.topK));
  }
  return checkLoss(options.loss->name, main, model);
}

/// Warns if the mean of losses that the model computes for parts of a batch may
/// differ from the loss of the batch.
static void warnOfMeans(const Options &options, func::FuncOp main,
                        const TrainedModel &model) {
  int64_t parts = model.accumulate * model.replicas;
  bool isWhole =
      options.loss->name != "identity" || model.wholeBatchReason.empty();
  if (isWhole || parts == 1)
    return;
  main.emitWarning()
      << "the loss of an update is the mean of output '" << model.output
      << "' for the " << parts << " parts of a batch, with equal weights; it "
      << "differs from the loss of the whole batch if '" << model.output
      << "' is a mean over different numbers of elements, such as labels that "
         "are not ignored; --loss cross_entropy divides by the number of "
         "labels of the whole batch";
}

/// Chooses the array of targets, and adds it to the inputs for each sample.
static Status addTarget(const Options &options, ArrayRef<std::string> arrays,
                        RankedTensorType output, TrainedModel &model) {
  if (options.loss->name == "identity")
    return Status::Success;
  model.target = options.lossTarget;
  if (model.target.empty()) {
    std::vector<std::string> others;
    for (const std::string &name : arrays)
      if (llvm::none_of(model.inputs, [&](const SampleInput &input) {
            return input.name == name;
          }))
        others.push_back(name);
    // A missing input is reported later, when the data are bound.
    bool hasInputs = llvm::all_of(model.inputs, [&](const SampleInput &input) {
      return llvm::is_contained(arrays, input.name);
    });
    if ((others.size() > 1 && hasInputs) || (others.empty() && !arrays.empty()))
      return report(Status::BadUsage,
                    others.empty()
                        ? "'" + options.data +
                              "' expects an array of targets in addition to "
                              "the model's inputs but has '" +
                              llvm::join(arrays, "', '") + "'"
                        : "--loss expects KIND=OUTPUT,TARGET, where TARGET is "
                          "one of '" +
                              llvm::join(others, "', '") + "'");
    model.target = others.empty() ? "target" : others.front();
  }
  RankedTensorType type = output;
  if (options.loss->targets == Targets::Labels) {
    SmallVector<int64_t> shape(output.getShape());
    shape.erase(shape.begin() + 1);
    type =
        RankedTensorType::get(shape, IntegerType::get(output.getContext(), 32));
  }
  model.inputs.push_back({model.target, type});
  return Status::Success;
}

/// A name as part of a pipeline, in quotes if it has characters that separate
/// options. None if quotes do not help.
static std::optional<std::string> quoteName(StringRef name) {
  if (name.empty() || name != name.trim() ||
      name.find_first_of("{}") != StringRef::npos)
    return std::nullopt;
  if (name.find_first_of(" \t\n,()[]'\"") == StringRef::npos)
    return name.str();
  for (char quote : {'"', '\''})
    if (!name.contains(quote))
      return (Twine(quote) + name + Twine(quote)).str();
  return std::nullopt;
}

/// Pipelines are text, and the host has one namespace for tensors.
static Status checkNames(const Options &options, const TrainedModel &model) {
  bool hasFactor = llvm::any_of(model.inputs, [](const SampleInput &input) {
    return input.name == kFactorName;
  });
  hasFactor |= llvm::any_of(model.saved, [](const SavedTensor &saved) {
    return saved.name == kFactorName;
  });
  hasFactor |= model.output == kFactorName;
  if (options.hasLabels() && hasFactor)
    return report(Status::BadUsage,
                  "expects no input, output or variable of the model, and no "
                  "target, with the name '" +
                      kFactorName +
                      "', which is the factor of the sum of the losses");
  auto check = [](StringRef what, StringRef name) {
    if (quoteName(name))
      return Status::Success;
    return report(Status::BadUsage,
                  what + " '" + name +
                      "' cannot be named in a pipeline; expects a name without "
                      "braces, with at most one kind of quotes, and without "
                      "spaces at its ends");
  };
  for (const Weight &weight : model.weights)
    if (Status status = check("weight", weight.name); status != Status::Success)
      return status;
  if (Status status = check("output", model.output); status != Status::Success)
    return status;
  if (model.target.empty())
    return Status::Success;
  if (llvm::any_of(model.saved, [&](const SavedTensor &saved) {
        return saved.name == model.target;
      }))
    return report(Status::BadUsage,
                  "--loss: target '" + model.target +
                      "' has the name of a variable of the model; expects an "
                      "array of another name");
  return check("target", model.target);
}

Status train::inspectModel(const Options &options, ModuleOp module,
                           ArrayRef<std::string> arrays, TrainedModel &model) {
  FailureOr<func::FuncOp> main = lookupEntry(module, kMain);
  if (failed(main))
    return Status::BadModel;
  RankedTensorType output;
  if (Status status = findArguments(options, *main, model);
      status != Status::Success)
    return status;
  if (Status status = findOutput(options, *main, model, output);
      status != Status::Success)
    return status;
  if (Status status = addTarget(options, arrays, output, model);
      status != Status::Success)
    return status;
  if (Status status = findWeights(options.selection, *main, model);
      status != Status::Success)
    return status;
  if (Status status = checkNames(options, model); status != Status::Success)
    return status;
  if (model.wholeBatchReason.empty() && hasBatchStatistics(*main))
    model.wholeBatchReason =
        "a BatchNormalization uses the statistics of a whole batch";
  model.accumulate = options.accumulate;
  model.replicas = getTargetModel(module).replicas;
  warnOfMeans(options, *main, model);
  std::optional<int64_t> batch =
      llvm::checkedMul(model.partSize, model.accumulate);
  if (batch)
    batch = llvm::checkedMul(*batch, model.replicas);
  if (batch != options.updateBatch)
    return report(Status::BadUsage,
                  "--batch expects " +
                      (batch ? std::to_string(*batch) : "at least 2^63") +
                      ": the model takes " + Twine(model.partSize) +
                      " samples, in " + Twine(model.accumulate) +
                      " part(s) on " + Twine(model.replicas) +
                      " replica(s), but got " + Twine(options.updateBatch));
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Returns a pass option `name={value}`. The braces protect separators in the
/// value.
static std::string getOption(StringRef name, StringRef value) {
  return (" " + name + "={" + value + "}").str();
}

/// The same for the name of a tensor; checkNames() has checked that there is
/// one.
static std::string getNameOption(StringRef option, StringRef name) {
  std::string quoted = *quoteName(name);
  return quoted == name ? getOption(option, name)
                        : (" " + option + "=" + quoted).str();
}

static std::string getTrainingPasses(const Options &options,
                                     const TrainedModel &model,
                                     bool placesLayers) {
  bool hasParts = model.accumulate > 1, hasReplicas = model.replicas > 1;
  std::string text = "pop-graph-pipeline{train=main loss=" + kLossName.str();
  auto weights = llvm::map_range(model.weights, [](const Weight &weight) {
    return *quoteName(weight.name);
  });
  text += getOption("weights", llvm::join(weights, ","));
  text += getOption("optimizer", expandKind(options.optimizer));
  if (hasParts)
    text += " accumulation-factor=" + std::to_string(model.accumulate);
  if (hasReplicas)
    text += hasParts ? " reduce=accumulator" : " reduce=gradient";
  // The losses of labels add up to a mean; all others are means.
  if ((hasParts || hasReplicas) && !options.hasLabels())
    text += " mean=post";
  if (options.hostReduce)
    text += " host-reduce";
  if (placesLayers)
    text += " place-layers";
  if (options.schedule)
    text += " infer-stages";
  // With recomputation, an IPU keeps few activations of each micro-batch.
  if (options.schedule && placesLayers && options.recomputePasses.empty())
    text += " schedule=" + pop::stringifyPipelineKind(*options.schedule).str();
  if (options.mergedBytes > 0)
    text += " merge-collectives=" + std::to_string(options.mergedBytes);
  if (options.stochasticRounding)
    text += " stochastic-rounding=counter";
  if (options.partials == pop::PartialsKind::F16)
    text += " partials=f16";
  return text + "}";
}

static std::string getValidationPasses(const Options &options,
                                       bool placesLayers) {
  SmallVector<StringRef> settings;
  if (options.partials == pop::PartialsKind::F16)
    settings.push_back("partials=f16");
  if (placesLayers)
    settings.push_back("place-layers");
  std::string text = "pop-graph-pipeline";
  return settings.empty() ? text : text + "{" + llvm::join(settings, " ") + "}";
}

/// Returns whether the program may exceed the memory. A diagnosis may exceed
/// it, because stored tensors need more memory than the training itself.
static bool allowsOutOfMemory(const Options &options, ProgramKind kind) {
  return options.allowOutOfMemory || kind == ProgramKind::Diagnosis;
}

std::string train::formatWeight(double weight) {
  std::array<char, 32> text;
  char *end = std::to_chars(text.begin(), text.end(), weight).ptr;
  return std::string(text.begin(), end);
}

/// Returns the options of `pop-add-loss` for labels.
static std::string getLabelOptions(const Options &options,
                                   const TrainedModel &model, bool isTraining) {
  std::string text;
  if (isTraining)
    text += " factor=" + kFactorName.str();
  // Positions whose label is no class never count.
  int64_t ignored = options.labels.ignoreIndex;
  if (ignored >= 0 && ignored < model.classes)
    text += " ignore-index=" + std::to_string(ignored);
  if (options.labels.classes.empty())
    return text;
  auto weights = llvm::map_range(options.labels.classes, [](double weight) {
    return formatWeight(weight);
  });
  return text + getOption("class-weights", llvm::join(weights, ","));
}

/// Returns the passes that create the graph of a program. With `placesLayers`,
/// each IPU has layers of the model.
static std::string getGraphPasses(const Options &options,
                                  const TrainedModel &model, ProgramKind kind,
                                  bool placesLayers) {
  bool isTraining = kind != ProgramKind::Validation;
  std::string text = "pop-add-loss{loss=" + options.loss->name.str();
  text += getNameOption("output", model.output);
  if (!model.target.empty())
    text += getNameOption("target", model.target);
  if (options.loss->targets == Targets::Values)
    text += " only-loss";
  if (!isTraining)
    text += " each-loss";
  if (options.hasLabels())
    text += getLabelOptions(options, model, isTraining);
  if (model.replicas > 1)
    text += " own-batches";
  text += "},";
  if (options.precision == Precision::Mixed)
    text += "pop-narrow-floats,";
  if (options.precision == Precision::F16)
    text += "pop-narrow-floats{weights functions},";
  text += isTraining ? getTrainingPasses(options, model, placesLayers)
                     : "pop-disable-dropout," +
                           getValidationPasses(options, placesLayers);
  if (model.replicas > 1 && isTraining)
    text += ",pop-separate-variables";
  // Loads of weights then belong to stages, and are recomputed.
  if (std::string passes = options.memory.getVariablePasses();
      isTraining && !passes.empty())
    text += "," + passes;
  // Values are recomputed before other transforms divide ops or move them.
  if (isTraining && !options.recomputePasses.empty())
    text += "," + options.recomputePasses;
  // A diagnosis stores the tensors of one micro-batch after the other.
  if (options.schedule && kind == ProgramKind::Training)
    text += ",pop-pipeline{schedule=" +
            pop::stringifyPipelineKind(*options.schedule).str() + "}";
  if (options.overlapsIO && kind == ProgramKind::Training)
    text += ",pop-place-transfers,pop-io-tile-copy,pop-overlap-io";
  if (std::string passes = options.memory.getPasses(); !passes.empty())
    text += "," + passes;
  if (kind == ProgramKind::Diagnosis)
    text += ",pop-store-tensors";
  return text;
}

std::string train::getPipeline(const Options &options,
                               const TrainedModel &model, ProgramKind kind) {
  bool placesLayers = options.placement == PlacementKind::Layers;
  std::string text = getGraphPasses(options, model, kind, placesLayers);
  if (placesLayers || !options.placements.empty())
    text += ",pop-inter-ipu-copy";
  text += ",pop-to-ipu-pipeline";
  return allowsOutOfMemory(options, kind) ? text + "{allow-oom}" : text;
}

/// Gives the variables of `model` the groups that they have in `program`.
static void adoptGroups(ModuleOp model, ModuleOp program) {
  SymbolTable states(program);
  for (auto variable : model.getOps<pop::VariableOp>())
    if (auto state = states.lookup<StateOp>(variable.getSymName()))
      variable.setGroupsAttr(
          dyn_cast_or_null<pop::ReplicaGroupsAttr>(state.getGroupsAttr()));
}

FailureOr<std::unique_ptr<Session>> train::compile(const Options &options,
                                                   const TrainedModel &model,
                                                   ModuleOp module,
                                                   ProgramKind kind) {
  CompileOptions compilation;
  compilation.graphPasses =
      getGraphPasses(options, model, kind, /*placesLayers=*/false);
  compilation.allowOutOfMemory = allowsOutOfMemory(options, kind);
  compilation.advisesOnMemory = false;
  if (llvm::Error error = checkPipelines(compilation, module.getContext())) {
    reportNotCompiled(options, ": " + llvm::toString(std::move(error)));
    return failure();
  }
  CompileOptions layers = compilation;
  layers.graphPasses =
      getGraphPasses(options, model, kind, /*placesLayers=*/true);
  FailureOr<CompiledProgram> program =
      compileModel(options, module.clone(), compilation, layers);
  if (failed(program))
    return failure();
  // The programs of a model exchange the values of variables.
  if (kind == ProgramKind::Training)
    adoptGroups(module, program->getModule());
  SessionOptions session;
  session.threads = options.threads;
  session.cacheFolder = options.cacheFolder;
  session.seed = options.seed;
  session.allowOutOfMemory = compilation.allowOutOfMemory;
  session.detailsProfile = options.needsProfile();
  session.keepsWeights = false;
  auto result = Session::create(std::move(*program), session);
  if (failed(result))
    reportNotCompiled(options);
  return result;
}
