//===- InitAll.cpp - Registration of dialects and passes --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR ends the process if one name is registered for two classes. This happens
// if a plugin is loaded into a host with the same dialects and passes, because
// the plugin and the host each have a copy of the classes. So existing
// registrations are checked first.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/InitAll.h"

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Compiler/Pipelines.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Pipelines.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Pipelines.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Executor/Passes.h"
#include "ipu-mlir/Executor/Program/ExecutableInterface.h"
#include "ipu-mlir/Placement/Passes.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

/// Registers a dialect unless there is one of that name.
template <typename DialectT>
static void registerDialect(DialectRegistry &registry) {
  if (!registry.getDialectAllocator(DialectT::getDialectNamespace()))
    registry.insert<DialectT>();
}

/// Registers a group of passes, of which `argument` is one, unless it is there.
static void registerPasses(StringRef argument, void (*registerGroup)()) {
  if (!PassInfo::lookup(argument))
    registerGroup();
}

/// Registers a group of pipelines, of which `argument` is one, unless it is
/// there.
static void registerPipelines(StringRef argument, void (*registerGroup)()) {
  if (!PassPipelineInfo::lookup(argument))
    registerGroup();
}

void ipu::registerAllDialects(DialectRegistry &registry) {
  registerDialect<fuse::FuseDialect>(registry);
  registerDialect<IPUDialect>(registry);
  registerDialect<pop::PopDialect>(registry);
  registerDialect<sdy::SdyDialect>(registry);
  registerDialect<stablehlo::StableHLODialect>(registry);
  fuse::registerTransformDialectExtension(registry);
  func::registerInlinerExtension(registry);
  registerStepCostModels(registry);
  registerStepMemoryModels(registry);
  registerExecutableModels(registry);
  sdy::registerShardingRuleModels(registry);
}

void ipu::registerAllPasses() {
  registerPasses("fuse-form", fuse::registerFuseTransformsPasses);
  registerPasses("ipu-liveness", registerIPUTransformsPasses);
  registerPasses("convert-pop-to-ipu", registerPopToIPUPasses);
  registerPasses("ipu-execute", registerIPUExecutorPasses);
  registerPasses("pop-decompose", pop::registerPopTransformsPasses);
  registerPasses("pop-outline", registerPlacementPasses);
  registerPopToIPUContracts();
  registerPlacementContracts();
  registerPasses("sdy-basic-propagate", sdy::registerSdyTransformsPasses);
}

void ipu::registerAllPipelines() {
  registerPipelines("fuse-pipeline", fuse::registerFusePipelines);
  registerPipelines("pop-graph-pipeline", registerCompilerPipelines);
  registerPipelines("sdy-propagation-pipeline", sdy::registerSdyPipelines);
}
