//===- CommandLine.cpp - Flags of ipu-train -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ipu-mlir/Dialect/Pop/Transforms/CollectiveOptions.h"
#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Tools/MemoryFlags.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"
#include <limits>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;
namespace cl = llvm::cl;

static constexpr StringLiteral kOverview =
    R"(Trains a model on the simulated device

MODEL is an ONNX model (.onnx, .onnxtxt) or MLIR (.mlir, .mlirbc, - for standard input)
with a pop function @main. The weights of an ONNX model are its initializers. The
weights of @main are the float variables that it or a function that it calls only reads,
and its float arguments with a pop.default. Weights for which the loss has no gradient,
and given means and variances of a BatchNormalization, are not trained.

FILE.npz has an array for each input of the model, with the name of the input, and an
array for the targets of the loss. The first dimension of each array is the number of
samples. --seed determines the order of the samples in each epoch. Samples that do not
fill a whole batch at the end of an epoch are not used in this epoch.

KIND of the loss is cross_entropy (of logits), nll (of logarithms of probabilities) or
nll_of_probabilities, whose targets are labels of the classes in dimension 1 of the
output; binary_cross_entropy or binary_cross_entropy_of_logits; l1 or l2; or identity:
the output is the loss. OUTPUT is needed if the model has several outputs. TARGET is
needed if the file has several arrays that are not inputs.

The loss of labels is the sum of the losses of all labels of an update that are not
--ignore-index, multiplied by their class weights, divided by the sum of these weights.

OPTIMIZER is a kind and its settings, as in adam,lr=0.01 or
'sgd,lr=0.1,momentum=0.9': see docs/training.md#optimizers.

ipu-train prints a list of the weights that it trains. --train and --trainable select
them, and --freeze excludes some. A PATTERN is a name, which may have the wildcards *, ?
and [...]. Masks, whose values are all 0 or at most -1e4, are only trained if --train or
--trainable has their name without wildcards. The weights that match the PATTERN of
--group have other settings of the optimizer.

--resume continues an interrupted training. The results have the same bits as those of a
training that was not interrupted.

Exit status: 0: the training is complete; 1: the loss, the loss of a validation or a
variable is not a finite number; 2: an argument is wrong, the data do not fit the model,
or a file cannot be read or written; 3: the model cannot be compiled or run; 4: a signal
(SIGINT, SIGTERM) interrupted the training, and --checkpoint saved its state; 5: a signal
interrupted a training without --checkpoint, which cannot be continued. After a signal,
all requested files are written, such as that of --save-weights. A signal before the
first update begins, and a second signal, end the process without writing files.)";

static constexpr LossInfo kLosses[] = {
    {"cross_entropy", Targets::Labels},
    {"nll", Targets::Labels},
    {"nll_of_probabilities", Targets::Labels},
    {"binary_cross_entropy", Targets::Bits, 0.5},
    {"binary_cross_entropy_of_logits", Targets::Bits},
    {"l1", Targets::Values},
    {"l2", Targets::Values},
    {"identity", Targets::Values},
};

