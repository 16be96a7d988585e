//===- Model.cpp - From a file to a program -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Files.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "ipu-mlir/InitAll.h"
#include "ipu-mlir/Support/Entry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

/// The target of a module that names none.
static constexpr StringLiteral kDefaultPreset = "gc200";

void run::registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  ipu::registerAllDialects(registry);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> importModel(const Options &options,
                                         MLIRContext *context,
                                         onnx::ImportOutcome &outcome) {
  onnx::ImportOptions importOptions;
  for (const auto &[name, size] : options.dims)
    importOptions.dims[name] = size;
  if (options.parameters)
    importOptions.parameters = *options.parameters;
  FailureOr<OwningOpRef<ModuleOp>> module =
      onnx::importONNXFile(options.model, context, importOptions, &outcome);
  return failed(module) ? nullptr : std::move(*module);
}

/// Sets the module's `ipu.target`: a named target replaces the model's, and
/// constants change the named one, the model's, or the default. What is known
/// of the memory on another target goes away.
static Status setTarget(const TargetSpec &spec, ModuleOp module) {
  MLIRContext *context = module.getContext();
  context->loadDialect<IPUDialect>();
  auto old = module->getAttrOfType<TargetAttr>(IPUDialect::kTargetAttrName);
  std::string preset = spec.preset;
  NamedAttrList overrides;
  if (preset.empty() && old) {
    preset = old.getPreset().str();
    overrides = old.getOverrides();
  }
  if (preset.empty())
    preset = kDefaultPreset;
  auto i64 = IntegerType::get(context, 64);
  for (const auto &[key, value] : spec.overrides)
    overrides.set(key, IntegerAttr::get(i64, value));
  DictionaryAttr dictionary =
      overrides.empty() ? nullptr : overrides.getDictionary(context);
  std::string message;
  ScopedDiagnosticHandler collect(
      context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  auto target = TargetAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      StringRef(preset), dictionary);
  if (!target)
    return report(Status::BadUsage, spec.source + ": " + message);
  module->setAttr(IPUDialect::kTargetAttrName, target);
  module.walk([](func::FuncOp function) {
    function->removeAttr(IPUDialect::kMemoryAttrName);
  });
  return Status::Success;
}

