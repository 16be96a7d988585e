//===- GraphPipeline.cpp - pop-graph-pipeline -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/Pipelines.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Placement/Passes.h"
#include "ipu-mlir/Support/ModulePipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::pop;

/// Makes the entry function an update of weights. Gradients are in functions
/// that are called, which are inlined: other passes look at one function.
static void addUpdates(OpPassManager &manager,
                       const GraphPipelineOptions &options) {
  AutodiffPassOptions autodiff;
  autodiff.function = options.train;
  autodiff.provided.assign(options.loss.begin(), options.loss.end());
  autodiff.required.assign(options.weights.begin(), options.weights.end());
  // Both graphs are inlined: nothing has to be computed, or drawn, again.
  autodiff.stitch = Stitch::SafeAddFwdOutputs;
  autodiff.caller = "main";
  manager.addPass(createAutodiffPass(autodiff));
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());
  AddOptimizerPassOptions optimizer;
  optimizer.optimizer = options.optimizer;
  optimizer.accumulationFactor = options.accumulationFactor;
  optimizer.reduce = options.reduce;
  optimizer.mean = options.mean;
  manager.addPass(createAddOptimizerPass(optimizer));
  if (options.decomposeGradSums) {
    DecomposeSumsPassOptions sums;
    sums.gradientsOnly = true;
    manager.addPass(createDecomposeSumsPass(sums));
  }
}

static void addLossScale(OpPassManager &manager,
                         const GraphPipelineOptions &options) {
  if (options.ensureFp32LossScale || options.automaticLossScale)
    manager.addPass(createEnsureFp32LossScalePass());
  if (!options.automaticLossScale)
    return;
  AutomaticLossScalePassOptions lossScale;
  lossScale.updatePeriod = options.lossScaleUpdatePeriod;
  if (!options.trackedTensors.empty())
    lossScale.tracked = TrackedGradients::Marked;
  manager.addPass(createAutomaticLossScalePass(lossScale));
}

/// What transforms updates before they are decomposed. Merged gradients have
/// one norm, and norms are those of gradients without their loss scale.
static void addUpdateTransforms(OpPassManager &manager,
                                const GraphPipelineOptions &options) {
  if (options.mergeUpdates != UpdateMerging::None) {
    MergeVarUpdatesPassOptions updates;
    updates.mode = options.mergeUpdates;
    manager.addPass(createMergeVarUpdatesPass(updates));
  }
  if (!options.train.empty())
    addLossScale(manager, options);
  manager.addPass(createClipGradientsPass());
}

static void addMergedCollectives(OpPassManager &manager, int64_t maxBytes) {
  ContiguateCollectivesPassOptions contiguate;
  contiguate.maxBytes = maxBytes;
  manager.addPass(createContiguateCollectivesPass(contiguate));
  MergeCollectivesPassOptions merge;
  merge.maxBytes = maxBytes;
  manager.addNestedPass<func::FuncOp>(createMergeCollectivesPass(merge));
}

static void addMainLoops(OpPassManager &manager,
                         const GraphPipelineOptions &options) {
  MainLoopsPassOptions loops;
  loops.batchesPerStep = options.batchesPerStep;
  loops.accumulationFactor = options.accumulationFactor;
  manager.addPass(createMainLoopsPass(loops));
}

static void addBits(OpPassManager &manager, const GraphPipelineOptions &options,
                    bool warnsKept) {
  ipu::addBitPasses(manager, options.accumulation, options.partials,
                    options.stochasticRounding, options.roundingOverflow,
                    warnsKept);
}

/// The bytes of tile memory for each byte of a trained weight: the weight, its
/// gradient and at most two states.
static constexpr double kTrainedWeightFactor = 4;

void mlir::ipu::addLayerPlacement(OpPassManager &manager, bool isTrained,
                                  int64_t microBatches, PipelineKind schedule) {
  AutoVgraphPassOptions split;
  split.training = isTrained;
  if (isTrained)
    split.weightFactor = kTrainedWeightFactor;
  split.microBatches = microBatches;
  split.schedule = schedule;
  manager.addPass(createAutoVgraphPass(split));
  manager.addPass(createInterIpuCopyPass());
  manager.addPass(createMergeCopiesPass());
}

void mlir::ipu::addOverlappedIO(OpPassManager &manager) {
  manager.addPass(createPlaceTransfersPass());
  manager.addPass(createIoTileCopyPass());
  manager.addPass(createOverlapIOPass());
}

