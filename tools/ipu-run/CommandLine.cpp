//===- CommandLine.cpp - Flags of ipu-run ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Tools/DeviceFlags.h"
#include "ipu-mlir/Tools/MemoryFlags.h"
#include "ipu-mlir/Tools/Precision.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include <array>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;
namespace cl = llvm::cl;

static constexpr StringLiteral kOverview =
    R"(Compiles a model, runs it on the simulated device, and prints its outputs

MODEL is an ONNX model (.onnx, .onnxtxt) or MLIR (.mlir, .mlirbc, - for standard
input). MLIR contains a pop function @main, or the function of --entry, or an ipu
program. An ipu program runs as it is; with --target, --replicas or --cost, its cycles
are estimated again.

VALUE of an --input is a FILE.npy, a FILE.pb (ONNX TensorProto), zeros, ones, ramp
(element i of n is i / n, or i for integers) or random:SEED (floats in [-1, 1), signed
integers in [-8, 8), unsigned integers in [0, 16)). NAME * stands for every input that
no other --input names, except random_seed and inputs with a default value. A NAME may contain =, as in
a=b=ones. Before a FILE, the NAME ends at the = that an existing file name follows.

With --runs, all runs get the same inputs, and variables keep their values from one run
to the next. Outputs, expectations and the profile are those of the last run. Random ops
draw other numbers in each run and on each replica. Without --input random_seed=VALUE,
their seeds are derived from --seed.

Weights are the variables of the program, by name, as the host reads them. A variable
that is not in the file of --load-weights keeps its initial value. --save-weights writes
all variables after the last run if this run succeeds and all --expect hold. Otherwise,
or if the file cannot be written, the old file stays.

--rtol and --atol apply to the --expect before them. If they come before the first
--expect, they apply to each --expect without tolerances of its own. A value x matches
an expected value e if |x - e| <= atol + rtol |e|.

Exit status: 0: the program ran and all --expect hold; 1: an --expect does not hold;
2: an argument is wrong, or a file cannot be read or written; 3: the model cannot be
compiled or run.)";

