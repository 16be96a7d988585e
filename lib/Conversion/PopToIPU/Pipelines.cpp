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
  // Before anything slices ops: what is chosen for an op is kept for its parts.
  pop::ChooseAccumulationPassOptions choose;
  choose.accumulation = options.accumulation;
  manager.addPass(pop::createChooseAccumulationPass(choose));
  // Graphs: what crosses calls and regions lies in variables.
  manager.addPass(pop::createVerifyRefsPass());
  manager.addPass(pop::createVerifyPlacementPass());
  manager.addPass(pop::createVerifyGraphsPass());
  manager.addPass(pop::createVerifyCodeLoadsPass());
  manager.addPass(createVerifyReplicasPass());
  manager.addPass(pop::createMergeCodeLoadsPass());
  manager.addPass(pop::createOverlapCodeLoadsPass());
  // Afterwards calls have no arguments to disagree on.
  pop::StochasticRoundingPassOptions rounding;
  rounding.generator = options.stochasticRounding;
  rounding.overflow = options.roundingOverflow;
  rounding.onlyWarn = true;
  manager.addPass(pop::createStochasticRoundingPass(rounding));
  // Methods that the program forces.
  pop::VerifyStochasticRoundingPassOptions verifyRounding;
  verifyRounding.onlyForced = true;
  manager.addPass(pop::createVerifyStochasticRoundingPass(verifyRounding));
  pop::LowerCallsPassOptions lowerCalls;
  lowerCalls.entry = options.entry;
  manager.addPass(pop::createLowerCallsPass(lowerCalls));
  manager.addNestedPass<func::FuncOp>(pop::createLowerControlFlowPass());

  // Pop level: only ops that tiles compute or that move data are left, each
  // once.
  manager.addNestedPass<func::FuncOp>(pop::createDecomposePass());
  manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
  manager.addNestedPass<func::FuncOp>(pop::createCSEPass());

  // Equal ops are one now, and none is split yet.
  manager.addPass(pop::createNumberDrawsPass());

  if (options.planner == PlannerKind::Program) {
    SplitOpsPassOptions splitOps;
    splitOps.availableMemoryProportion = options.availableMemoryProportion;
    splitOps.serialParts = options.serialParts;
    manager.addPass(createSplitOpsPass(splitOps));
    // Calls of parts.
    manager.addPass(pop::createLowerCallsPass(lowerCalls));
    manager.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
    manager.addNestedPass<func::FuncOp>(pop::createCSEPass());
  }

  // From here on reads share the storage of what they read.
  manager.addPass(pop::createSnapshotReadsPass());

  // Nothing makes an op after this one.
  rounding.onlyWarn = false;
  manager.addPass(pop::createStochasticRoundingPass(rounding));
  manager.addPass(pop::createVerifyStochasticRoundingPass());

  // What the device may be asked to check.
  pop::AnnotateReplicaEqualPassOptions annotate;
  annotate.onlyReplicated = true;
  manager.addPass(pop::createAnnotateReplicaEqualPass(annotate));

  // Tiles: where each tensor lies, and a codelet for each op.
  MapTensorsPassOptions mapTensors;
  mapTensors.planner = options.planner;
  mapTensors.availableMemoryProportion = options.availableMemoryProportion;
  manager.addPass(createMapTensorsPass(mapTensors));
  ConvertPopToIPUPassOptions convert;
  convert.entry = options.entry;
  manager.addPass(createConvertPopToIPUPass(convert));
  manager.addPass(createSwitchRngStatesPass());
  manager.addNestedPass<CodeletOp>(createExpandMathPass());

  // Program: data where it is used; fewer steps; then lives, which see the
  // exchanges' variables; then costs, which nothing may change afterwards.
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
  // Last, so that nothing is added to what was found to fit.
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
