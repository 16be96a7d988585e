//===- Compile.cpp - Compilation of models --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Compile.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;

Status tools::reportNotCompiled(const ModelOptions &model,
                                const Twine &reason) {
  return report(Status::BadModel,
                "could not compile model '" + model.model + "'" + reason);
}

Status tools::reportNotRun(const ModelOptions &model, const Twine &where) {
  return report(Status::BadModel,
                "could not run model '" + model.model + "'" + where);
}

/// Returns the types of the arguments of the function `entry`, or no types if
/// there is no such function.
static ArrayRef<Type> getArgumentTypes(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  return function ? function.getArgumentTypes() : ArrayRef<Type>();
}

/// Returns whether the first dimension of an argument, and nothing else,
/// differs between `types` and `others`.
static bool isLeadingDim(ArrayRef<Type> types, ArrayRef<Type> others) {
  bool isChanged = false;
  for (auto [type, other] : llvm::zip_equal(types, others)) {
    if (type == other)
      continue;
    isChanged = true;
    if (cast<ShapedType>(type).getShape().drop_front() !=
        cast<ShapedType>(other).getShape().drop_front())
      return false;
  }
  return isChanged;
}

/// Returns the first dimension of `model` that can be made smaller and that is
/// only the first dimension of inputs, such as a batch.
static std::optional<ModelDimension>
findLeadingDim(const ModelOptions &model, StringRef entry, ModuleOp module) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler drop(context, [](Diagnostic &) { return success(); });
  for (const auto &[name, size] : model.dims) {
    if (size < 2)
      continue;
    auto resize = [&model, name = name, context](int64_t size) {
      return importResized(model, name, size, context);
    };
    OwningOpRef<ModuleOp> other = resize(size - 1);
    if (other && isLeadingDim(getArgumentTypes(module, entry),
                              getArgumentTypes(*other, entry)))
      return ModelDimension{name, size, resize};
  }
  return std::nullopt;
}

/// Compiles `module` in one of the ways to use several IPUs.
static FailureOr<CompiledProgram> compilePlaced(const ModelOptions &model,
                                                OwningOpRef<ModuleOp> module,
                                                CompileOptions options) {
  Progress::get().show("compiling " + model.model);
  options.onStep = [&, onStep = options.onStep](StringRef step) {
    Progress::get().show(step == kMemoryAdviceStep
                             ? "trying other ways to compile " + model.model
                             : "compiling " + model.model + ": " + step.str());
    return !onStep || onStep(step);
  };
  options.insertsIpuCopies = options.placesLayers || !model.placements.empty();
  options.findDimension = [&](ModuleOp original) {
    return findLeadingDim(model, options.entry, original);
  };
  FailureOr<CompiledProgram> program = compile(std::move(module), options);
  Progress::get().clear();
  return program;
}

/// Compiles `module` without diagnostics and advice. Returns the program and
/// its cycles, or std::nullopt if it cannot be compiled.
static std::optional<std::pair<CompiledProgram, int64_t>>
tryToCompile(const ModelOptions &model, OwningOpRef<ModuleOp> module,
             CompileOptions options) {
  ScopedDiagnosticHandler drop(module->getContext(),
                               [](Diagnostic &) { return success(); });
  options.advisesOnMemory = false;
  options.tooLarge = nullptr;
  FailureOr<CompiledProgram> program =
      compilePlaced(model, std::move(module), options);
  if (failed(program))
    return std::nullopt;
  std::optional<MemoryOutcome> outcome =
      getMemoryOutcome(program->getModule(), program->getEntry());
  if (!outcome || outcome->missingBytes > 0)
    return std::nullopt;
  return std::pair(*program, outcome->cycles);
}

/// Compiles `module` in both ways if layers fit on the IPUs.
static FailureOr<CompiledProgram> compileFastest(const ModelOptions &model,
                                                 OwningOpRef<ModuleOp> module,
                                                 const CompileOptions &spread,
                                                 const CompileOptions &layers) {
  Location loc = module->getLoc();
  auto placed = tryToCompile(model, module->clone(), layers);
  if (!placed) {
    emitRemark(loc) << "each op is spread over all IPUs (--placement spread), "
                       "because the program cannot be compiled with "
                       "--placement layers, or does not fit";
    return compilePlaced(model, std::move(module), spread);
  }
  auto whole = tryToCompile(model, std::move(module), spread);
  bool usesLayers = !whole || placed->second < whole->second;
  InFlightDiagnostic remark = emitRemark(loc);
  remark << (usesLayers ? "each IPU has layers of the model"
                        : "each op is spread over all IPUs")
         << " (--placement " << (usesLayers ? "layers" : "spread")
         << "): a run takes " << (usesLayers ? placed->second : whole->second)
         << " cycles";
  if (whole)
    remark << ", and " << (usesLayers ? whole->second : placed->second)
           << " cycles with --placement " << (usesLayers ? "spread" : "layers");
  else
    remark << ", and with --placement spread the program does not fit";
  return usesLayers ? placed->first : whole->first;
}

/// Returns whether there is a choice of how `module` uses several IPUs.
static bool hasChoice(ModuleOp module, const CompileOptions &options) {
  return options.pipeline.empty() && !isLowered(module) &&
         getTargetModel(module).ipus > 1 && !pop::findFirstVgraph(module);
}

FailureOr<CompiledProgram>
tools::compileModel(const ModelOptions &model, OwningOpRef<ModuleOp> module,
                    const CompileOptions &options,
                    std::optional<CompileOptions> layers) {
  if (!layers)
    layers = options;
  layers->placesLayers = true;
  FailureOr<CompiledProgram> program = failure();
  if (model.placement == PlacementKind::Spread || !hasChoice(*module, options))
    program = compilePlaced(model, std::move(module), options);
  else if (model.placement == PlacementKind::Layers)
    program = compilePlaced(model, std::move(module), *layers);
  else
    program = compileFastest(model, std::move(module), options, *layers);
  if (failed(program))
    reportNotCompiled(model);
  return program;
}
