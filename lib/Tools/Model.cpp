//===- Model.cpp - Loading of models --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Model.h"

#include "Place.h"

#include "ipu-mlir/Compiler/Compiler.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/InitAll.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;

llvm::Error tools::placePipeline(ModelOptions &options) {
  if (options.placement == PlacementKind::Automatic)
    options.placement = PlacementKind::Layers;
  if (options.placement == PlacementKind::Layers || !options.placements.empty())
    return llvm::Error::success();
  return makeError("--pipeline needs ops on several IPUs; use --ipus N, "
                   "--placement layers or --place");
}

PlacementKind tools::getDefaultPlacement(const ModelOptions &options) {
  if (!options.placements.empty() || !options.target)
    return PlacementKind::Spread;
  bool hasIPUs = llvm::any_of(options.target->overrides, [](const auto &entry) {
    return entry.first == "ipus" && entry.second > 1;
  });
  return hasIPUs ? PlacementKind::Automatic : PlacementKind::Spread;
}

void tools::registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  ipu::registerAllDialects(registry);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Returns the value of the input that `spec` names. A file is read when the
/// model is imported.
static onnx::InputValue getConstant(const ConstantSpec &spec,
                                    MLIRContext *context) {
  if (spec.value)
    return spec.value;
  return
      [spec, context](Type elementType) -> llvm::Expected<DenseElementsAttr> {
        llvm::Expected<HostTensor> tensor =
            spec.file.empty() ? parseTensorLiteral(spec.literal, elementType)
                              : readTensorFile(spec.file, context);
        if (!tensor)
          return tensor.takeError();
        viewAs(elementType, *tensor);
        return getDenseElements(*tensor);
      };
}

static OwningOpRef<ModuleOp> importModel(const ModelOptions &options,
                                         MLIRContext *context,
                                         onnx::ImportOutcome &outcome) {
  onnx::ImportOptions importOptions;
  for (const auto &[name, size] : options.dims)
    importOptions.dims[name] = size;
  importOptions.maxTrips.insert(options.maxTrips.begin(),
                                options.maxTrips.end());
  importOptions.maxSizes.insert(options.maxSizes.begin(),
                                options.maxSizes.end());
  for (const ConstantSpec &spec : options.constants)
    importOptions.constants[spec.name] = getConstant(spec, context);
  importOptions.inputs = options.hostInputs;
  importOptions.batch = options.batch;
  importOptions.randomWeights = options.randomWeights;
  importOptions.computesInF16 = options.computesInF16;
  if (options.parameters)
    importOptions.parameters = *options.parameters;
  importOptions.externalFiles = options.externalFiles;
  importOptions.constantInputs = options.constantInputs;
  FailureOr<OwningOpRef<ModuleOp>> module =
      onnx::importONNXFile(options.model, context, importOptions, &outcome);
  return failed(module) ? nullptr : std::move(*module);
}