namespace {
/// The command line as text. It is parsed into `Options`.
struct CommandLine {
  cl::OptionCategory category{"Options"};
  DeviceFlags device{category};
  MemoryFlags memory{category};
  cl::opt<std::string> entry{
      "entry", cl::value_desc("NAME"),
      cl::desc("Function that becomes the program (default main)"),
      cl::init("main"), cl::cat(category)};
  cl::list<std::string> inputs{"input", cl::value_desc("NAME=VALUE"),
                               cl::desc("Value of an input"),
                               cl::cat(category)};
  cl::opt<std::string> parameters{
      "parameters", cl::value_desc("constants|arguments|variables"),
      cl::desc("Import an ONNX model's weights as constants (default), inputs "
               "with default values, or variables"),
      cl::cat(category)};
  cl::opt<std::string> gradients{
      "gradients", cl::value_desc("OUT=IN,..."),
      cl::desc("Compute the gradients of the sum of an output's elements with "
               "respect to inputs and variables, as outputs Gradient___IN"),
      cl::cat(category)};
  cl::list<std::string> expects{
      "expect", cl::value_desc("NAME=FILE"),
      cl::desc("Expected value of an output: .npy, .pb"), cl::cat(category)};
  cl::list<std::string> rtols{"rtol", cl::value_desc("R"),
                              cl::desc("Relative tolerance (default 1e-5)"),
                              cl::cat(category)};
  cl::list<std::string> atols{"atol", cl::value_desc("A"),
                              cl::desc("Absolute tolerance (default 1e-8)"),
                              cl::cat(category)};
  cl::opt<std::string> runs{
      "runs", cl::value_desc("N"),
      cl::desc("Run the program N times on one device (default 1)"),
      cl::cat(category)};
  cl::opt<std::string> loadWeights{
      "load-weights", cl::value_desc("FILE.npz"),
      cl::desc("Set the values of variables before the first run"),
      cl::cat(category)};
  cl::opt<std::string> saveWeights{
      "save-weights", cl::value_desc("FILE.npz"),
      cl::desc("Write the values of all variables after the last run"),
      cl::cat(category)};
  cl::opt<std::string> outputDir{
      "output-dir", cl::value_desc("DIR"),
      cl::desc("Write outputs to DIR/NAME.npy instead of printing them"),
      cl::cat(category)};
  cl::opt<std::string> engine{
      "engine", cl::value_desc("jit|interp|none"),
      cl::desc("Engine that executes codelets (default jit)"), cl::init("jit"),
      cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc("Keep the memory of each tile separate, and fail on errors that "
               "would corrupt a run on a device; selects --engine interp"),
      cl::cat(category)};
  cl::opt<bool> checkReplicaEqual{
      "check-replica-equal",
      cl::desc(
          "Store the values of each replica separately, and fail if values "
          "that an op writes are not equal on the replicas of its annotation"),
      cl::cat(category)};
  cl::opt<std::string> replicaEqualReport{
      "replica-equal-report", cl::value_desc("FILE.json"),
      cl::desc("Write a list of annotated values: with --check-replica-equal, "
               "the values that were equal; otherwise the values that were "
               "stored only once"),
      cl::cat(category)};
  cl::opt<bool> compareEngines{
      "compare-engines",
      cl::desc("Also run the other engine, and compare all outputs and "
               "variables bit by bit"),
      cl::cat(category)};
  cl::opt<bool> compareF32{
      "compare-f32",
      cl::desc("Also run the program with --precision f32 and --partials f32, "
               "and print the greatest error of each output"),
      cl::cat(category)};
  cl::opt<std::string> cost{"cost", cl::value_desc("fast|detailed"),
                            cl::desc("Estimate of cycles (default fast)"),
                            cl::init("fast"), cl::cat(category)};
  cl::opt<std::string> accumulation{
      "accumulation", cl::value_desc("blocked|chain"),
      cl::desc("Accumulation order of sums that do not have one: blocks for "
               "long sums with few results, so that tiles share each sum "
               "(default), or one chain for each result"),
      cl::init("blocked"), cl::cat(category)};
  cl::opt<std::string> partials{
      "partials", cl::value_desc("f32|f16"),
      cl::desc("Type of the results of blocks of sums of products of f16 "
               "(default f32)"),
      cl::init("f32"), cl::cat(category)};
  cl::opt<std::string> precision{
      "precision", cl::value_desc("f32|f16|mixed"),
      cl::desc("Element types: those of the model (f32, default), or f16 for "
               "matrix products, convolutions and elementwise ops after them "
               "(mixed), and also for softmax, gelu and normalizations (f16)"),
      cl::init("f32"), cl::cat(category)};
  cl::opt<bool> foldBatchNorm{
      "fold-batch-norm",
      cl::desc("Multiply the weights of convolutions by the factors of the "
               "batch normalizations after them, which are then only sums; "
               "weights must be constants"),
      cl::cat(category)};
  cl::opt<std::string> microBatches{
      "micro-batches", cl::value_desc("N"),
      cl::desc("Number of inputs that a run processes one after the other, or "
               "with --pipeline at the same time; inputs and outputs have a "
               "further first dimension of this size"),
      cl::cat(category)};
  cl::opt<std::string> planner{
      "planner", cl::value_desc("program|generic"),
      cl::desc("Choice of tile mappings: together for the whole program "
               "(default), or row-major for each tensor"),
      cl::init("program"), cl::cat(category)};
  cl::opt<bool> copyConstants{
      "copy-constants",
      cl::desc("Copy constants to all tiles that read them, if the memory "
               "allows it (default true)"),
      cl::init(true), cl::cat(category)};
  cl::opt<std::string> availableMemoryProportion{
      "available-memory-proportion", cl::value_desc("P"),
      cl::desc("Share of a tile's memory for operands and results of an op, 0 "
               "to 1 (default 0.6)"),
      cl::cat(category)};
  cl::opt<std::string> stochasticRounding{
      "stochastic-rounding", cl::value_desc("counter|stream"),
      cl::desc("Round f16 and f8 results stochastically, with random bits of "
               "this generator"),
      cl::cat(category)};
  cl::opt<std::string> remarks{
      "remarks", cl::value_desc("REGEX"),
      cl::desc("Print remarks of passes in matching categories, such as "
               "pop-code, ipu-plan, ipu-memory or ipu-fuse"),
      cl::cat(category)};
  cl::opt<bool> noMemoryAdvice{
      "no-memory-advice",
      cl::desc("If a program does not fit, do not search for options with "
               "which it fits; the search compiles the program up to 27 times"),
      cl::cat(category)};
  cl::opt<std::string> memoryAdviceSeconds{
      "memory-advice-seconds", cl::value_desc("N"),
      cl::desc(
          "CPU time for the compilation and this search; the search may in "
          "any case take a tenth of the compilation (default: 10)"),
      cl::cat(category)};
  cl::opt<std::string> passes{
      "pass-pipeline", cl::value_desc("PASSES"),
      cl::desc("Passes to run instead of all default passes: "
               "pop-choose-accumulation, pop-number-draws, pop-random-setup "
               "and pop-to-ipu-pipeline"),
      cl::cat(category)};
  cl::opt<std::string> emit{"emit", cl::value_desc("pop|ipu"),
                            cl::desc("Print the model after the import, with "
                                     "accumulation orders and numbers of draws "
                                     "(pop), or after lowering (ipu), and "
                                     "exit"),
                            cl::cat(category)};
  cl::opt<std::string> profile{"profile", cl::value_desc("FILE.json"),
                               cl::desc("Write the profile of the run"),
                               cl::cat(category)};
  cl::opt<std::string> trace{
      "trace", cl::value_desc("FILE.json"),
      cl::desc("Write a timeline for Perfetto and other viewers of Chrome's "
               "trace events; FILE.json.gz is compressed"),
      cl::cat(category)};
  cl::opt<std::string> report{
      "report", cl::value_desc("FILE.html"),
      cl::desc("Write the profile as an HTML page, which needs no network"),
      cl::cat(category)};
  cl::list<std::string> reportCompare{
      "report-compare", cl::value_desc("A.json B.json"),
      cl::desc("Run nothing, and write a --report that compares profile B with "
               "profile A"),
      cl::multi_val(2), cl::cat(category)};
  cl::opt<bool> summary{"summary", cl::desc("Print a summary of the profile"),
                        cl::cat(category)};
};
} // namespace

