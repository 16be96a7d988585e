//===- Options.h - Options of ipu-run ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H
#define IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H

#include "ipu-mlir/Compiler/Compiler.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Host/CompareTensors.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Tools/DeviceFlags.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::ipu::run {

using namespace tools;

/// The expected value of an output, `NAME=FILE`, and its tolerance.
struct Expectation {
  std::string name;
  std::string file;
  Tolerance tolerance;
};

/// The level of the IR to print.
enum class EmitLevel { None, Pop, IPU };

struct Options : ModelOptions, DeviceOptions {
  CompileOptions compilation;
  std::vector<InputSpec> inputs;
  std::vector<Expectation> expectations;
  int64_t runs = 1;
  /// The paths of files; empty if not requested.
  std::string loadWeights;
  std::string saveWeights;
  std::string outputDir;
  EngineKind engine = EngineKind::Jit;
  bool check = false;
  bool checkReplicaEqual = false;
  bool compareEngines = false;
  bool compareF32 = false;
  /// An option on the command line that only affects the lowering, if there is
  /// one.
  std::optional<std::string> givenLowering;
  EmitLevel emit = EmitLevel::None;
  std::string profile;
  std::string trace;
  std::string report;
  /// The command line, which the report states.
  std::vector<std::string> args;
  /// The two profiles that are compared instead of running a model; empty if a
  /// model is run.
  std::vector<std::string> compared;
  /// A regular expression for the categories of remarks to print.
  std::string remarks;
  std::string replicaEqualReport;
  bool summary = false;

  /// Returns whether some requested output contains the details of exchanges
  /// and code.
  bool detailsProfile() const {
    return !profile.empty() || !report.empty() || summary;
  }
};

/// An option on the command line, with its position among all arguments.
struct PositionedOption {
  unsigned position;
  std::string value;
};

/// Combines `--expect NAME=FILE` with `--rtol` and `--atol`. A tolerance
/// applies to the expectation before it. A tolerance before the first
/// expectation applies to all expectations without tolerances of their own.
llvm::Expected<std::vector<Expectation>>
parseExpectations(ArrayRef<PositionedOption> expects,
                  ArrayRef<PositionedOption> rtols,
                  ArrayRef<PositionedOption> atols);

llvm::Expected<onnx::ParameterKind> parseParameterKind(StringRef text);

/// Parses `OUT=IN,...`: OUT is the output whose gradients are computed, and IN
/// are the names of inputs and variables.
llvm::Error parseGradients(StringRef text, CompileOptions &options);
llvm::Expected<EngineKind> parseEngine(StringRef text);
llvm::Expected<CostLevel> parseCostLevel(StringRef text);
llvm::Expected<pop::AccumulationKind> parseAccumulation(StringRef text);
llvm::Expected<PlannerKind> parsePlanner(StringRef text);
llvm::Expected<std::string> parseRngGenerator(StringRef text);
llvm::Expected<double> parseProportion(StringRef text);
/// Returns whether the file `path` is written in compressed form.
bool isGzipFile(StringRef path);
llvm::Expected<std::string> parseTraceFile(StringRef text);
llvm::Expected<EmitLevel> parseEmitLevel(StringRef text);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_OPTIONS_H
