//===- Model.h - Loading of models ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_MODEL_H
#define IPU_MLIR_TOOLS_MODEL_H

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "ipu-mlir/Tools/PlainText.h"
#include "ipu-mlir/Tools/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::ipu::tools {

/// A target on the command line: `NAME`, `KEY=VALUE,...` or both.
struct TargetSpec {
  /// The names of the options that define the target, for messages.
  std::string source;
  /// The name of the preset. If the name is empty, `overrides` change the
  /// target of the model.
  std::string preset;
  std::vector<std::pair<std::string, int64_t>> overrides;
};

/// The value of an input that becomes a constant: a function, the path of a
/// .npy or .pb file, or a text for parseTensorLiteral().
struct ConstantSpec {
  std::string name;
  std::string file;
  std::string literal;
  onnx::InputValue value;
};

/// Ops and variables on one IPU of a replica: those whose names are `pattern`,
/// or which this glob pattern matches.
struct PlaceSpec {
  std::string pattern;
  int64_t ipu = 0;
};

/// How a model without virtual graphs uses the IPUs of a replica.
enum class PlacementKind {
  /// The planner divides each op over all IPUs.
  Spread,
  /// `pop-auto-vgraph` places each op on one IPU.
  Layers,
  /// The placement of both with which a run takes fewer cycles is used.
  Automatic,
};

struct ModelOptions {
  /// The path of a .onnx, .onnxtxt, .mlir or .mlirbc file, or `-` for standard
  /// input.
  std::string model;
  /// The sizes of dimensions of an ONNX model; see onnx::ImportOptions.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// `maxTrips` and `maxSizes` are the options with these names in
  /// onnx::ImportOptions.
  std::vector<std::pair<std::string, int64_t>> maxTrips, maxSizes;
  std::vector<ConstantSpec> constants;
  /// `hostInputs` is the option `inputs` in onnx::ImportOptions.
  std::map<std::string, onnx::HostInput> hostInputs;
  /// `batch`, `randomWeights`, `parameters` and `computesInF16` are the options
  /// with these names in onnx::ImportOptions.
  std::optional<int64_t> batch;
  std::optional<uint64_t> randomWeights;
  std::optional<onnx::ParameterKind> parameters;
  bool computesInF16 = false;
  std::optional<TargetSpec> target;
  std::vector<PlaceSpec> placements;
  PlacementKind placement = PlacementKind::Spread;
  /// The schedule of a pipeline over the IPUs of a replica.
  std::optional<pop::PipelineKind> schedule;
  /// This flag is set if transfers between host and device overlap compute. A
  /// target without I/O tiles then gets some.
  bool overlapsIO = false;
  /// `externalFiles` and `constantInputs` are the options with these names in
  /// onnx::ImportOptions.
  std::vector<std::string> *externalFiles = nullptr;
  std::vector<std::string> *constantInputs = nullptr;
};

/// Returns the placement if no option states it. A model whose own target has
/// several IPUs is spread over them.
PlacementKind getDefaultPlacement(const ModelOptions &options);

/// Fails if the ops of a pipeline would not have an IPU each, which is the
/// default.
llvm::Error placePipeline(ModelOptions &options);

/// Registers the dialects of models and programs.
void registerDialects(DialectRegistry &registry);

/// Returns whether a model is read as ONNX, which depends on the name of its
/// file.
bool isONNXFile(StringRef path);

/// Reads the file of `options.model` into `module`, sets the target, and places
/// ops and variables as `options.placements` says. Reports an error if
/// `options.placement` is Layers, but the module cannot be placed. All ops then
/// have an IPU if any has, and values are copied to the IPUs that use them. The
/// text of an MLIR file stays in `sourceMgr` for diagnostics.
Status loadModel(const ModelOptions &options, MLIRContext *context,
                 const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
                 OwningOpRef<ModuleOp> &module);

/// Emits an error if brackets of an MLIR text are nested so deeply that the
/// parser, which calls itself for each of them, would run out of stack.
LogicalResult checkNesting(StringRef text, Location loc);

/// Verifies a module that was parsed without verification. Emits errors, which
/// also say what a call expects.
LogicalResult verifyModel(ModuleOp module);

/// Sets the target of `module`, and places ops and variables, as loadModel()
/// does after reading a module.
Status prepareModel(const ModelOptions &options, ModuleOp module);

/// Imports the ONNX model of `options` with another size of a symbolic
/// dimension: `size` replaces the size of `dim` in `options.dims`. Also sets
/// the target and places the model. Returns null if one of this fails.
OwningOpRef<ModuleOp> importResized(const ModelOptions &options, StringRef dim,
                                    int64_t size, MLIRContext *context);

/// Prints the diagnostics of `context` as long as this object exists. Clears
/// the progress line before each diagnostic. Diagnostics do not show ops,
/// because users write models and not ops. For an ONNX model, diagnostics name
/// the node of the model instead.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(MLIRContext *context, StringRef model);

  const std::shared_ptr<llvm::SourceMgr> &getSourceMgr() { return sourceMgr; }

private:
  std::shared_ptr<llvm::SourceMgr> sourceMgr;
  PlainTextStream errors;
  SourceMgrDiagnosticHandler handler;
  ScopedDiagnosticHandler prepareToPrint;
};

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_MODEL_H