namespace {
/// The command line as text. It is parsed into `Options`.
struct CommandLine {
  cl::OptionCategory category{"Options"};
  DeviceFlags device{category};
  MemoryFlags memory{category};
  cl::opt<std::string> data{"data", cl::value_desc("FILE.npz"),
                            cl::desc("Samples for training"),
                            cl::cat(category)};
  cl::opt<std::string> validate{
      "validate", cl::value_desc("FILE.npz"),
      cl::desc("Samples for a validation at the end of each epoch"),
      cl::cat(category)};
  cl::opt<std::string> loss{"loss", cl::value_desc("KIND[=OUTPUT[,TARGET]]"),
                            cl::desc("Loss that is minimized"),
                            cl::cat(category)};
  cl::opt<std::string> ignoreIndex{
      "ignore-index", cl::value_desc("N"),
      cl::desc("Label whose positions do not count for the loss (default "
               "-100)"),
      cl::cat(category)};
  cl::opt<std::string> classWeights{
      "class-weights", cl::value_desc("W,W..."),
      cl::desc("Weight of each class of labels (default: 1 for each class)"),
      cl::cat(category)};
  cl::list<std::string> train{
      "train", cl::value_desc("PATTERN"),
      cl::desc("Train only the weights that match this or another --train"),
      cl::cat(category)};
  cl::list<std::string> freeze{"freeze", cl::value_desc("PATTERN"),
                               cl::desc("Do not train these weights"),
                               cl::cat(category)};
  cl::opt<std::string> trainable{
      "trainable", cl::value_desc("FILE"),
      cl::desc("Train only the weights that the lines of a file name"),
      cl::cat(category)};
  cl::list<std::string> groups{
      "group", cl::value_desc("PATTERN:SETTING=VALUE..."),
      cl::desc("Settings of the optimizer for these weights"),
      cl::cat(category)};
  cl::opt<std::string> optimizer{
      "optimizer", cl::value_desc("KIND,SETTING=VALUE..."),
      cl::desc("Optimizer that updates the weights"), cl::cat(category)};
  cl::opt<std::string> batch{"batch", cl::value_desc("N"),
                             cl::desc("Number of samples for each update, on "
                                      "all replicas and in all parts together"),
                             cl::cat(category)};
  cl::opt<std::string> accumulate{
      "accumulate", cl::value_desc("N"),
      cl::desc("Number of parts into which each replica's share of a batch is "
               "divided; the parts run one after the other (default 1)"),
      cl::cat(category)};
  cl::opt<std::string> epochs{"epochs", cl::value_desc("N"),
                              cl::desc("Number of passes over all samples"),
                              cl::cat(category)};
  cl::opt<std::string> patience{
      "patience", cl::value_desc("N"),
      cl::desc("Stop early, when the validation loss has not fallen below its "
               "lowest value for N epochs"),
      cl::cat(category)};
  cl::opt<std::string> topK{
      "top-k", cl::value_desc("K"),
      cl::desc("Also measure how many labels are among the K classes with the "
               "greatest predictions"),
      cl::cat(category)};
  cl::opt<bool> perplexity{
      "perplexity",
      cl::desc("Also print perplexities, e to the power of the losses"),
      cl::cat(category)};
  cl::opt<std::string> precision{
      "precision", cl::value_desc("f32|f16|mixed"),
      cl::desc("Element types: those of the model (f32, default), or f16 for "
               "matrix products, convolutions and the ops after them, with "
               "weights in f32 (mixed) or f16 (f16); with f16, softmax, gelu "
               "and normalizations also compute in f16"),
      cl::cat(category)};
  cl::opt<std::string> partials{
      "partials", cl::value_desc("f32|f16"),
      cl::desc("Type of the results of blocks of sums of products of f16 "
               "(default f32)"),
      cl::cat(category)};
  cl::opt<bool> stochasticRounding{"stochastic-rounding",
                                   cl::desc("Round f16 results stochastically"),
                                   cl::cat(category)};
  cl::opt<bool> hostReduce{
      "host-reduce",
      cl::desc(
          "Combine the gradients of replicas and update the weights on the "
          "host, which then holds the states of the optimizer"),
      cl::cat(category)};
  cl::opt<std::string> mergeCollectives{
      "merge-collectives", cl::value_desc("BYTES"), cl::ValueOptional,
      cl::desc("Merge the collectives that combine the gradients of replicas, "
               "as far as their operands have at most BYTES bytes together "
               "(default 16777216)"),
      cl::cat(category)};
  cl::opt<std::string> shardState{
      "shard-state", cl::value_desc("optimizer|all"),
      cl::desc("Divide the states of the optimizer, or also weights and "
               "accumulators, over the replicas (as ZeRO-1 and ZeRO-3 do)"),
      cl::cat(category)};
  cl::opt<std::string> recompute{
      "recompute", cl::value_desc("METHOD"),
      cl::desc("Values that the backward pass computes again, so that they are "
               "not kept: those of ops that the model marks (marks), and also "
               "those between kept values with few bytes (standard), those of "
               "normalizations (norm-only), all (all), those of stages "
               "(pipeline), or those with which at most N bytes of tensors are "
               "live (budget=N)"),
      cl::cat(category)};
  cl::opt<std::string> log{"log", cl::value_desc("FILE.csv"),
                           cl::desc("Write a line for each update"),
                           cl::cat(category)};
  cl::opt<std::string> plot{"plot", cl::value_desc("FILE.svg"),
                            cl::desc("Draw the loss after each epoch"),
                            cl::cat(category)};
  cl::opt<std::string> profile{"profile", cl::value_desc("FILE.json"),
                               cl::desc("Write the profile of the last update"),
                               cl::cat(category)};
  cl::opt<std::string> report{
      "report", cl::value_desc("FILE.html"),
      cl::desc("Write the profile of the last update as an HTML page"),
      cl::cat(category)};
  cl::opt<std::string> saveWeights{"save-weights", cl::value_desc("FILE.npz"),
                                   cl::desc("Write the weights at the end"),
                                   cl::cat(category)};
  cl::opt<std::string> saveBest{
      "save-best", cl::value_desc("FILE.npz|FILE.onnx"),
      cl::desc("Write the weights, or the ONNX model with them, after each "
               "epoch whose validation loss is the lowest so far"),
      cl::cat(category)};
  cl::opt<std::string> saveONNX{
      "save-onnx", cl::value_desc("FILE.onnx"),
      cl::desc("Write the ONNX model with its trained weights at the end"),
      cl::cat(category)};
  cl::opt<std::string> initWeights{
      "init-weights", cl::value_desc("FILE.npz"),
      cl::desc("Initial values of weights, instead of those of the model"),
      cl::cat(category)};
  cl::opt<std::string> checkpoint{
      "checkpoint", cl::value_desc("DIR"),
      cl::desc("Save the state of the training in DIR/checkpoint.npz"),
      cl::cat(category)};
  cl::opt<std::string> checkpointEvery{
      "checkpoint-every", cl::value_desc("N"),
      cl::desc("Number of updates between checkpoints (default: one epoch)"),
      cl::cat(category)};
  cl::opt<bool> resume{
      "resume", cl::desc("Continue from the checkpoint, if there is one"),
      cl::cat(category)};
  cl::opt<bool> mustResume{
      "must-resume",
      cl::desc("Continue from the checkpoint, and fail if there is none"),
      cl::cat(category)};
  cl::opt<bool> printPipeline{
      "print-pipeline",
      cl::desc("Print the passes that compile the programs, and exit"),
      cl::cat(category)};
};
} // namespace

