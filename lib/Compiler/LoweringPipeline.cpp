//===- LoweringPipeline.cpp - pop-to-ipu-pipeline ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/Pipelines.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Placement/Passes.h"
#include "ipu-mlir/Support/ModulePipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::ipu;

using LoweringOptions = PopToIPUPipelineOptions;

void mlir::ipu::addBitPasses(OpPassManager &manager,
                             pop::AccumulationKind accumulation,
                             pop::PartialsKind partials,
                             const std::string &stochasticRounding,
                             const std::string &roundingOverflow,
                             bool warnsKept) {
  manager.addPass(
      pop::createChooseAccumulationPass({accumulation, partials, warnsKept}));
  pop::NumberDrawsPassOptions draws;
  draws.generator = stochasticRounding;
  draws.overflow = roundingOverflow;
  manager.addPass(pop::createNumberDrawsPass(draws));
}

/// The ops of a graph that already went through `pop-graph-pipeline` keep their
/// orders and numbers. A user who asks for other orders gets a warning.
static void addBits(OpPassManager &manager, const LoweringOptions &options) {
  addBitPasses(manager, options.accumulation, options.partials,
               options.stochasticRounding, options.roundingOverflow,
               /*warnsKept=*/options.accumulation.hasValue() ||
                   options.partials.hasValue());
}

/// After these passes, calls and regions pass values only in variables.
static void addGraphs(OpPassManager &manager, const LoweringOptions &options) {
  manager.addPass(pop::createVerifyRefsPass());
  manager.addPass(pop::createWeightsFromHostPass({options.entry}));
  manager.addPass(pop::createPlaceGraphsPass());
  pop::VerifyPlacementPassOptions placement;
  placement.isComplete = true;
  placement.warnsIgnored = true;
  manager.addPass(pop::createVerifyPlacementPass(placement));
  manager.addPass(pop::createVerifyGraphsPass());
  manager.addPass(pop::createVerifyCodeLoadsPass());
  manager.addPass(createVerifyReplicasPass());
  manager.addPass(pop::createMergeCodeLoadsPass());
  manager.addPass(pop::createOverlapCodeLoadsPass());
  // Calls that need different rounding methods still have arguments here, so
  // that the pass can warn about them.
  pop::StochasticRoundingPassOptions rounding;
  rounding.onlyWarn = true;
  manager.addPass(pop::createStochasticRoundingPass(rounding));
  // Verify only the rounding methods that the program forces.
  pop::VerifyStochasticRoundingPassOptions verifyRounding;
  verifyRounding.onlyForced = true;
  manager.addPass(pop::createVerifyStochasticRoundingPass(verifyRounding));
  manager.addPass(pop::createLowerCallsPass({options.entry}));
  manager.addNestedPass<func::FuncOp>(pop::createLowerControlFlowPass());
  // In a placed program, these variables are on the IPUs of their values.
  manager.addPass(pop::createInferVgraphsPass());
}

/// After these passes, there are only ops that tiles compute and ops that move
/// data. No two ops are equal.
static void addDecomposition(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(pop::createDecomposePass());
  manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
  manager.addNestedPass<func::FuncOp>(pop::createCSEPass());
  // Splits and tile mappings depend on which updates are in place.
  manager.addPass(pop::createUpdateInPlacePass());
  // Canonicalization creates ops that round and have no number.
  manager.addPass(pop::createNumberDrawsPass());
}

static void addSplits(OpPassManager &manager, const LoweringOptions &options) {
  SplitOpsPassOptions split;
  split.availableMemoryProportion = options.availableMemoryProportion;
  split.serialParts = options.serialParts;
  manager.addPass(createSplitOpsPass(split));
  // Lower the calls of functions for parts.
  manager.addPass(pop::createLowerCallsPass({options.entry}));
  manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
  manager.addNestedPass<func::FuncOp>(pop::createCSEPass());
}

/// From these passes on, a read shares the storage of the variable that it
/// reads, and no pass creates ops that round.
static void addRounding(OpPassManager &manager) {
  manager.addPass(pop::createSnapshotReadsPass());
  manager.addPass(pop::createStochasticRoundingPass());
  manager.addPass(pop::createVerifyStochasticRoundingPass());
  // The device can check these annotations.
  pop::AnnotateReplicaEqualPassOptions annotate;
  annotate.onlyReplicated = true;
  manager.addPass(pop::createAnnotateReplicaEqualPass(annotate));
}

/// Chooses a tile mapping for each tensor.
static void addMapping(OpPassManager &manager, const LoweringOptions &options) {
  // Splits added variables.
  manager.addPass(pop::createInferVgraphsPass());
  MapTensorsPassOptions map;
  map.planner = options.planner;
  map.availableMemoryProportion = options.availableMemoryProportion;
  map.copyConstants = options.copyConstants;
  manager.addPass(createMapTensorsPass(map));
}

static void addConversion(OpPassManager &manager,
                          const LoweringOptions &options) {
  manager.addPass(createConvertPopToIPUPass({options.entry}));
  manager.addPass(createSwitchRngStatesPass());
  manager.addNestedPass<CodeletOp>(createExpandMathPass());
}

/// Moves data to the tiles that use them, and merges steps. Live ranges also
/// require the variables of exchanges.
static void addSteps(OpPassManager &manager, const LoweringOptions &options) {
  manager.addNestedPass<func::FuncOp>(createMaterializeExchangePass());
  if (options.mergeSteps)
    manager.addNestedPass<func::FuncOp>(
        createMergeStepsPass({options.availableMemoryProportion}));
  // Merged exchanges have one sync.
  manager.addNestedPass<func::FuncOp>(createPlaceSyncsPass());
  manager.addNestedPass<func::FuncOp>(createLivenessPass());
}

void mlir::ipu::buildPopToIPUPipeline(OpPassManager &manager,
                                      const LoweringOptions &options) {
  size_t first = manager.size();
  addBits(manager, options);
  addGraphs(manager, options);
  addDecomposition(manager);
  if (options.planner == PlannerKind::Program)
    addSplits(manager, options);
  addRounding(manager);
  addMapping(manager, options);
  addConversion(manager, options);
  addSteps(manager, options);
  // Later passes must not change costs, and must not add memory.
  manager.addPass(createEstimateCostPass({options.costLevel}));
  manager.addPass(createAllocatePass({options.allowOOM}));
  if (!options.verifyContracts)
    return;
  registerPopToIPUContracts();
  registerPlacementContracts();
  pop::addContractChecks(manager, first);
}

static constexpr StringLiteral kPipeline = "pop-to-ipu-pipeline";

static LogicalResult
verifyOptions(function_ref<LogicalResult(const Twine &)> emitError,
              const LoweringOptions &options) {
  return verifyNeededOption(emitError, kPipeline, options.roundingOverflow,
                            options.stochasticRounding);
}

void mlir::ipu::registerCompilerPipelines() {
  pop::registerGraphPipeline();
  registerModulePipeline<LoweringOptions>(
      kPipeline, "From a pop function to a program that ipu-execute runs",
      buildPopToIPUPipeline, verifyOptions);
}