// The order is that of PopART (Ir::prepareImpl), but that states become
// variables when all transforms that add some have run.
static void addPasses(OpPassManager &manager,
                      const GraphPipelineOptions &options) {
  bool isTrained = !options.train.empty();
  manager.addPass(createVerifyRefsPass());
  if (isTrained && options.automaticLossScale &&
      !options.trackedTensors.empty()) {
    PreAutomaticLossScalePassOptions tracked;
    tracked.function = options.train;
    tracked.tensors.assign(options.trackedTensors.begin(),
                           options.trackedTensors.end());
    manager.addPass(createPreAutomaticLossScalePass(tracked));
  }
  // Ops get orders, numbers and seeds before gradients, so that the copies of
  // an op in a backward graph have the same bits.
  addBits(manager, options,
          /*warnsKept=*/options.accumulation.hasValue() ||
              options.partials.hasValue());
  if (options.placeLayers)
    ipu::addLayerPlacement(manager, isTrained,
                           isTrained && options.schedule.hasValue()
                               ? options.accumulationFactor
                               : 0,
                           options.schedule);
  if (options.inferStages) {
    InferStagesPassOptions stages;
    stages.furtherStages = true;
    manager.addPass(createInferStagesPass(stages));
  }
  // Copies of a function on several IPUs have the same numbers. Seeds are made
  // on the IPU of a call, and inlined ops are on it.
  manager.addPass(createPlaceGraphsPass());
  manager.addPass(createVerifyPlacementPass());
  RandomSetupPassOptions seeds;
  seeds.function = options.train;
  manager.addPass(createRandomSetupPass(seeds));
  if (isTrained)
    addUpdates(manager, options);
  addUpdateTransforms(manager, options);
  // After all that finds gradients by the ops that add them.
  manager.addPass(createInplaceAccumulatePass());
  // The ops of gradients and updates get orders and numbers before loops and
  // all other transforms that copy or split ops.
  addBits(manager, options, /*warnsKept=*/false);
  if (isTrained)
    manager.addPass(createStateToVariablesPass());
  // After gradients, which are asked for by the names of arguments.
  if (options.hostIO)
    manager.addPass(createHostLoadSetupPass());
  manager.addPass(createPrunePass());
  if (options.batchesPerStep != 1 || options.accumulationFactor != 1)
    addMainLoops(manager, options);
  // After loops over batches: values are stored in each iteration.
  if (options.hostIO)
    manager.addPass(createHostStoreSetupPass());
  // After loops, in which updates are once in each run, and before transfers of
  // weights and gradients are merged.
  if (options.hostReduce)
    manager.addPass(createHostReducePass());
  // After updates on the host, which find gradients by their collectives.
  if (options.mergeCollectives.hasValue())
    addMergedCollectives(manager, options.mergeCollectives);
  if (options.mergeExchange)
    manager.addPass(createMergeExchangePass());
  manager.addPass(createMergeDuplicateOpsPass());
}

void mlir::pop::buildGraphPipeline(OpPassManager &manager,
                                   const GraphPipelineOptions &options) {
  size_t first = manager.size();
  addPasses(manager, options);
  if (options.verifyContracts)
    addContractChecks(manager, first);
}

static constexpr StringLiteral kPipeline = "pop-graph-pipeline";

/// Options that do nothing without another one are errors.
static LogicalResult
verifyOptions(function_ref<LogicalResult(const Twine &)> emitError,
              const GraphPipelineOptions &options) {
  auto verify = [&](const auto &option, const auto &needed) {
    return ipu::verifyNeededOption(emitError, kPipeline, option, needed);
  };
  return success(
      succeeded(verify(options.roundingOverflow, options.stochasticRounding)) &&
      succeeded(verify(options.loss, options.train)) &&
      succeeded(verify(options.schedule, options.inferStages)) &&
      succeeded(verify(options.weights, options.train)) &&
      succeeded(verify(options.optimizer, options.train)) &&
      succeeded(verify(options.reduce, options.train)) &&
      succeeded(verify(options.mean, options.train)) &&
      succeeded(verify(options.automaticLossScale, options.train)) &&
      succeeded(verify(options.ensureFp32LossScale, options.train)) &&
      succeeded(verify(options.decomposeGradSums, options.train)) &&
      succeeded(verify(options.trackedTensors, options.automaticLossScale)) &&
      succeeded(
          verify(options.lossScaleUpdatePeriod, options.automaticLossScale)));
}

void mlir::pop::registerGraphPipeline() {
  ipu::registerModulePipeline<GraphPipelineOptions>(
      kPipeline,
      "Run the graph transforms in the order in which they have to run",
      buildGraphPipeline, verifyOptions);
}