static llvm::Error parseLoss(StringRef text, Options &options) {
  StringRef kind, names, output, target;
  std::tie(kind, names) = text.split('=');
  std::tie(output, target) = names.split(',');
  options.lossOutput = output.str();
  options.lossTarget = target.str();
  const auto *found = llvm::find_if(
      kLosses, [&](const LossInfo &info) { return info.name == kind; });
  bool hasNames = text.contains('=');
  if (found == std::end(kLosses) || (hasNames && output.empty()) ||
      (names.contains(',') && target.empty()))
    return makeError(
        "--loss expects KIND[=OUTPUT[,TARGET]] with a KIND of " +
        llvm::join(llvm::map_range(
                       kLosses, [](const LossInfo &info) { return info.name; }),
                   ", ") +
        " but got '" + text + "'");
  // The loss is the output itself, so that there is no target.
  if (found->name == "identity" && !target.empty())
    return makeError("--loss identity expects no TARGET but got '" + target +
                     "'");
  options.loss = found;
  return llvm::Error::success();
}

/// Inserts a decimal point into numbers, because MLIR requires it: `1e-3`
/// becomes `1.0e-3`.
static std::string addPoints(StringRef settings) {
  llvm::Regex number("(^|[^0-9A-Za-z_.])([0-9]+)([eE][-+]?[0-9])");
  std::string text = settings.str();
  while (number.match(text))
    text = number.sub(R"(\1\2.0\3)", text);
  return text;
}

static llvm::Error parseClassWeights(StringRef text,
                                     std::vector<double> &weights) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    double weight = 0;
    bool isWeight = !part.trim().getAsDouble(weight) && weight >= 0 &&
                    weight <= std::numeric_limits<float>::max(); // no NaN
    if (!isWeight)
      return makeError("--class-weights expects numbers of at least 0, with "
                       "commas between them, but got '" +
                       text + "'");
    // The program has the weights in f32. Smaller ones become 0, or have an
    // infinite reciprocal.
    if (weight != 0 && weight < std::numeric_limits<float>::min())
      return makeError("--class-weights expects 0 or numbers of at least "
                       "1.17549435e-38, the least normal f32, but got '" +
                       text + "'");
    weights.push_back(weight);
  }
  if (llvm::all_of(weights, [](double weight) { return weight == 0; }))
    return makeError("--class-weights expects a weight above 0 but got '" +
                     text + "'");
  return llvm::Error::success();
}