static Status changeTarget(const TargetSpec &spec, ModuleOp module) {
  std::string message;
  ScopedDiagnosticHandler collect(
      module.getContext(),
      [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  if (failed(setTarget(module, spec.preset, spec.overrides)))
    return report(Status::BadUsage, spec.source + ": " + message);
  return Status::Success;
}

/// Returns the number of I/O tiles of an IPU with `tiles` tiles if the target
/// states none.
static int64_t getDefaultIOTiles(int64_t tiles) {
  constexpr int64_t kMost = 32, kShare = 8;
  return std::clamp<int64_t>(tiles / kShare, 1, kMost);
}

/// Gives the target of `module` I/O tiles if it has none. Fails if some IPUs
/// would have no ops: without virtual graphs, only the first one has I/O tiles.
static Status addIOTiles(const ModelOptions &options, ModuleOp module) {
  TargetModel model = getTargetModel(module);
  if (model.ipus > 1 && options.placement == PlacementKind::Spread &&
      options.placements.empty() && !pop::findFirstVgraph(module))
    return report(Status::BadUsage, "--overlap-io needs ops on each IPU; use "
                                    "--placement layers or --place");
  if (model.io_tiles > 0)
    return Status::Success;
  TargetSpec spec;
  spec.source = "--overlap-io";
  spec.overrides.emplace_back("io_tiles", getDefaultIOTiles(model.tiles));
  return changeTarget(spec, module);
}

bool tools::isONNXFile(StringRef path) {
  return path.ends_with(".onnx") || path.ends_with(".onnxtxt");
}

OwningOpRef<ModuleOp> tools::importResized(const ModelOptions &options,
                                           StringRef dim, int64_t size,
                                           MLIRContext *context) {
  ModelOptions other = options;
  other.constantInputs = nullptr;
  for (auto &[name, value] : other.dims)
    if (name == dim)
      value = size;
  auto outcome = onnx::ImportOutcome::Success;
  OwningOpRef<ModuleOp> module = importModel(other, context, outcome);
  if (module && options.target &&
      failed(setTarget(*module, options.target->preset,
                       options.target->overrides)))
    return nullptr;
  if (module && options.overlapsIO &&
      addIOTiles(options, *module) != Status::Success)
    return nullptr;
  if (!module || options.placements.empty())
    return module;
  if (llvm::Error error = placeNames(options.placements, *module)) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  return succeeded(pop::insertIpuCopies(*module)) ? std::move(module) : nullptr;
}

/// Checks that `pop-auto-vgraph` can place `module`.
static Status checkLayers(ModuleOp module) {
  StringRef obstacle;
  if (isLowered(module))
    obstacle = "needs a model that is not lowered to ipu";
  else if (getTargetModel(module).ipus == 1)
    obstacle =
        "needs several IPUs; --ipus sets the number of IPUs of a replica";
  else if (pop::findFirstVgraph(module))
    obstacle = "needs a model without virtual graphs";
  else
    return Status::Success;
  return report(Status::BadUsage, "--placement layers " + obstacle);
}

static Status placeModel(const ModelOptions &options, ModuleOp module) {
  if (options.placement == PlacementKind::Layers)
    return checkLayers(module);
  if (options.placements.empty())
    return Status::Success;
  if (isLowered(module))
    return report(Status::BadUsage,
                  "--place needs a model that is not lowered to ipu");
  if (llvm::Error error = placeNames(options.placements, module))
    return report(Status::BadUsage, std::move(error));
  if (failed(pop::insertIpuCopies(module)))
    return report(Status::BadModel,
                  "could not place model '" + options.model + "'");
  return Status::Success;
}

/// Whether a call and its callee, which `what` is about, have equally many.
static LogicalResult checkCount(func::CallOp call, func::FuncOp callee,
                                StringRef what, unsigned expected,
                                unsigned found) {
  if (expected == found)
    return success();
  InFlightDiagnostic diag = call.emitOpError();
  diag << "expects " << expected << " " << what << (expected == 1 ? "" : "s")
       << ", as many as @" << callee.getName() << " has, but got " << found;
  diag.attachNote(callee.getLoc()) << "function defined here";
  return diag;
}

/// The verifier of func.call finds a wrong number of operands or results, too,
/// but does not say what it expects.
static LogicalResult checkCalls(ModuleOp module) {
  SymbolTableCollection symbols;
  WalkResult result = module.walk([&](func::CallOp call) {
    FlatSymbolRefAttr name = call.getCalleeAttr();
    auto callee =
        name ? symbols.lookupNearestSymbolFrom<func::FuncOp>(call, name)
             : func::FuncOp();
    // Nothing has been verified yet.
    TypeAttr attr = callee ? callee.getFunctionTypeAttr() : TypeAttr();
    auto type = attr ? dyn_cast<FunctionType>(attr.getValue()) : FunctionType();
    if (!type)
      return WalkResult::advance();
    if (failed(checkCount(call, callee, "operand", type.getNumInputs(),
                          call.getNumOperands())) ||
        failed(checkCount(call, callee, "result", type.getNumResults(),
                          call.getNumResults())))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tools::checkNesting(StringRef text, Location loc) {
  constexpr int64_t kMostNested = 1000;
  int64_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      while (++at < text.size() && text[at] != '"')
        at += text[at] == '\\';
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (StringRef("([{<").contains(c)) {
      if (++depth > kMostNested)
        return emitError(loc) << "expects brackets to be nested at most "
                              << kMostNested << " deep";
    } else if (StringRef(")]}>").contains(c)) {
      bool isArrow = c == '>' && at > 0 && text[at - 1] == '-';
      depth -= !isArrow && depth > 0;
    }
  }
  return success();
}

LogicalResult tools::verifyModel(ModuleOp module) {
  return success(succeeded(checkCalls(module)) && succeeded(verify(module)));
}

Status tools::prepareModel(const ModelOptions &options, ModuleOp module) {
  if (options.target) {
    if (Status status = changeTarget(*options.target, module);
        status != Status::Success)
      return status;
    // A program that is lowered already may not fit the new target.
    if (failed(verify(module)))
      return report(Status::BadModel, "the model is not valid for this " +
                                          options.target->source);
  }
  if (options.overlapsIO)
    if (Status status = addIOTiles(options, module); status != Status::Success)
      return status;
  return placeModel(options, module);
}

Status tools::loadModel(const ModelOptions &options, MLIRContext *context,
                        const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
                        OwningOpRef<ModuleOp> &module) {
  StringRef path = options.model;
  bool isONNX = isONNXFile(path);
  if (!isONNX && path != "-" && !path.ends_with(".mlir") &&
      !path.ends_with(".mlirbc"))
    return report(Status::BadUsage,
                  "MODEL expects a .onnx, .onnxtxt, .mlir or .mlirbc file but "
                  "got '" +
                      path + "'");
  if (!isONNX && !options.dims.empty())
    return report(Status::BadUsage, "--dim needs an ONNX model");
  if (!isONNX && !options.constants.empty())
    return report(Status::BadUsage, "--constant needs an ONNX model");
  if (!isONNX && options.randomWeights)
    return report(Status::BadUsage, "--randomize-weights needs an ONNX model");
  if (!isONNX && !options.maxTrips.empty())
    return report(Status::BadUsage, "--max-trips needs an ONNX model");
  if (!isONNX && !options.maxSizes.empty())
    return report(Status::BadUsage, "--max-size needs an ONNX model");
  if (!isONNX && options.parameters)
    return report(Status::BadUsage, "--parameters needs an ONNX model");

  auto outcome = onnx::ImportOutcome::Success;
  if (isONNX) {
    if (llvm::Error error = checkReadable(path))
      return report(Status::BadUsage, std::move(error));
    for (const ConstantSpec &spec : options.constants)
      if (!spec.file.empty())
        if (llvm::Error error = checkReadable(spec.file))
          return report(Status::BadUsage, std::move(error));
    module = importModel(options, context, outcome);
  } else {
    auto buffer = readFile(path);
    if (!buffer)
      return report(Status::BadUsage, buffer.takeError());
    if (!isBytecode(**buffer) &&
        failed(checkNesting((*buffer)->getBuffer(),
                            FileLineColLoc::get(context, path, 0, 0))))
      return Status::BadModel;
    sourceMgr->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    ParserConfig config(context, /*verifyAfterParse=*/false);
    module = parseSourceFile<ModuleOp>(sourceMgr, config);
    if (module && failed(verifyModel(*module)))
      module = nullptr;
  }
  if (!module)
    return report(outcome == onnx::ImportOutcome::Unreadable ? Status::BadUsage
                                                             : Status::BadModel,
                  "could not read model '" + path + "'");
  return prepareModel(options, *module);
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Says which node of an ONNX model a diagnostic is about, if it does not say
/// so itself: such models have no lines, and printers drop the names of
/// locations.
static void nameNode(Diagnostic &diagnostic) {
  auto named = diagnostic.getLocation()->findInstanceOf<NameLoc>();
  if (!named)
    return;
  std::string node = "'" + named.getName().str() + "'";
  if (!StringRef(diagnostic.str()).contains(node))
    diagnostic << ", in node " << node;
}

// The last handler is called first; it passes diagnostics on to the one that
// prints.
DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, StringRef model)
    : sourceMgr(std::make_shared<llvm::SourceMgr>()), errors(llvm::errs()),
      handler(*sourceMgr, context, errors),
      prepareToPrint(context,
                     [isONNX = isONNXFile(model)](Diagnostic &diagnostic) {
                       Progress::get().clear();
                       if (isONNX)
                         nameNode(diagnostic);
                       return failure();
                     }) {
  context->printOpOnDiagnostic(false);
}
