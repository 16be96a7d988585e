//===- Compiler.cpp - Compilation of programs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/Compiler.h"

#include "ipu-mlir/Compiler/Pipelines.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Placement/Passes.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Support/TakePasses.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <chrono>

using namespace mlir;
using namespace mlir::ipu;

bool mlir::ipu::isLowered(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return isa_and_nonnull<IPUDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// CompiledProgram
//===----------------------------------------------------------------------===//

struct CompiledProgram::Impl {
  /// The context of the module, which must outlive the module; null if the
  /// caller owns the context.
  std::shared_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::string entry;
  std::map<std::string, ElementsAttr> constants;
  std::vector<CompileStep> steps;
  std::vector<std::string> remarks;
  std::optional<MemoryAdvice> advice;
  std::optional<CompiledProgram> host;
};

CompiledProgram::CompiledProgram(std::shared_ptr<Impl> impl)
    : impl(std::move(impl)) {}

ModuleOp CompiledProgram::getModule() const { return *impl->module; }
StringRef CompiledProgram::getEntry() const { return impl->entry; }
const std::map<std::string, ElementsAttr> &
CompiledProgram::getConstants() const {
  return impl->constants;
}
void CompiledProgram::print(llvm::raw_ostream &os) const {
  if (!impl->host)
    return getModule().print(os);
  OwningOpRef<ModuleOp> both = getModule().clone();
  both->push_back(impl->host->getModule().clone());
  both->print(os);
}
const CompiledProgram *CompiledProgram::getHostProgram() const {
  return impl->host ? &*impl->host : nullptr;
}
ArrayRef<CompileStep> CompiledProgram::getSteps() const { return impl->steps; }
ArrayRef<std::string> CompiledProgram::getRemarks() const {
  return impl->remarks;
}
std::optional<int64_t> CompiledProgram::getMissingBytes() const {
  return ipu::getMissingBytes(getModule());
}
const std::optional<MemoryAdvice> &CompiledProgram::getAdvice() const {
  return impl->advice;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Adds the passes of `text`, which may have the form `builtin.module(...)`.
static llvm::Error addPipeline(StringRef text, OpPassManager &manager) {
  StringRef passes = text.trim(), anchored = passes;
  if (anchored.consume_front("builtin.module(") && anchored.consume_back(")"))
    passes = anchored;
  std::string errors;
  llvm::raw_string_ostream os(errors);
  if (succeeded(parsePassPipeline(passes, manager, os)))
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 StringRef(errors).trim());
}

llvm::Error mlir::ipu::checkPipelines(const CompileOptions &options,
                                      MLIRContext *context) {
  PassManager manager(context);
  if (!options.pipeline.empty())
    return addPipeline(options.pipeline, manager);
  return addPipeline(options.graphPasses, manager);
}

/// Adds the pass that adds gradients to the program. Each value is computed
/// once.
static LogicalResult addGradients(ModuleOp module,
                                  const CompileOptions &options,
                                  OpPassManager &manager) {
  FailureOr<func::FuncOp> entry = lookupEntry(module, options.entry);
  if (failed(entry))
    return failure();
  pop::AutodiffPassOptions autodiff;
  autodiff.function = entry->getSymName().str();
  autodiff.caller = options.entry;
  autodiff.provided = {options.gradientsOf};
  autodiff.required.assign(options.gradients.begin(), options.gradients.end());
  autodiff.stitch = pop::Stitch::SafeAddFwdOutputs;
  manager.addPass(pop::createAutodiffPass(autodiff));
  return success();
}

/// Sets the options of a pipeline that determine bits of results.
template <typename PipelineOptionsT>
static void setBitOptions(const CompileOptions &options,
                          PipelineOptionsT &pipeline) {
  // The pipeline warns if an option that is set has no effect.
  if (options.accumulation != CompileOptions().accumulation)
    pipeline.accumulation = options.accumulation;
  if (options.partials != CompileOptions().partials)
    pipeline.partials = options.partials;
  pipeline.stochasticRounding = options.stochasticRounding;
}

static void addLowering(const CompileOptions &options, OpPassManager &manager) {
  PopToIPUPipelineOptions pipeline;
  pipeline.entry = options.entry;
  setBitOptions(options, pipeline);
  pipeline.planner = options.planner;
  pipeline.availableMemoryProportion = options.availableMemoryProportion;
  pipeline.copyConstants = options.copyConstants;
  pipeline.costLevel = options.costLevel;
  pipeline.allowOOM = options.allowOutOfMemory;
  buildPopToIPUPipeline(manager, pipeline);
}

/// Adds the passes that change what ops compute.
static void addPrecision(const CompileOptions &options,
                         OpPassManager &manager) {
  if (options.foldsBatchNorm)
    manager.addNestedPass<func::FuncOp>(pop::createFoldBatchNormPass());
  if (options.precision == Precision::F32)
    return;
  pop::NarrowFloatsPassOptions narrow;
  narrow.function = options.entry;
  narrow.functions = options.precision == Precision::F16;
  manager.addPass(pop::createNarrowFloatsPass(narrow));
}

/// Adds the passes after which the bits and the IPUs of the program are known.
static void addBits(const CompileOptions &options, OpPassManager &manager) {
  addBitPasses(manager, options.accumulation, options.partials,
               options.stochasticRounding,
               PopToIPUPipelineOptions().roundingOverflow);
  if (options.placesLayers)
    addLayerPlacement(manager, /*isTrained=*/!options.gradients.empty());
}

/// Adds the passes that make the program one of several micro-batches, and a
/// pipeline of them if there is a schedule. Transfers may overlap compute.
static void addMicroBatches(const CompileOptions &options,
                            OpPassManager &manager) {
  pop::GraphPipelineOptions graph;
  setBitOptions(options, graph);
  graph.placeLayers = options.placesLayers;
  graph.inferStages = options.schedule.has_value();
  graph.batchesPerStep = *options.microBatches;
  pop::buildGraphPipeline(manager, graph);
  if (options.schedule) {
    pop::PipelinePassOptions pipeline;
    pipeline.schedule = *options.schedule;
    manager.addPass(pop::createPipelinePass(pipeline));
  }
  if (options.overlapsIO)
    addOverlappedIO(manager);
}

/// Lets a run return the results of all micro-batches.
static void anchorResults(func::FuncOp entry) {
  auto all = pop::AnchorAttr::get(entry.getContext(), pop::AnchorKind::All, 0);
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (!entry.getResultAttr(i, pop::PopDialect::kAnchorAttrName))
      entry.setResultAttr(i, pop::PopDialect::kAnchorAttrName, all);
}

/// Makes the entry the program, also if the module has another function @main.
static LogicalResult prepareEntry(ModuleOp module,
                                  const CompileOptions &options) {
  FailureOr<func::FuncOp> entry = lookupEntry(module, options.entry);
  if (failed(entry))
    return failure();
  if (options.microBatches && !isLowered(module))
    anchorResults(*entry);
  if (options.entry == CompileOptions().entry)
    return success();
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function == *entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  return success();
}

/// Adds the pass that erases what prepareEntry() made unused.
static void addEntryPasses(const CompileOptions &options,
                           OpPassManager &manager) {
  if (options.entry != CompileOptions().entry)
    manager.addPass(createSymbolDCEPass());
}

LogicalResult mlir::ipu::prepareGraph(ModuleOp module,
                                      const CompileOptions &options) {
  if (failed(prepareEntry(module, options)))
    return failure();
  PassManager manager(module.getContext());
  addEntryPasses(options, manager);
  addPrecision(options, manager);
  addBits(options, manager);
  return manager.run(module);
}

/// Adds the transforms that save memory. Functions of the program are inlined
/// first, so that `pop-outline` judges them like other repeated ops.
static llvm::Error addMemoryTransforms(const MemoryTransforms &memory,
                                       OpPassManager &manager) {
  if (memory.needInlining()) {
    manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    manager.addPass(createSymbolDCEPass());
  }
  for (const std::string &passes :
       {memory.getVariablePasses(), memory.getPasses()})
    if (!passes.empty())
      if (llvm::Error error = addPipeline(passes, manager))
        return error;
  return llvm::Error::success();
}

/// Adds all passes that `options` requests for a module that is not lowered.
static LogicalResult addDefaultPasses(ModuleOp module,
                                      const CompileOptions &options,
                                      OpPassManager &manager) {
  addPrecision(options, manager);
  if (!options.graphPasses.empty()) {
    if (llvm::Error error = addPipeline(options.graphPasses, manager))
      return module.emitError(llvm::toString(std::move(error)));
  } else if (options.microBatches) {
    addMicroBatches(options, manager);
  } else {
    addBits(options, manager);
    // Seeds are made on the IPU of a call, and inlined ops are on it.
    manager.addPass(pop::createPlaceGraphsPass());
    // Importers do not choose seeds, so that this pass must choose them.
    manager.addPass(pop::createRandomSetupPass());
  }
  if (!options.gradients.empty() &&
      failed(addGradients(module, options, manager)))
    return failure();
  if (llvm::Error error = addMemoryTransforms(options.memory, manager))
    return module.emitError(llvm::toString(std::move(error)));
  if (options.insertsIpuCopies)
    manager.addPass(pop::createInterIpuCopyPass());
  addLowering(options, manager);
  return success();
}

/// Reports that `module` is lowered, which makes passes or options useless.
static LogicalResult reportLowered(ModuleOp module, StringRef expected) {
  return module.emitError()
         << "expects " << expected << ", because the module is lowered already";
}

/// Returns whether a pass of `manager` lowers the module.
static bool lowers(OpPassManager &manager) {
  std::unique_ptr<Pass> lowering = createConvertPopToIPUPass();
  return llvm::any_of(manager.getPasses(), [&](Pass &pass) {
    return pass.getTypeID() == lowering->getTypeID();
  });
}

/// Adds the passes of `options.pipeline`.
static LogicalResult addUserPasses(ModuleOp module,
                                   const CompileOptions &options,
                                   OpPassManager &manager) {
  if (llvm::Error error = addPipeline(options.pipeline, manager))
    return module.emitError(llvm::toString(std::move(error)));
  if (isLowered(module) && lowers(manager))
    return reportLowered(module, "no passes that lower the module");
  return success();
}

/// Adds all passes that compile() runs on `module`.
static LogicalResult addPasses(ModuleOp module, const CompileOptions &options,
                               OpPassManager &manager) {
  if (!options.pipeline.empty())
    return addUserPasses(module, options, manager);
  addEntryPasses(options, manager);
  if (!isLowered(module))
    return addDefaultPasses(module, options, manager);
  if (!options.graphPasses.empty() || !options.gradients.empty())
    return reportLowered(module, "no passes on graphs and no gradients");
  if (options.estimatesAgain)
    manager.addPass(createEstimateCostPass({options.costLevel}));
  return success();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace mlir::ipu {
/// One call of compile().
class Compilation {
public:
  Compilation(OwningOpRef<ModuleOp> module, const CompileOptions &options,
              std::shared_ptr<MLIRContext> context);

  FailureOr<CompiledProgram> run();

private:
  using Impl = CompiledProgram::Impl;

  LogicalResult runPasses();
  /// Takes the program of the host out of the module, if there is one.
  void takeHostProgram();
  LogicalResult compileHostProgram();
  /// Executes one step. Fails if it fails or if the client stops it.
  LogicalResult runStep(std::string name,
                        function_ref<LogicalResult()> execute);
  bool isAdvised() const;
  void advise(double compileSeconds);
  void findConstants();

  const CompileOptions &options;
  std::shared_ptr<Impl> program = std::make_shared<Impl>();
  ModuleOp module;
  /// The module before its compilation, if advice may be needed.
  OwningOpRef<ModuleOp> original;
  /// The program of the host before its compilation; may be null.
  OwningOpRef<ModuleOp> host;
  bool isStopped = false;
};
} // namespace mlir::ipu

Compilation::Compilation(OwningOpRef<ModuleOp> owned,
                         const CompileOptions &options,
                         std::shared_ptr<MLIRContext> context)
    : options(options), module(*owned) {
  program->context = std::move(context);
  program->module = std::move(owned);
  program->entry = options.entry;
}

/// Adds the constants of the module. The first constant of each name counts.
void Compilation::findConstants() {
  module->walk([&](Operation *op) {
    if (auto variable = dyn_cast<VarOp>(op)) {
      if (variable.getInitAttr())
        program->constants.try_emplace(variable.getName().str(),
                                       variable.getInitAttr());
      return;
    }
    auto name = dyn_cast<NameLoc>(op->getLoc());
    ElementsAttr value;
    if (name && matchPattern(op, m_Constant(&value)))
      program->constants.try_emplace(name.getName().str(), value);
  });
}

LogicalResult Compilation::runStep(std::string name,
                                   function_ref<LogicalResult()> execute) {
  if (options.onStep && !options.onStep(name)) {
    isStopped = true;
    return failure();
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  LogicalResult result = execute();
  std::chrono::duration<double> time = Clock::now() - start;
  program->steps.push_back({std::move(name), time.count()});
  return result;
}

/// Each pass has a pass manager of its own, because a pass manager cannot be
/// stopped between passes.
LogicalResult Compilation::runPasses() {
  PassManager all(module.getContext());
  if (failed(addPasses(module, options, all)) ||
      failed(pop::verifyPipelineContracts(all, module.getLoc())))
    return failure();
  for (std::unique_ptr<Pass> &pass : takePasses(all)) {
    std::string name = pop::getPassNames(*pass);
    PassManager manager(module.getContext());
    manager.addPass(std::move(pass));
    if (failed(runStep(std::move(name), [&] { return manager.run(module); })))
      return failure();
    takeHostProgram();
  }
  return success();
}

void Compilation::takeHostProgram() {
  auto nested = module.lookupSymbol<ModuleOp>(pop::kHostProgramName);
  if (!nested)
    return;
  nested->remove();
  host = nested;
}

/// The memory of the host, which is large enough for all programs.
static constexpr int64_t kHostMemory = int64_t(1) << 40;

/// Sets the target of `host`, the program of the host of `device`. The host has
/// the replicas and the arithmetic of the device, so that it computes the same
/// bits.
static LogicalResult setHostTarget(ModuleOp host, ModuleOp device) {
  if (Attribute target = device->getAttr(IPUDialect::kTargetAttrName))
    host->setAttr(IPUDialect::kTargetAttrName, target);
  return setTarget(host, /*preset=*/"",
                   {{"ipus", 1},
                    {"tiles", 1},
                    {"io_tiles", 0},
                    {"tile_memory", kHostMemory}});
}

LogicalResult Compilation::compileHostProgram() {
  if (!host)
    return success();
  if (!isLowered(*host) && failed(setHostTarget(*host, module)))
    return failure();
  CompileOptions hostOptions;
  hostOptions.accumulation = options.accumulation;
  hostOptions.partials = options.partials;
  hostOptions.stochasticRounding = options.stochasticRounding;
  hostOptions.advisesOnMemory = false;
  hostOptions.onStep = options.onStep;
  FailureOr<CompiledProgram> compiled =
      compile(std::move(host), hostOptions, program->context);
  if (failed(compiled))
    return failure();
  program->host = std::move(*compiled);
  return success();
}

bool Compilation::isAdvised() const {
  return options.advisesOnMemory && !options.allowOutOfMemory &&
         options.pipeline.empty() && !isLowered(module);
}

void Compilation::advise(double compileSeconds) {
  MemoryAdvisor advisor;
  advisor.original = *original;
  advisor.entry = options.entry;
  advisor.settings = {options.availableMemoryProportion, options.copyConstants,
                      options.memory};
  advisor.copiesConstants = hasCopiedConstants(module);
  advisor.compileSeconds = compileSeconds;
  advisor.trialSeconds = options.adviceSeconds;
  CompileOptions trial = options;
  trial.allowOutOfMemory = true;
  trial.onStep = nullptr;
  advisor.compile =
      [&](OwningOpRef<ModuleOp> other,
          const MemorySettings &settings) -> std::optional<MemoryOutcome> {
    trial.availableMemoryProportion = settings.share;
    trial.copyConstants = settings.copyConstants;
    trial.memory = settings.transforms;
    FailureOr<CompiledProgram> compiled = compile(std::move(other), trial);
    if (failed(compiled))
      return std::nullopt;
    return getMemoryOutcome(compiled->getModule(), compiled->getEntry());
  };
  if (options.findDimension)
    advisor.dimension = options.findDimension(*original);
  program->advice = advisor.advise();
}

FailureOr<CompiledProgram> Compilation::run() {
  ScopedDiagnosticHandler collect(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          program->remarks.push_back(diagnostic.str());
        return failure();
      });
  if (isAdvised())
    original = module.clone();
  takeHostProgram();
  findConstants();
  // With `pipeline`, a pass may create the entry.
  if (options.pipeline.empty() && failed(prepareEntry(module, options)))
    return failure();
  Stopwatch stopwatch;
  bool isCompiled = succeeded(runPasses());
  if (isCompiled && failed(compileHostProgram()))
    return failure();
  double seconds = stopwatch.getSeconds();
  // After other failures, the module may not be valid.
  bool isTooLarge =
      !isCompiled && !isStopped && ipu::getMissingBytes(module).value_or(0) > 0;
  if (isTooLarge && original)
    (void)runStep(kMemoryAdviceStep.str(), [&] {
      advise(seconds);
      return success();
    });
  if (!isCompiled && !isTooLarge)
    return failure();
  findConstants();
  CompiledProgram compiled(program);
  if (isCompiled)
    return compiled;
  if (options.tooLarge)
    options.tooLarge(std::move(compiled));
  return failure();
}

FailureOr<CompiledProgram>
mlir::ipu::compile(OwningOpRef<ModuleOp> module, const CompileOptions &options,
                   std::shared_ptr<MLIRContext> context) {
  return Compilation(std::move(module), options, std::move(context)).run();
}