static llvm::Error parseLabels(const CommandLine &line, Options &options) {
  if (!options.hasLabels()) {
    for (const cl::Option *option :
         {static_cast<const cl::Option *>(&line.ignoreIndex),
          static_cast<const cl::Option *>(&line.classWeights),
          static_cast<const cl::Option *>(&line.topK),
          static_cast<const cl::Option *>(&line.perplexity)})
      if (option->getNumOccurrences())
        return makeError(
            "--" + option->ArgStr +
            " expects a --loss of labels, which are cross_entropy, "
            "nll and nll_of_probabilities, but got '" +
            options.loss->name + "'");
    return llvm::Error::success();
  }
  // Labels are i32 in the program.
  using Limits = std::numeric_limits<int32_t>;
  llvm::Error error = llvm::Error::success();
  options.printsPerplexity = line.perplexity;
  if (line.topK.getNumOccurrences() &&
      !take(parseNumber("--top-k", line.topK, 2), options.topK, error))
    return error;
  if (line.ignoreIndex.getNumOccurrences() &&
      !take(parseNumber("--ignore-index", line.ignoreIndex, Limits::min(),
                        Limits::max()),
            options.labels.ignoreIndex, error))
    return error;
  if (line.classWeights.getNumOccurrences())
    return parseClassWeights(line.classWeights, options.labels.classes);
  return error;
}

static llvm::Error parseSelection(const CommandLine &line,
                                  SelectionOptions &selection) {
  selection.train.assign(line.train.begin(), line.train.end());
  selection.freeze.assign(line.freeze.begin(), line.freeze.end());
  selection.trainable = line.trainable;
  for (const std::string &text : line.groups) {
    // A pattern may have colons, as in `onnx::MatMul_7`; settings have none.
    auto [pattern, settings] = StringRef(text).rsplit(':');
    if (pattern.empty() || settings.empty())
      return makeError("--group expects PATTERN:SETTING=VALUE... but got '" +
                       text + "'");
    selection.groups.push_back({pattern.str(), addPoints(settings)});
  }
  return llvm::Error::success();
}

/// Returns the passes for `text`, the value of --recompute.
static llvm::Expected<std::string> parseRecompute(StringRef text) {
  std::string options;
  if (StringRef bytes = text; bytes.consume_front("budget=")) {
    llvm::Expected<int64_t> budget =
        parseNumber("--recompute budget", bytes, 1);
    if (!budget)
      return budget.takeError();
    options = "method=budget budget=" + std::to_string(*budget);
  } else if (llvm::is_contained({"standard", "norm-only", "all", "pipeline"},
                                text)) {
    options = "method=" + text.str();
  } else if (text == "marks") {
    return "pop-recompute";
  } else {
    return makeError("--recompute expects marks, standard, norm-only, all, "
                     "pipeline or budget=N but got '" +
                     text + "'");
  }
  return "pop-annotate-recompute{" + options + "},pop-recompute";
}

/// Of several occurrences, the last one would win without a word.
static llvm::Error checkOccurrences() {
  const cl::Option *found = nullptr;
  for (const auto &entry : cl::getRegisteredOptions()) {
    const cl::Option *option = entry.second;
    if (option->getNumOccurrencesFlag() == cl::Optional &&
        option->getNumOccurrences() > 1 &&
        (!found || option->ArgStr < found->ArgStr))
      found = option;
  }
  if (!found)
    return llvm::Error::success();
  return makeError("--" + found->ArgStr + " occurs " +
                   Twine(found->getNumOccurrences()) +
                   " times; expects one occurrence");
}

static llvm::Error checkNeeded(const CommandLine &line) {
  SmallVector<const cl::opt<std::string> *> needed = {
      &line.loss, &line.optimizer, &line.batch};
  if (!line.printPipeline)
    needed.append({&line.data, &line.epochs});
  for (const auto *option : needed)
    if (!option->getNumOccurrences())
      return makeError("expects --" + option->ArgStr + " " + option->ValueStr +
                       "; see ipu-train --help");
  for (const auto *option : {&line.optimizer, &line.checkpoint, &line.trainable,
                             &line.saveBest, &line.saveONNX})
    if (llvm::Error error = checkNotEmpty(*option))
      return error;
  for (const auto *option :
       {&line.log, &line.plot, &line.profile, &line.report})
    if (llvm::Error error = checkFileName(*option))
      return error;
  if (line.checkpoint.getNumOccurrences())
    return llvm::Error::success();
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&line.resume),
        static_cast<const cl::Option *>(&line.mustResume),
        static_cast<const cl::Option *>(&line.checkpointEvery)})
    if (option->getNumOccurrences())
      return makeError("--" + option->ArgStr + " expects --checkpoint DIR");
  return llvm::Error::success();
}

