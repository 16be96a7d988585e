//===- Lowering.cpp - Lowering of models ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Session/MemoryAdvice.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::run;

bool run::isLowered(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return isa_and_nonnull<IPUDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Makes `entry` the program, also if the module has another function @main.
/// All other functions become private, and unused functions are removed.
static void addEntry(func::FuncOp entry, PassManager &manager) {
  for (auto function :
       entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    function.setVisibility(function == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  manager.addPass(createSymbolDCEPass());
}

/// Adds the passes of `text`, which may have the form `builtin.module(...)`.
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
  return report(Status::BadModel,
                "'" + options.model +
                    "' has no program that runs without lowering; --entry "
                    "names the function to run");
}

/// Returns the options of the pass that adds gradients to the program. Each
/// value is computed once.
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

/// Adds the passes that `options` request. Otherwise adds the default passes,
/// unless `module` is already lowered.
static Status addLowering(const Options &options, ModuleOp module,
                          PassManager &manager) {
  std::string entryName;
  // With --pipeline, a pass may create the entry function.
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
    // The costs in the program are for another target or another level.
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
    pipeline.copyConstants = options.copyConstants;
    if (options.availableMemoryProportion)
      pipeline.availableMemoryProportion = *options.availableMemoryProportion;
    // Importers do not choose seeds, so that this pass must choose them.
    manager.addPass(pop::createRandomSetupPass());
    if (!options.gradients.empty())
      manager.addPass(
          pop::createAutodiffPass(getAutodiffOptions(options, entryName)));
    buildPopToIPUPipeline(manager, pipeline);
  }
  if (failed(pop::verifyPipelineContracts(manager, module.getLoc())))
    return report(options.pipeline.empty() ? Status::BadModel
                                           : Status::BadUsage,
                  "the contracts of the passes do not match");
  return Status::Success;
}

/// Returns the first dimension of --dim that can be made smaller and that is
/// only the first dimension of inputs, such as a batch. Returns null if there
/// is none.
static const std::pair<std::string, int64_t> *
findLeadingDim(const Options &options, ModuleOp model) {
  ScopedDiagnosticHandler drop(model.getContext(),
                               [](Diagnostic &) { return success(); });
  auto getArguments = [&](ModuleOp module) -> ArrayRef<Type> {
    FailureOr<func::FuncOp> entry = lookupEntry(module, options.entry);
    return failed(entry) ? ArrayRef<Type>() : entry->getArgumentTypes();
  };
  ArrayRef<Type> types = getArguments(model);
  for (const auto &dim : options.dims) {
    if (dim.second < 2)
      continue;
    OwningOpRef<ModuleOp> other =
        importResized(options, dim.first, dim.second - 1, model.getContext());
    if (!other)
      continue;
    ArrayRef<Type> others = getArguments(*other);
    auto isLedByDim = [](auto pair) {
      auto [type, other] = pair;
      return cast<ShapedType>(type).getShape().drop_front() ==
             cast<ShapedType>(other).getShape().drop_front();
    };
    auto changed =
        llvm::make_filter_range(llvm::zip_equal(types, others), [](auto pair) {
          return std::get<0>(pair) != std::get<1>(pair);
        });
    if (!changed.empty() && llvm::all_of(changed, isLedByDim))
      return &dim;
  }
  return nullptr;
}

/// Reports settings with which `model`, the model before its compilation, fits
/// in memory.
static void adviseOnMemory(const Options &options, ModuleOp model,
                           bool copiesConstants, double compileSeconds) {
  Progress::get().show("trying other ways to compile " + options.model);
  MemoryAdvisor advisor;
  advisor.original = model;
  advisor.entry = options.entry;
  advisor.settings = {options.availableMemoryProportion.value_or(
                          PopToIPUPipelineOptions().availableMemoryProportion),
                      options.copyConstants};
  advisor.copiesConstants = copiesConstants;
  advisor.compileSeconds = compileSeconds;
  advisor.trialSeconds = static_cast<double>(options.memoryAdviceSeconds);
  advisor.compile = [&](ModuleOp module,
                        const MemorySettings &settings) -> LogicalResult {
    Options other = options;
    other.availableMemoryProportion = settings.share;
    other.copyConstants = settings.copyConstants;
    other.allowOutOfMemory = true;
    PassManager manager(module.getContext());
    if (addLowering(other, module, manager) != Status::Success)
      return failure();
    return manager.run(module);
  };
  if (const auto *dim = findLeadingDim(options, model)) {
    advisor.dimension = dim->first;
    advisor.dimensionSize = dim->second;
    advisor.resize = [&options, dim, context = model.getContext()](
                         int64_t size) -> OwningOpRef<ModuleOp> {
      return importResized(options, dim->first, size, context);
    };
  }
  advisor.advise();
  Progress::get().clear();
}

Status run::lowerModel(const Options &options, ModuleOp module) {
  bool isAdvised = options.advisesOnMemory && !options.allowOutOfMemory &&
                   options.pipeline.empty() && !isLowered(module);
  OwningOpRef<ModuleOp> original = isAdvised ? module.clone() : ModuleOp();
  PassManager manager(module.getContext());
  if (Status status = addLowering(options, module, manager);
      status != Status::Success)
    return status;
  Stopwatch stopwatch;
  if (succeeded(manager.run(module)))
    return Status::Success;
  double seconds = stopwatch.getSeconds();
  if (isAdvised && getMissingBytes(module).value_or(0) > 0)
    adviseOnMemory(options, *original, hasCopiedConstants(module), seconds);
  return report(Status::BadModel,
                "could not compile model '" + options.model + "'");
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
           << "expects a program that is lowered to ipu and has no arguments "
              "or results but got "
           << entry->getFunctionType();
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