bool run::isONNXFile(StringRef path) {
  return path.ends_with(".onnx") || path.ends_with(".onnxtxt");
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

Status run::loadModel(const Options &options, MLIRContext *context,
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
  if (!isONNX && options.parameters)
    return report(Status::BadUsage, "--parameters needs an ONNX model");

  auto outcome = onnx::ImportOutcome::Success;
  if (isONNX) {
    if (llvm::Error error = checkReadable(path))
      return report(Status::BadUsage, std::move(error));
    module = importModel(options, context, outcome);
  } else {
    auto buffer = readFile(path);
    if (!buffer)
      return report(Status::BadUsage, buffer.takeError());
    sourceMgr->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    ParserConfig config(context, /*verifyAfterParse=*/false);
    module = parseSourceFile<ModuleOp>(sourceMgr, config);
    if (module && (failed(checkCalls(*module)) || failed(verify(*module))))
      module = nullptr;
  }
  if (!module)
    return report(outcome == onnx::ImportOutcome::Unreadable ? Status::BadUsage
                                                             : Status::BadModel,
                  "could not read model '" + path + "'");
  if (!options.target)
    return Status::Success;

  if (Status status = setTarget(*options.target, *module);
      status != Status::Success)
    return status;
  // What is lowered already may not fit the new target.
  if (failed(verify(*module)))
    return report(Status::BadModel,
                  "the model is not for this " + options.target->source);
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

bool run::isLowered(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return isa_and_nonnull<IPUDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Adds what makes `entry` the program, though there may be a @main: nothing
/// else is called from outside, and what is not called is none of it.
static void addEntry(func::FuncOp entry, PassManager &manager) {
  for (auto function :
       entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    function.setVisibility(function == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  manager.addPass(createSymbolDCEPass());
}

/// Adds the passes of `text`, which may name the module itself as the place
/// where they run: `builtin.module(...)`.
static LogicalResult addPipeline(StringRef text, PassManager &manager,
                                 std::string &errors) {
  StringRef passes = text.trim();
  llvm::raw_string_ostream os(errors);
  StringRef anchored = passes;
  if (anchored.consume_front("builtin.module(") && anchored.consume_back(")"))
    passes = anchored;
  return parsePassPipeline(passes, manager, os);
}

Status run::reportNoProgram(const Options &options) {
  return report(Status::BadModel, "'" + options.model +
                                      "' has no program to run as it is; "
                                      "--entry names the function to run");
}

/// Lets the program compute gradients as well. Every value is computed once.
static pop::AutodiffPassOptions getAutodiffOptions(const Options &options,
                                                   StringRef entry) {
  pop::AutodiffPassOptions autodiff;
  autodiff.function = entry.str();
  autodiff.caller = options.entry;
  autodiff.provided = {options.gradientsOf};
  autodiff.required.assign(options.gradients.begin(), options.gradients.end());
  autodiff.stitch = pop::Stitch::SafeAddFwdOutputs;
  return autodiff;
}

Status run::lowerModel(const Options &options, ModuleOp module) {
  PassManager manager(module.getContext());
  std::string entryName;
  // Passes that a user names may make the function.
  if (options.pipeline.empty()) {
    FailureOr<func::FuncOp> entry = lookupEntry(module, options.entry);
    if (failed(entry))
      return reportNoProgram(options);
    entryName = entry->getSymName().str();
    if (options.entry != Options().entry)
      addEntry(*entry, manager);
  }
  if (!options.pipeline.empty()) {
    std::string errors;
    if (failed(addPipeline(options.pipeline, manager, errors)))
      return report(Status::BadUsage,
                    "--pipeline: " + StringRef(errors).trim());
  } else if (isLowered(module)) {
    if (!options.gradients.empty())
      return report(Status::BadUsage,
                    "--gradients: the model is lowered already");
    if (options.givenLowering)
      return report(Status::BadUsage,
                    *options.givenLowering + ": the model is lowered already");
    // The costs that are there are another target's, or of another level.
    if (options.target || options.isCostLevelGiven)
      manager.addPass(createEstimateCostPass({options.costLevel}));
  } else {
    PopToIPUPipelineOptions pipeline;
    pipeline.entry = options.entry;
    pipeline.allowOOM = options.allowOutOfMemory;
    pipeline.costLevel = options.costLevel;
    pipeline.accumulation = options.accumulation;
    pipeline.planner = options.planner;
    pipeline.stochasticRounding = options.stochasticRounding;
    if (options.availableMemoryProportion)
      pipeline.availableMemoryProportion = *options.availableMemoryProportion;
    // Importers leave the choice of seeds to it.
    manager.addPass(pop::createRandomSetupPass());
    if (!options.gradients.empty())
      manager.addPass(
          pop::createAutodiffPass(getAutodiffOptions(options, entryName)));
    buildPopToIPUPipeline(manager, pipeline);
  }
  if (failed(pop::verifyPipelineContracts(manager, module.getLoc())))
    return report(options.pipeline.empty() ? Status::BadModel
                                           : Status::BadUsage,
                  "the passes do not go together");
  if (failed(manager.run(module)))
    return report(Status::BadModel,
                  "could not compile model '" + options.model + "'");
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

FailureOr<Signature> run::getSignature(ModuleOp module, StringRef name) {
  FailureOr<func::FuncOp> entry = lookupEntry(module, name);
  if (failed(entry))
    return failure();
  if (entry->getNumArguments() || entry->getNumResults())
    return entry->emitError()
           << "expects a program without arguments or results, lowered to ipu";
  SymbolTable symbols(module);
  Signature signature;
  llvm::DenseSet<Operation *> isSeen;
  auto add = [&](StringRef name, std::vector<ProgramInput> &list) {
    auto stream = symbols.lookup<StreamOp>(name);
    if (stream && isSeen.insert(stream).second)
      list.push_back(getProgramInput(stream));
  };
  walkProgram(*entry, [&](Operation *op) {
    if (auto load = dyn_cast<HostLoadOp>(op))
      add(load.getStream(), signature.inputs);
    else if (auto store = dyn_cast<HostStoreOp>(op))
      add(store.getStream(), signature.outputs);
  });
  return signature;
}