static std::vector<PositionedOption>
getPositioned(const cl::list<std::string> &list) {
  std::vector<PositionedOption> result;
  for (auto [index, value] : llvm::enumerate(list))
    result.push_back({list.getPosition(index), value});
  return result;
}

/// Fails if --emit, with which nothing runs, is combined with options of runs.
static llvm::Error checkEmit(const CommandLine &line) {
  if (!line.emit.getNumOccurrences())
    return llvm::Error::success();
  const std::pair<StringRef, int> others[] = {
      {"expect", line.expects.getNumOccurrences()},
      {"check", line.check.getNumOccurrences()},
      {"check-replica-equal", line.checkReplicaEqual.getNumOccurrences()},
      {"replica-equal-report", line.replicaEqualReport.getNumOccurrences()},
      {"compare-engines", line.compareEngines.getNumOccurrences()},
      {"compare-f32", line.compareF32.getNumOccurrences()},
      {"runs", line.runs.getNumOccurrences()},
      {"load-weights", line.loadWeights.getNumOccurrences()},
      {"save-weights", line.saveWeights.getNumOccurrences()},
      {"seed", line.device.seed.getNumOccurrences()},
      {"output-dir", line.outputDir.getNumOccurrences()},
      {"profile", line.profile.getNumOccurrences()},
      {"trace", line.trace.getNumOccurrences()},
      {"report", line.report.getNumOccurrences()},
      {"summary", line.summary.getNumOccurrences()}};
  for (auto [name, count] : others)
    if (count)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "--emit runs nothing: it cannot be combined with --" + name);
  if (line.emit == "pop" && line.gradients.getNumOccurrences())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--emit pop prints the model before "
                                   "gradients are added: it cannot be "
                                   "combined with --gradients");
  return llvm::Error::success();
}

