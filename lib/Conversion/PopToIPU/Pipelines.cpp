//===- Pipelines.cpp - pop-to-ipu-pipeline ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Support/ModulePipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::ipu;

void mlir::ipu::registerPopToIPUContracts() {
  using pop::Condition;
  static const pop::PassContract kContracts[] = {
#define GEN_PASS_CONTRACTS
#include "ipu-mlir/Conversion/PopToIPU/Contracts.inc"
  };
  pop::registerPassContracts(kContracts);
}

static void addPasses(OpPassManager &manager,
                      const PopToIPUPipelineOptions &options) {
  // This is before all passes that split ops, because the parts of an op keep
  // its accumulation order.
  pop::ChooseAccumulationPassOptions choose;
  choose.accumulation = options.accumulation;
  manager.addPass(pop::createChooseAccumulationPass(choose));
  // Graphs: after these passes, calls and regions pass values only in
  // variables.
  manager.addPass(pop::createVerifyRefsPass());
  pop::VerifyPlacementPassOptions placement;
  placement.warnsIgnored = true;
  manager.addPass(pop::createVerifyPlacementPass(placement));
  manager.addPass(pop::createVerifyGraphsPass());
  manager.addPass(pop::createVerifyCodeLoadsPass());
  manager.addPass(createVerifyReplicasPass());
  manager.addPass(pop::createMergeCodeLoadsPass());
  manager.addPass(pop::createOverlapCodeLoadsPass());
  // Methods are chosen before calls lose their arguments, so that the pass can
  // warn about calls that disagree.
  pop::StochasticRoundingPassOptions rounding;
  rounding.generator = options.stochasticRounding;
  rounding.overflow = options.roundingOverflow;
  rounding.onlyWarn = true;
  manager.addPass(pop::createStochasticRoundingPass(rounding));
  // Verify only the rounding methods that the program forces.
  pop::VerifyStochasticRoundingPassOptions verifyRounding;
  verifyRounding.onlyForced = true;
  manager.addPass(pop::createVerifyStochasticRoundingPass(verifyRounding));
  pop::LowerCallsPassOptions lowerCalls;
  lowerCalls.entry = options.entry;
  manager.addPass(pop::createLowerCallsPass(lowerCalls));
  manager.addNestedPass<func::FuncOp>(pop::createLowerControlFlowPass());

  // Pop level: after these passes, there are only ops that tiles compute and
  // ops that move data. No two ops are equal.
  manager.addNestedPass<func::FuncOp>(pop::createDecomposePass());
  manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
  manager.addNestedPass<func::FuncOp>(pop::createCSEPass());

  // At this point, equal ops have been merged, and no op has been split.
  manager.addPass(pop::createNumberDrawsPass());

  if (options.planner == PlannerKind::Program) {
    SplitOpsPassOptions splitOps;
    splitOps.availableMemoryProportion = options.availableMemoryProportion;
    splitOps.serialParts = options.serialParts;
    manager.addPass(createSplitOpsPass(splitOps));
    // Lower the calls of functions for parts.
    manager.addPass(pop::createLowerCallsPass(lowerCalls));
    manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
    manager.addNestedPass<func::FuncOp>(pop::createCSEPass());
  }

  // From this point on, a read shares the storage of the variable that it
  // reads.
  manager.addPass(pop::createSnapshotReadsPass());

  // No later pass creates ops that round.
  rounding.onlyWarn = false;
  manager.addPass(pop::createStochasticRoundingPass(rounding));
  manager.addPass(pop::createVerifyStochasticRoundingPass());

  // Annotations that the device can check.
  pop::AnnotateReplicaEqualPassOptions annotate;
  annotate.onlyReplicated = true;
  manager.addPass(pop::createAnnotateReplicaEqualPass(annotate));

  // Tiles: choose a tile mapping for each tensor and a codelet for each op.
  MapTensorsPassOptions mapTensors;
  mapTensors.planner = options.planner;
  mapTensors.availableMemoryProportion = options.availableMemoryProportion;
  mapTensors.copyConstants = options.copyConstants;
  manager.addPass(createMapTensorsPass(mapTensors));
  ConvertPopToIPUPassOptions convert;
  convert.entry = options.entry;
  manager.addPass(createConvertPopToIPUPass(convert));
  manager.addPass(createSwitchRngStatesPass());
  manager.addNestedPass<CodeletOp>(createExpandMathPass());

  // Program: move data to the tiles that use them, and merge steps. Then
  // determine live ranges, which also requires the variables of exchanges. Then
  // estimate costs; later passes must not change them.
  manager.addNestedPass<func::FuncOp>(createMaterializeExchangePass());
  if (options.mergeSteps) {
    MergeStepsPassOptions merge;
    merge.availableMemoryProportion = options.availableMemoryProportion;
    manager.addNestedPass<func::FuncOp>(createMergeStepsPass(merge));
  }
  manager.addNestedPass<func::FuncOp>(createLivenessPass());
  EstimateCostPassOptions estimate;
  estimate.level = options.costLevel;
  manager.addPass(createEstimateCostPass(estimate));
  // The allocation is last, because later passes must not add memory.
  AllocatePassOptions allocate;
  allocate.allowOOM = options.allowOOM;
  manager.addPass(createAllocatePass(allocate));
}

void mlir::ipu::buildPopToIPUPipeline(OpPassManager &manager,
                                      const PopToIPUPipelineOptions &options) {
  size_t first = manager.size();
  addPasses(manager, options);
  if (!options.verifyContracts)
    return;
  registerPopToIPUContracts();
  pop::addContractChecks(manager, first);
}

void mlir::ipu::registerPopToIPUPipelines() {
  registerModulePipeline<PopToIPUPipelineOptions>(
      "pop-to-ipu-pipeline",
      "From a pop function to a program that ipu-execute runs",
      buildPopToIPUPipeline);
}
