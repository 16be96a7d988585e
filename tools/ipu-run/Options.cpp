//===- Options.cpp - Options of ipu-run -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Compression.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

/// Sets the tolerances of one option in the expectations to which they apply.
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
// Other options
//===----------------------------------------------------------------------===//

llvm::Expected<onnx::ParameterKind> run::parseParameterKind(StringRef text) {
  if (std::optional<onnx::ParameterKind> kind =
          onnx::symbolizeParameterKind(text))
    return *kind;
  return makeError("--parameters expects constants, arguments or variables but "
                   "got '" +
                   text + "'");
}

llvm::Error run::parseGradients(StringRef text, CompileOptions &options) {
  auto [output, inputs] = text.split('=');
  SmallVector<StringRef> names;
  inputs.split(names, ',');
  if (output.empty() || llvm::is_contained(names, ""))
    return makeError("--gradients expects OUT=IN,... but got '" + text + "'");
  options.gradientsOf = output.str();
  options.gradients.assign(names.begin(), names.end());
  return llvm::Error::success();
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
  // NaN does not satisfy these comparisons.
  if (!text.getAsDouble(value) && value >= 0 && value <= 1)
    return value;
  return makeError("--available-memory-proportion expects a number from 0 to "
                   "1 but got '" +
                   text + "'");
}

bool run::isGzipFile(StringRef path) {
  return path.ends_with_insensitive(".gz");
}

llvm::Expected<std::string> run::parseTraceFile(StringRef text) {
  if (isGzipFile(text) && !llvm::compression::zlib::isAvailable())
    return makeError("--trace: '" + text +
                     "' would be compressed, but LLVM was built without zlib");
  return text.str();
}

llvm::Expected<EmitLevel> run::parseEmitLevel(StringRef text) {
  if (text == "pop")
    return EmitLevel::Pop;
  if (text == "ipu")
    return EmitLevel::IPU;
  return makeError("--emit expects pop or ipu but got '" + text + "'");
}