/// Fails if `--engine none`, which computes no values, is combined with options
/// about values.
static llvm::Error checkNoEngine(const CommandLine &line) {
  if (line.engine != "none")
    return llvm::Error::success();
  const std::pair<StringRef, int> others[] = {
      {"input", line.inputs.getNumOccurrences()},
      {"expect", line.expects.getNumOccurrences()},
      {"output-dir", line.outputDir.getNumOccurrences()},
      {"runs", line.runs.getNumOccurrences()},
      {"load-weights", line.loadWeights.getNumOccurrences()},
      {"save-weights", line.saveWeights.getNumOccurrences()},
      {"seed", line.device.seed.getNumOccurrences()},
      {"check", line.check.getNumOccurrences()},
      {"check-replica-equal", line.checkReplicaEqual.getNumOccurrences()},
      {"replica-equal-report", line.replicaEqualReport.getNumOccurrences()},
      {"compare-engines", line.compareEngines.getNumOccurrences()},
      {"compare-f32", line.compareF32.getNumOccurrences()}};
  for (auto [name, count] : others)
    if (count)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "--engine none computes no values: it cannot be combined with --" +
              name +
              "; leave out that option to estimate the cost, or leave out "
              "--engine none to compute values");
  return llvm::Error::success();
}

/// Returns the options that only affect the lowering, each with the pass that
/// has this option.
static std::array<std::pair<const cl::Option *, StringRef>, 18>
getLoweringOptions(const CommandLine &line) {
  return {{{&line.accumulation, "pop-choose-accumulation"},
           {&line.partials, "pop-choose-accumulation"},
           {&line.precision, "pop-narrow-floats"},
           {&line.foldBatchNorm, "pop-fold-batch-norm"},
           {&line.memory.batchSerialize, "pop-batch-serialize"},
           {&line.memory.serializeMatmuls, "pop-serialize-matmuls"},
           {&line.memory.offChip, "pop-remote-setup"},
           {&line.memory.phases, "pop-streaming-memory"},
           {&line.memory.outline, "pop-outline"},
           {&line.memory.schedule, "pop-schedule"},
           {&line.planner, "pop-map-tensors"},
           {&line.availableMemoryProportion, "pop-map-tensors"},
           {&line.copyConstants, "pop-map-tensors"},
           {&line.stochasticRounding, "pop-number-draws"},
           {&line.device.placement, "pop-auto-vgraph"},
           {&line.device.pipeline, "pop-pipeline"},
           {&line.device.overlapIO, "pop-overlap-io"},
           {&line.microBatches, "pop-main-loops"}}};
}

/// Fails if --pass-pipeline is combined with options of the default pipeline.
static llvm::Error checkCost(const CommandLine &line) {
  if (line.gradients.getNumOccurrences() && line.passes.getNumOccurrences())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--gradients is an option of the default "
                                   "pipeline: with --pass-pipeline, "
                                   "use pop-autodiff");
  if (line.cost.getNumOccurrences() && line.passes.getNumOccurrences())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--cost is an option of the default "
                                   "pipeline: with --pass-pipeline, give "
                                   "ipu-estimate-cost its level");
  for (auto [option, pass] : getLoweringOptions(line))
    if (option->getNumOccurrences() && line.passes.getNumOccurrences())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "--" + option->ArgStr.str() +
              " is an option of the default pipeline: with --pass-pipeline, "
              "give it "
              "to " +
              pass);
  return llvm::Error::success();
}

/// Checks that the options of micro-batches fit each other.
static llvm::Error checkMicroBatches(const CommandLine &line) {
  bool isSet = line.microBatches.getNumOccurrences();
  if (line.device.pipeline.getNumOccurrences() && !isSet)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--pipeline needs --micro-batches, the number of inputs of a run");
  if (isSet && line.gradients.getNumOccurrences())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--micro-batches cannot be combined with --gradients; ipu-train trains "
        "a model in a pipeline");
  return llvm::Error::success();
}

/// Checks options whose values are texts, and combinations of options.
static llvm::Error checkOptions(const CommandLine &line) {
  for (const auto *option : {&line.entry, &line.outputDir, &line.passes})
    if (llvm::Error error = checkNotEmpty(*option))
      return error;
  for (const auto *option :
       {&line.profile, &line.trace, &line.report, &line.replicaEqualReport})
    if (llvm::Error error = checkFileName(*option))
      return error;
  for (auto *check : {checkEmit, checkNoEngine, checkCost, checkMicroBatches})
    if (llvm::Error error = check(line))
      return error;
  return llvm::Error::success();
}

