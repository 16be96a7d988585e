//===- Options.cpp - What ipu-run was asked to do -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Progress.h"
#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/WithColor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Status run::report(Status status, const Twine &message) {
  Progress::get().clear();
  llvm::WithColor::error(llvm::errs(), "ipu-run") << message << '\n';
  return status;
}

Status run::report(Status status, llvm::Error error) {
  return report(status, llvm::toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

/// Gives each tolerance of one kind to its expectation.
static llvm::Error setTolerances(ArrayRef<PositionedOption> expects,
                                 ArrayRef<PositionedOption> tolerances,
                                 StringRef option, double Tolerance::*member,
                                 std::vector<Expectation> &result) {
  std::vector<bool> isSet(expects.size(), false);
  std::optional<double> common;
  for (const PositionedOption &tolerance : tolerances) {
    double value = 0;
    if (!llvm::to_float(tolerance.value, value) || !std::isfinite(value) ||
        value < 0)
      return makeError(option +
                       " expects a finite number that is not "
                       "negative but got '" +
                       tolerance.value + "'");
    if (expects.empty())
      return makeError(option + " needs an --expect");
    const PositionedOption *after =
        llvm::partition_point(expects, [&](const PositionedOption &expect) {
          return expect.position < tolerance.position;
        });
    if (after == expects.begin()) {
      if (common)
        return makeError(option + " is given twice for all --expect");
      common = value;
      continue;
    }
    size_t index = after - expects.begin() - 1;
    if (isSet[index])
      return makeError(option + " is given twice for --expect " +
                       expects[index].value);
    isSet[index] = true;
    result[index].tolerance.*member = value;
  }
  for (auto [index, expectation] : llvm::enumerate(result))
    if (common && !isSet[index])
      expectation.tolerance.*member = *common;
  return llvm::Error::success();
}

llvm::Expected<std::vector<Expectation>>
run::parseExpectations(ArrayRef<PositionedOption> expects,
                       ArrayRef<PositionedOption> rtols,
                       ArrayRef<PositionedOption> atols) {
  std::vector<Expectation> result;
  llvm::StringSet<> names;
  for (const PositionedOption &expect : expects) {
    auto split = splitNameAndFile(expect.value);
    if (!split)
      return makeError("--expect " + llvm::toString(split.takeError()));
    auto [name, file] = *split;
    if (!names.insert(name).second)
      return makeError("--expect is given twice for output '" + name + "'");
    result.push_back({name.str(), file.str(), Tolerance()});
  }
  if (llvm::Error error =
          setTolerances(expects, rtols, "--rtol", &Tolerance::rtol, result))
    return error;
  if (llvm::Error error =
          setTolerances(expects, atols, "--atol", &Tolerance::atol, result))
    return error;
  return result;
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

static llvm::Error parseTargetOverride(StringRef text, TargetSpec &spec) {
  auto [key, value] = text.split('=');
  const TargetModel::Constant *constant = TargetModel::findConstant(key);
  if (!constant) {
    auto keys =
        llvm::map_range(TargetModel::getConstants(),
                        [](const TargetModel::Constant &c) { return c.key; });
    return makeError("--target: unknown constant '" + key +
                     "'; the constants are " + llvm::join(keys, ", "));
  }
  int64_t number = 0;
  if (value.getAsInteger(10, number) || number < constant->minimum)
    return makeError("--target: '" + key + "' expects an integer of at least " +
                     Twine(constant->minimum) + " but got '" + value + "'");
  if (llvm::is_contained(llvm::make_first_range(spec.overrides), key))
    return makeError("--target: '" + key + "' is given twice");
  spec.overrides.emplace_back(key.str(), number);
  return llvm::Error::success();
}

llvm::Expected<TargetSpec> run::parseTargetSpec(StringRef text) {
  TargetSpec spec;
  spec.source = "--target";
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (part.contains('=')) {
      if (llvm::Error error = parseTargetOverride(part, spec))
        return error;
      continue;
    }
    if (index > 0)
      return makeError("--target: expects KEY=VALUE but got '" + part + "'");
    if (!llvm::is_contained(TargetModel::getPresets(), part))
      return makeError("--target: unknown target '" + part +
                       "'; the targets are " +
                       llvm::join(TargetModel::getPresets(), ", "));
    spec.preset = part.str();
  }
  return spec;
}

/// More are surely a mistake.
static constexpr int64_t kMaxReplicas = 1024;

llvm::Expected<TargetSpec>
run::parseReplicas(StringRef text, const std::optional<TargetSpec> &spec) {
  int64_t replicas = 0;
  if (text.getAsInteger(10, replicas) || replicas < 1 ||
      replicas > kMaxReplicas)
    return makeError("--replicas expects a number from 1 to " +
                     Twine(kMaxReplicas) + " but got '" + text + "'");
  TargetSpec result = spec.value_or(TargetSpec());
  constexpr StringLiteral key = "replicas";
  if (llvm::is_contained(llvm::make_first_range(result.overrides), key))
    return makeError("--replicas does not go with 'replicas' in --target");
  result.source += spec ? " and --replicas" : "--replicas";
  result.overrides.emplace_back(key.str(), replicas);
  return result;
}

//===----------------------------------------------------------------------===//
// Other options
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<std::pair<std::string, int64_t>>>
run::parseDims(ArrayRef<std::string> texts) {
  std::vector<std::pair<std::string, int64_t>> dims;
  for (StringRef text : texts) {
    auto [name, value] = text.rsplit('=');
    int64_t size = 0;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return makeError("--dim expects NAME=N with N of at least 0 but got '" +
                       text + "'");
    if (llvm::is_contained(llvm::make_first_range(dims), name))
      return makeError("--dim is given twice for '" + name + "'");
    dims.emplace_back(name.str(), size);
  }
  return dims;
}

llvm::Expected<onnx::ParameterKind> run::parseParameterKind(StringRef text) {
  if (std::optional<onnx::ParameterKind> kind =
          onnx::symbolizeParameterKind(text))
    return *kind;
  return makeError("--parameters expects constants, arguments or variables but "
                   "got '" +
                   text + "'");
}

llvm::Expected<unsigned> run::parseThreads(StringRef text) {
  unsigned threads = 0;
  if (text.getAsInteger(10, threads) || threads < 1 || threads > kMaxThreads)
    return makeError("--threads expects a number from 1 to " +
                     Twine(kMaxThreads) + " but got '" + text + "'");
  return threads;
}

llvm::Expected<uint64_t> run::parseSeed(StringRef text) {
  uint64_t seed = 0;
  if (text.getAsInteger(10, seed))
    return makeError("--seed expects a number from 0 to 2^64 - 1 but got '" +
                     text + "'");
  return seed;
}

llvm::Error run::parseGradients(StringRef text, Options &options) {
  auto [output, inputs] = text.split('=');
  SmallVector<StringRef> names;
  inputs.split(names, ',');
  if (output.empty() || llvm::is_contained(names, ""))
    return makeError("--gradients expects OUT=IN,... but got '" + text + "'");
  options.gradientsOf = output.str();
  options.gradients.assign(names.begin(), names.end());
  return llvm::Error::success();
}

llvm::Expected<int64_t> run::parseRuns(StringRef text) {
  int64_t runs = 0;
  if (text.getAsInteger(10, runs) || runs < 1)
    return makeError("--runs expects a number of at least 1 but got '" + text +
                     "'");
  return runs;
}

llvm::Expected<std::string> run::parseNpzFile(StringRef option,
                                              StringRef text) {
  if (!text.ends_with(".npz"))
    return makeError(option + " expects FILE.npz but got '" + text + "'");
  return text.str();
}

llvm::Expected<EngineKind> run::parseEngine(StringRef text) {
  if (text == "jit")
    return EngineKind::Jit;
  if (text == "interp")
    return EngineKind::Interp;
  if (text == "none")
    return EngineKind::None;
  return makeError("--engine expects jit, interp or none but got '" + text +
                   "'");
}

llvm::Expected<CostLevel> run::parseCostLevel(StringRef text) {
  if (text == "fast")
    return CostLevel::Fast;
  if (text == "detailed")
    return CostLevel::Detailed;
  return makeError("--cost expects fast or detailed but got '" + text + "'");
}

llvm::Expected<pop::AccumulationKind> run::parseAccumulation(StringRef text) {
  if (text == "blocked")
    return pop::AccumulationKind::Blocked;
  if (text == "chain")
    return pop::AccumulationKind::Chain;
  return makeError("--accumulation expects blocked or chain but got '" + text +
                   "'");
}

llvm::Expected<PlannerKind> run::parsePlanner(StringRef text) {
  if (text == "program")
    return PlannerKind::Program;
  if (text == "generic")
    return PlannerKind::Generic;
  return makeError("--planner expects program or generic but got '" + text +
                   "'");
}

llvm::Expected<std::string> run::parseRngGenerator(StringRef text) {
  if (symbolizeRngGenerator(text))
    return text.str();
  return makeError("--stochastic-rounding expects counter or stream but got '" +
                   text + "'");
}

llvm::Expected<double> run::parseProportion(StringRef text) {
  double value;
  // No NaN is a proportion.
  if (!text.getAsDouble(value) && value >= 0 && value <= 1)
    return value;
  return makeError("--available-memory-proportion expects a number from 0 to "
                   "1 but got '" +
                   text + "'");
}

llvm::Expected<EmitLevel> run::parseEmitLevel(StringRef text) {
  if (text == "pop")
    return EmitLevel::Pop;
  if (text == "ipu")
    return EmitLevel::IPU;
  return makeError("--emit expects pop or ipu but got '" + text + "'");
}