/// Checks options that are about the loss of validations.
static llvm::Error checkValidation(const CommandLine &line) {
  if (line.validate.getNumOccurrences())
    return llvm::Error::success();
  for (const auto *option : {&line.patience, &line.saveBest})
    if (option->getNumOccurrences())
      return makeError("--" + option->ArgStr + " expects --validate " +
                       line.validate.ValueStr);
  return llvm::Error::success();
}

/// Parses the files to which the model is written, with its weights.
static llvm::Error parseModelFiles(const CommandLine &line, Options &options) {
  auto check = [&](const cl::opt<std::string> &option,
                   bool isNpz) -> llvm::Error {
    if (!option.getNumOccurrences() || isNpz)
      return llvm::Error::success();
    std::string name = ("--" + option.ArgStr).str();
    if (!StringRef(option).ends_with(".onnx"))
      return makeError(name + " expects " + option.ValueStr + " but got '" +
                       option + "'");
    if (!isONNXFile(line.device.model))
      return makeError(name + " " + option +
                       " expects an ONNX model but got '" + line.device.model +
                       "'");
    return llvm::Error::success();
  };
  if (llvm::Error error = check(line.saveONNX, /*isNpz=*/false))
    return error;
  options.saveONNX = line.saveONNX;
  options.saveBest = line.saveBest;
  return check(line.saveBest, StringRef(line.saveBest).ends_with(".npz"));
}

static llvm::Error parseFiles(const CommandLine &line, Options &options) {
  llvm::Error error = llvm::Error::success();
  auto parse = [&](const cl::opt<std::string> &option, std::string &result) {
    return !option.getNumOccurrences() ||
           take(parseNpzFile(("--" + option.ArgStr).str(), option), result,
                error);
  };
  if (!parse(line.data, options.data) ||
      !parse(line.validate, options.validationData) ||
      !parse(line.saveWeights, options.saveWeights) ||
      !parse(line.initWeights, options.initWeights))
    return error;
  options.log = line.log;
  options.plot = line.plot;
  options.profile = line.profile;
  options.report = line.report;
  options.checkpoint = line.checkpoint;
  return error;
}

int64_t Options::getReplicas() const {
  int64_t replicas = 1;
  if (target)
    for (const auto &[key, value] : target->overrides)
      if (key == "replicas")
        replicas = value;
  return replicas;
}

/// Checks that the batch can be divided into parts of equal size, with the same
/// number of parts on each replica.
static llvm::Error setParts(Options &options) {
  int64_t replicas = options.getReplicas();
  std::optional<int64_t> parts = llvm::checkedMul(options.accumulate, replicas);
  if (parts && options.updateBatch % *parts == 0) {
    options.batch = options.updateBatch / *parts;
    return llvm::Error::success();
  }
  std::string product =
      parts ? std::to_string(*parts)
            : llvm::formatv("{0} * {1}", options.accumulate, replicas).str();
  return makeError("--batch expects a multiple of " + product +
                   ", the parts of a batch on all replicas, but got " +
                   Twine(options.updateBatch));
}

/// Parses the flags that divide variables over replicas, or move them.
static llvm::Error parseVariableFlags(const CommandLine &line,
                                      Options &options) {
  bool isSharded = line.shardState.getNumOccurrences();
  if (line.hostReduce && (isSharded || line.memory.offChip.getNumOccurrences()))
    return makeError((isSharded ? "--shard-state" : "--off-chip") +
                     StringRef(" cannot be combined with --host-reduce, with "
                               "which the host holds the states"));
  if (!isSharded)
    return llvm::Error::success();
  if (options.getReplicas() == 1)
    return makeError("--shard-state needs several replicas; use --replicas");
  std::vector<std::string> &variables = options.memory.shardedVariables;
  if (line.shardState == "optimizer")
    variables = {"optimizer"};
  else if (line.shardState == "all")
    variables = {"weights", "optimizer", "accumulators"};
  else
    return makeError("--shard-state expects optimizer or all but got '" +
                     line.shardState + "'");
  return llvm::Error::success();
}