/// Parses the options about the values and the number of runs.
static llvm::Error parseRuns(const CommandLine &line, Options &options) {
  llvm::Error error = llvm::Error::success();
  if (line.runs.getNumOccurrences() &&
      !take(parseNumber("--runs", line.runs, 1), options.runs, error))
    return error;
  if (line.loadWeights.getNumOccurrences() &&
      !take(parseNpzFile("--load-weights", line.loadWeights),
            options.loadWeights, error))
    return error;
  if (line.saveWeights.getNumOccurrences() &&
      !take(parseNpzFile("--save-weights", line.saveWeights),
            options.saveWeights, error))
    return error;
  options.outputDir = line.outputDir;
  return error;
}

static llvm::Error parseGradients(const CommandLine &line,
                                  CompileOptions &options) {
  if (line.gradients.getNumOccurrences() > 1)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--gradients occurs " +
            std::to_string(line.gradients.getNumOccurrences()) +
            " times; expects one occurrence, with one output");
  if (line.gradients.getNumOccurrences())
    return run::parseGradients(line.gradients, options);
  return llvm::Error::success();
}

/// Parses the options that determine the passes, but not their values that
/// parseKinds() parses.
static llvm::Error parseCompilation(const CommandLine &line, Options &options) {
  CompileOptions &compilation = options.compilation;
  llvm::Error error = llvm::Error::success();
  compilation.entry = line.entry;
  // The costs of a lowered program are for another target or another level.
  compilation.estimatesAgain = options.target || line.cost.getNumOccurrences();
  for (auto [option, pass] : getLoweringOptions(line))
    if (option->getNumOccurrences())
      options.givenLowering = "--" + option->ArgStr.str();
  compilation.allowOutOfMemory = options.allowOutOfMemory;
  compilation.advisesOnMemory = !line.noMemoryAdvice;
  constexpr int64_t kSecondsOfDay = 86400;
  int64_t seconds = kMemoryTrialSeconds;
  if (line.memoryAdviceSeconds.getNumOccurrences() &&
      !take(parseNumber("--memory-advice-seconds", line.memoryAdviceSeconds, 0,
                        kSecondsOfDay),
            seconds, error))
    return error;
  compilation.adviceSeconds = static_cast<double>(seconds);
  compilation.copyConstants = line.copyConstants;
  compilation.foldsBatchNorm = line.foldBatchNorm;
  if (line.microBatches.getNumOccurrences() &&
      !take(parseNumber("--micro-batches", line.microBatches, 1,
                        std::numeric_limits<int32_t>::max()),
            compilation.microBatches, error))
    return error;
  compilation.schedule = options.schedule;
  compilation.overlapsIO = options.overlapsIO;
  if (options.overlapsIO && compilation.microBatches.value_or(1) < 2)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--overlap-io needs --micro-batches, the number of inputs of a run, "
        "which is at least 2");
  compilation.pipeline = line.passes;
  return llvm::joinErrors(std::move(error),
                          line.memory.parse(compilation.memory));
}

static llvm::Error parseReports(const CommandLine &line, Options &options) {
  llvm::Error error = llvm::Error::success();
  options.check = line.check;
  options.checkReplicaEqual = line.checkReplicaEqual;
  options.replicaEqualReport = line.replicaEqualReport;
  options.compareEngines = line.compareEngines;
  options.profile = line.profile;
  options.report = line.report;
  if (line.trace.getNumOccurrences() &&
      !take(parseTraceFile(line.trace), options.trace, error))
    return error;
  if (std::string problem;
      !line.remarks.empty() && !llvm::Regex(line.remarks).isValid(problem))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--remarks: expects a regular expression "
                                   "but got '" +
                                       line.remarks + "': " + problem);
  options.remarks = line.remarks;
  options.summary = line.summary;
  return error;
}

static llvm::Error parseInputs(const CommandLine &line, Options &options) {
  llvm::Error error = llvm::Error::success();
  for (StringRef text : line.inputs) {
    InputSpec spec;
    if (!take(parseInputSpec(text), spec, error))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--input " +
                                         llvm::toString(std::move(error)));
    options.inputs.push_back(std::move(spec));
  }
  take(parseExpectations(getPositioned(line.expects), getPositioned(line.rtols),
                         getPositioned(line.atols)),
       options.expectations, error);
  return error;
}

