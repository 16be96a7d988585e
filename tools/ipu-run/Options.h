//===- Options.h - What ipu-run was asked to do -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H
#define IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H

#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "ipu-mlir/Host/CompareTensors.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::ipu::run {

/// Exit statuses; part of the interface.
enum class Status {
  /// The program ran, and all expectations hold.
  Success = 0,
  /// An expectation does not hold, or engines disagree.
  Mismatch = 1,
  /// Wrong arguments, or a file that cannot be read or written.
  BadUsage = 2,
  /// The model cannot be compiled or is not executable.
  BadModel = 3,
};

/// Prints `ipu-run: error: message` and gives `status` back.
Status report(Status status, const Twine &message);
Status report(Status status, llvm::Error error);

/// `NAME=FILE`: what an output has to be.
struct Expectation {
  std::string name;
  std::string file;
  Tolerance tolerance;
};

/// A target on the command line: `NAME`, `KEY=VALUE,...` or both.
struct TargetSpec {
  /// The options that say so, for messages.
  std::string source;
  /// Empty: the model's own.
  std::string preset;
  std::vector<std::pair<std::string, int64_t>> overrides;
};

/// Level of the IR that is printed.
enum class EmitLevel { None, Pop, IPU };

struct Options {
  std::string model;
  /// The function that is the program.
  std::string entry = "main";
  std::vector<InputSpec> inputs;
  std::vector<std::pair<std::string, int64_t>> dims;
  std::optional<onnx::ParameterKind> parameters;
  /// `OUT=IN,...`: the output whose gradients of inputs and variables are
  /// computed.
  std::string gradientsOf;
  std::vector<std::string> gradients;
  std::vector<Expectation> expectations;
  int64_t runs = 1;
  /// Files; empty if not asked for.
  std::string loadWeights;
  std::string saveWeights;
  std::string outputDir;
  std::optional<TargetSpec> target;
  EngineKind engine = EngineKind::Jit;
  bool check = false;
  bool checkReplicaEqual = false;
  bool compareEngines = false;
  CostLevel costLevel = CostLevel::Fast;
  bool isCostLevelGiven = false;
  pop::AccumulationKind accumulation = pop::AccumulationKind::Blocked;
  PlannerKind planner = PlannerKind::Program;
  std::optional<double> availableMemoryProportion;
  /// The generator to round with; empty if the model decides.
  std::string stochasticRounding;
  /// An option that was given and that only lowering heeds.
  std::optional<std::string> givenLowering;
  bool allowOutOfMemory = false;
  /// Says what a program that does not fit would fit with.
  bool advisesOnMemory = true;
  uint64_t seed = 0;
  unsigned threads = 1;
  /// Empty for none.
  std::string cacheFolder;
  std::string pipeline;
  EmitLevel emit = EmitLevel::None;
  std::string profile;
  /// Of the categories of remarks to print, a regular expression.
  std::string remarks;
  std::string replicaEqualReport;
  bool summary = false;
};

/// An option on the command line, with its place among all arguments.
struct PositionedOption {
  unsigned position;
  std::string value;
};

/// Combines `--expect NAME=FILE` with `--rtol` and `--atol`: a tolerance is
/// that of the expectation before it, or, before the first one, of all that
/// have none of their own.
llvm::Expected<std::vector<Expectation>>
parseExpectations(ArrayRef<PositionedOption> expects,
                  ArrayRef<PositionedOption> rtols,
                  ArrayRef<PositionedOption> atols);

llvm::Expected<TargetSpec> parseTargetSpec(StringRef text);
/// Adds the `replicas` of --replicas to what --target says, if it was given.
llvm::Expected<TargetSpec> parseReplicas(StringRef text,
                                         const std::optional<TargetSpec> &spec);
llvm::Expected<int64_t> parseRuns(StringRef text);
/// A file's name behind `option`.
llvm::Expected<std::string> parseNpzFile(StringRef option, StringRef text);
llvm::Expected<std::vector<std::pair<std::string, int64_t>>>
parseDims(ArrayRef<std::string> texts);
llvm::Expected<onnx::ParameterKind> parseParameterKind(StringRef text);

/// Reads `OUT=IN,...` into the options.
llvm::Error parseGradients(StringRef text, Options &options);
llvm::Expected<unsigned> parseThreads(StringRef text);
llvm::Expected<uint64_t> parseSeed(StringRef text);
llvm::Expected<EngineKind> parseEngine(StringRef text);
llvm::Expected<CostLevel> parseCostLevel(StringRef text);
llvm::Expected<pop::AccumulationKind> parseAccumulation(StringRef text);
llvm::Expected<PlannerKind> parsePlanner(StringRef text);
llvm::Expected<std::string> parseRngGenerator(StringRef text);
llvm::Expected<double> parseProportion(StringRef text);
llvm::Expected<EmitLevel> parseEmitLevel(StringRef text);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H