static llvm::Error parseMergedBytes(const CommandLine &line, Options &options) {
  if (!line.mergeCollectives.getNumOccurrences())
    return llvm::Error::success();
  if (line.hostReduce)
    return makeError("--merge-collectives cannot be combined with "
                     "--host-reduce, with which the host combines gradients");
  options.mergedBytes = pop::kDefaultMergedBytes;
  if (line.mergeCollectives.empty())
    return llvm::Error::success();
  llvm::Expected<int64_t> bytes =
      parseNumber("--merge-collectives", line.mergeCollectives, 1);
  if (!bytes)
    return bytes.takeError();
  options.mergedBytes = *bytes;
  return llvm::Error::success();
}

/// Checks that an update has micro-batches if they overlap.
static llvm::Error checkMicroBatches(const Options &options) {
  if (options.accumulate > 1)
    return llvm::Error::success();
  if (options.schedule)
    return makeError("--pipeline needs --accumulate, the number of "
                     "micro-batches of an update, which is at least the number "
                     "of stages");
  if (options.overlapsIO)
    return makeError("--overlap-io needs --accumulate, the number of "
                     "micro-batches of an update, which is at least 2");
  return llvm::Error::success();
}

static llvm::Error parseOptions(const CommandLine &line, Options &options) {
  if (llvm::Error error = checkOccurrences())
    return error;
  if (llvm::Error error = checkNeeded(line))
    return error;
  if (llvm::Error error = line.device.parse(options, options))
    return error;
  if (llvm::Error error = line.memory.parse(options.memory))
    return error;
  if (llvm::Error error = parseFiles(line, options))
    return error;
  if (llvm::Error error = checkValidation(line))
    return error;
  if (llvm::Error error = parseModelFiles(line, options))
    return error;
  if (llvm::Error error = parseLoss(line.loss, options))
    return error;
  if (llvm::Error error = parseLabels(line, options))
    return error;
  if (llvm::Error error = parseMergedBytes(line, options))
    return error;
  if (llvm::Error error = parseVariableFlags(line, options))
    return error;
  if (llvm::Error error = parseSelection(line, options.selection))
    return error;
  options.optimizer = kOptimizerPrefix.str() + addPoints(line.optimizer) +
                      kOptimizerSuffix.str();
  llvm::Error error = llvm::Error::success();
  auto parse = [&](const cl::opt<std::string> &option, int64_t &result) {
    return !option.getNumOccurrences() ||
           take(parseNumber(("--" + option.ArgStr).str(), option, 1), result,
                error);
  };
  if (!parse(line.batch, options.updateBatch) ||
      !parse(line.accumulate, options.accumulate) ||
      !parse(line.epochs, options.epochs) ||
      !parse(line.patience, options.patience) ||
      !parse(line.checkpointEvery, options.checkpointEvery))
    return error;
  if (line.precision.getNumOccurrences() &&
      !take(parsePrecision(line.precision), options.precision, error))
    return error;
  if (line.partials.getNumOccurrences() &&
      !take(parsePartials(line.partials), options.partials, error))
    return error;
  if (line.recompute.getNumOccurrences() &&
      !take(parseRecompute(line.recompute), options.recomputePasses, error))
    return error;
  options.computesInF16 = options.precision == Precision::F16;
  options.stochasticRounding = line.stochasticRounding;
  options.hostReduce = line.hostReduce;
  options.resume = line.resume || line.mustResume;
  options.mustResume = line.mustResume;
  options.printPipeline = line.printPipeline;
  if (isONNXFile(options.model))
    options.parameters = onnx::ParameterKind::Variables;
  if (llvm::Error problem = checkMicroBatches(options))
    return problem;
  return llvm::joinErrors(std::move(error), setParts(options));
}

FailureOr<Options> train::readCommandLine(int argc, char **argv) {
  removeForeignOptions();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs()))
    return failure();
  Options options;
  options.args = getCommand(argc, argv);
  if (line.device.model.empty()) {
    report(Status::BadUsage, "expects a MODEL; see ipu-train --help");
    return failure();
  }
  if (llvm::Error error = parseOptions(line, options)) {
    report(Status::BadUsage, std::move(error));
    return failure();
  }
  return options;
}