/// Parses the options that choose one of several kinds, and proportions.
static llvm::Error parseKinds(const CommandLine &line, Options &options) {
  CompileOptions &compilation = options.compilation;
  llvm::Error error = llvm::Error::success();
  if (!take(parseEngine(line.engine), options.engine, error) ||
      !take(parseCostLevel(line.cost), compilation.costLevel, error) ||
      !take(parseAccumulation(line.accumulation), compilation.accumulation,
            error) ||
      !take(parsePartials(line.partials), compilation.partials, error) ||
      !take(parsePrecision(line.precision), compilation.precision, error) ||
      !take(parsePlanner(line.planner), compilation.planner, error))
    return error;
  options.computesInF16 = compilation.precision == Precision::F16;
  options.compareF32 = line.compareF32;
  if (options.compareF32 && compilation.precision == Precision::F32 &&
      compilation.partials == pop::PartialsKind::F32)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "--compare-f32 expects --precision f16, --precision mixed or "
        "--partials f16");
  if (line.parameters.getNumOccurrences() &&
      !take(parseParameterKind(line.parameters), options.parameters.emplace(),
            error))
    return error;
  // Only variables have rows in streaming memory.
  if (!options.parameters && line.memory.offChip.getNumOccurrences() &&
      isONNXFile(options.model))
    options.parameters = onnx::ParameterKind::Variables;
  if (line.stochasticRounding.getNumOccurrences() &&
      !take(parseRngGenerator(line.stochasticRounding),
            compilation.stochasticRounding, error))
    return error;
  if (line.availableMemoryProportion.getNumOccurrences() &&
      !take(parseProportion(line.availableMemoryProportion),
            compilation.availableMemoryProportion, error))
    return error;
  if (options.check && !line.engine.getNumOccurrences())
    options.engine = EngineKind::Interp;
  if (options.check && options.engine != EngineKind::Interp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "--check expects --engine interp but got '" +
                                       line.engine + "'");
  if (line.emit.getNumOccurrences())
    take(parseEmitLevel(line.emit), options.emit, error);
  return error;
}

static llvm::Error parseOptions(const CommandLine &line, Options &options) {
  if (llvm::Error error = checkOptions(line))
    return error;
  if (llvm::Error error = line.device.parse(options, options))
    return error;
  if (llvm::Error error = parseRuns(line, options))
    return error;
  if (llvm::Error error = parseGradients(line, options.compilation))
    return error;
  for (auto *parse : {parseCompilation, parseReports, parseInputs, parseKinds})
    if (llvm::Error error = parse(line, options))
      return error;
  return llvm::Error::success();
}

/// Returns the first option, in alphabetical order, that is given and has no
/// effect with --report-compare, or an empty string.
static StringRef findUnusedByComparison() {
  StringRef unused;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() && name != "report" &&
        name != "report-compare" && (unused.empty() || name < unused))
      unused = name;
  return unused;
}

/// Nothing runs with --report-compare.
static llvm::Error parseComparison(const CommandLine &line, Options &options) {
  if (llvm::Error error = checkFileName(line.report))
    return error;
  if (!line.device.model.empty())
    return makeError(
        "--report-compare runs nothing: it cannot be combined with MODEL "
        "'" +
        line.device.model + "'");
  if (StringRef unused = findUnusedByComparison(); !unused.empty())
    return makeError("--report-compare cannot be combined with --" + unused);
  if (line.reportCompare.size() > 2)
    return makeError("--report-compare is given twice");
  if (!line.report.getNumOccurrences())
    return makeError("--report-compare needs a --report to write");
  options.report = line.report;
  options.compared.assign(line.reportCompare.begin(), line.reportCompare.end());
  return llvm::Error::success();
}

FailureOr<Options> mlir::ipu::run::readCommandLine(int argc, char **argv) {
  removeForeignOptions();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs()))
    return failure();
  Options options;
  options.args = getCommand(argc, argv);
  if (!line.reportCompare.empty()) {
    if (llvm::Error error = parseComparison(line, options)) {
      report(Status::BadUsage, std::move(error));
      return failure();
    }
    return options;
  }
  if (line.device.model.empty()) {
    report(Status::BadUsage, "expects a MODEL; see ipu-run --help");
    return failure();
  }
  if (llvm::Error error = parseOptions(line, options)) {
    report(Status::BadUsage, std::move(error));
    return failure();
  }
  return options;
}
