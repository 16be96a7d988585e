//===- Pipelines.cpp - Sharding pipelines ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Pipelines.h"

#include "ipu-mlir/Support/ModulePipeline.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// The stages are numbered, so that files are in order.
static void addDump(OpPassManager &pm, const DumpOptions &dump,
                    StringRef stage) {
  if (dump.moduleDumpDirectory.empty())
    return;
  SaveModuleOpPassOptions options;
  options.moduleDumpDirectory = dump.moduleDumpDirectory;
  options.fileName = stage.str();
  pm.addPass(createSaveModuleOpPass(options));
}

namespace {
/// What becomes of calls.
enum class CallMode {
  /// They are inlined and stay so.
  Inline,
  /// Each has a function of its own, which is a computation in its caller while
  /// shardings propagate; of functions sharded equally one is left.
  Flatten,
  /// Functions stay as they are; edges join them with their calls.
  Keep
};
} // namespace

static CallMode getCallMode(const ImportOptions &options) {
  return options.dedupFunctionsFully ? CallMode::Keep
         : options.inlineCalls       ? CallMode::Inline
                                     : CallMode::Flatten;
}

static void addApplyConstraints(OpPassManager &pm, DebugInfo debug) {
  ApplyShardingConstraintsPassOptions options;
  options.debugShardingOrigins = debug.origins;
  options.debugPropagationEdges = debug.edges;
  pm.addPass(createApplyShardingConstraintsPass(options));
}

static void addSinkEdges(OpPassManager &pm, DebugInfo debug) {
  SinkDataFlowEdgesPassOptions options;
  options.sinkDebugShardingOrigins = debug.origins;
  options.sinkDebugPropagationEdges = debug.edges;
  pm.addPass(createSinkDataFlowEdgesPass(options));
}

void sdy::buildSdyImportPipeline(OpPassManager &pm,
                                 const ImportOptions &options,
                                 const DumpOptions &dump, DebugInfo debug,
                                 bool dropsNonDivisible) {
  pm.addPass(createRemoveDeadSymbolsPass());
  LintShardingsPassOptions lint;
  lint.nonDivisible = dropsNonDivisible;
  lint.exportsComputations = getCallMode(options) == CallMode::Flatten;
  pm.addPass(createLintShardingsPass(lint));
  pm.addPass(createLiftInlinedMeshesPass());
  RemoveSizeOneAxesPassOptions sizeOne;
  sizeOne.fromMeshes = options.removeSizeOneAxesFromMeshes;
  pm.addPass(createRemoveSizeOneAxesPass(sizeOne));
  pm.addPass(createImportFrontendRulesPass());
  pm.addPass(createInferUnreducedAxesPass());
  pm.addPass(createIsolateCollectivesPass());
  CallMode mode = getCallMode(options);
  if (mode == CallMode::Inline) {
    pm.addPass(createInlineCallsPass());
  } else {
    pm.addPass(createPropagateShardingFromFuncToCallPass());
  }
  pm.addPass(createInlineRegionsPass());
  pm.addPass(createConstantOrScalarSplitterPass());
  if (options.enableExplicitGatherScatterBatching)
    pm.addPass(createExplicitGatherScatterBatchingPass());
  pm.addPass(createManualAxesCleanupPass());
  addDump(pm, dump, "0_before_propagation");
  pm.addPass(createAddDataFlowEdgesPass());
  // Otherwise when calls have become computations.
  if (mode != CallMode::Flatten) {
    addApplyConstraints(pm, debug);
    pm.addPass(createShardingGroupImportPass());
  }
}

/// After the import pipeline.
static void addCallImport(OpPassManager &pm, CallMode mode, DebugInfo debug) {
  if (mode == CallMode::Inline)
    return;
  FlattenCallGraphPassOptions flatten;
  flatten.onlyManualAxes = mode == CallMode::Keep;
  pm.addPass(createFlattenCallGraphPass(flatten));
  pm.addPass(createRemoveDeadSymbolsPass());
  if (mode == CallMode::Keep) {
    pm.addPass(createAddFuncDataFlowEdgesPass());
  } else {
    pm.addPass(createImportFuncCallsPass());
    pm.addPass(createRemoveDeadSymbolsPass());
    pm.addPass(createAddDataFlowEdgesPass());
    addApplyConstraints(pm, debug);
    pm.addPass(createShardingGroupImportPass());
  }
  pm.addPass(createPreOrderFuncsPass());
}

/// Before the export pipeline.
static void addCallExport(OpPassManager &pm, CallMode mode, DebugInfo debug) {
  if (mode == CallMode::Inline)
    return;
  if (mode == CallMode::Flatten) {
    // Of functions there are no edges that could be sunk.
    addSinkEdges(pm, debug);
    pm.addPass(createExportNamedComputationsPass());
  }
  pm.addPass(createPropagateToFuncResultsPass());
  pm.addPass(createSinkFuncDataFlowEdgesPass());
  pm.addPass(createUnflattenCallGraphPass());
  pm.addPass(createRemoveDeadSymbolsPass());
  pm.addPass(createInsertFuncCallReshardsPass());
}

/// After reshards have been inserted wherever the tensors of an op disagree.
static void addCollectives(OpPassManager &pm, const ExportOptions &options) {
  pm.addPass(createCanonicalizeReshardsPass());
  pm.addPass(createReshardToCollectivesPass());
  pm.addPass(createCanonicalizeCollectivesPass());
  if (options.removeAllGatherReduceScatterForCMV1)
    pm.addPass(createRemoveAllGatherReduceScatterForCMV1Pass());
}

void sdy::buildSdyExportPipeline(OpPassManager &pm,
                                 const ExportOptions &options,
                                 const DumpOptions &dump, DebugInfo kept) {
  pm.addPass(createConstantOrScalarMergerPass());
  addSinkEdges(pm, {options.dumpShardingOrigins || kept.origins,
                    options.dumpPropagationEdges || kept.edges});
  if (!options.avoidExportForPartitioning) {
    pm.addPass(createRemoveShardingGroupsPass());
    pm.addPass(createShardingConstraintToReshardPass());
  }
  if (options.updateNonDivisible) {
    UpdateNonDivisibleInputOutputShardingsPassOptions update;
    update.warn = false;
    pm.addPass(createUpdateNonDivisibleInputOutputShardingsPass(update));
  }
  if (options.removeSubAxes)
    pm.addPass(createRemoveSubAxesInInputOutputShardingsPass());
  pm.addPass(createCloseShardingsPass());
  addDump(pm, dump, "2_after_propagation");
  if (!options.avoidExportForPartitioning) {
    bool withCollectives = options.enableInsertExplicitCollectives;
    InferUnreducedAxesPassOptions infer;
    infer.isFinal = true;
    pm.addPass(createInferUnreducedAxesPass(infer));
    if (withCollectives)
      pm.addPass(createVerifyUnreducedAxesPass());
    InsertExplicitReshardsPassOptions reshards;
    reshards.enableFullVersion = withCollectives;
    reshards.avoidReshardsOnNamedComputations =
        options.avoidReshardsOnNamedComputations;
    pm.addPass(createInsertExplicitReshardsPass(reshards));
    addDump(pm, dump, "3_after_explicit_reshards");
    if (withCollectives)
      addCollectives(pm, options);
  }
  bool isDumped = options.dumpShardingOrigins || options.dumpPropagationEdges;
  if (isDumped && !kept.origins && !kept.edges)
    pm.addPass(createRemovePropagationDebugInfoPass());
  pm.addPass(createDropShardingRulesPass());
  if (options.inlineMeshes)
    pm.addPass(createInlineMeshesPass());
}

void sdy::buildSdyPropagationPipeline(
    OpPassManager &pm, const SdyPropagationPipelineOptions &options) {
  DebugInfo kept = {options.debugShardingOrigins,
                    options.debugPropagationEdges};
  DebugInfo debug = {kept.origins || options.dumpShardingOrigins,
                     kept.edges || options.dumpPropagationEdges};
  buildSdyImportPipeline(pm, options, options, debug,
                         options.updateNonDivisible);
  CallMode mode = getCallMode(options);
  addCallImport(pm, mode, debug);
  UserPriorityPropagatePassOptions propagation;
  propagation.keepShardingRules = options.keepShardingRules;
  propagation.report = options.report;
  propagation.reportConflicts = options.reportConflicts;
  propagation.debugShardingOrigins = debug.origins;
  propagation.debugPropagationEdges = debug.edges;
  propagation.moduleDumpDirectory = options.moduleDumpDirectory;
  propagation.conservative = options.conservative;
  propagation.strategy = options.strategy;
  propagation.runOpPriority = options.runOpPriority;
  pm.addPass(createUserPriorityPropagatePass(propagation));
  addCallExport(pm, mode, debug);
  buildSdyExportPipeline(pm, options, options, kept);
}

void sdy::registerSdyPipelines() {
  registerModulePipeline<SdyImportPipelineOptions>(
      "sdy-import-pipeline", "prepare a program for propagation",
      [](OpPassManager &pm, const SdyImportPipelineOptions &options) {
        buildSdyImportPipeline(
            pm, options, options,
            {options.debugShardingOrigins, options.debugPropagationEdges});
      });
  registerModulePipeline<SdyExportPipelineOptions>(
      "sdy-export-pipeline", "finalize shardings after propagation",
      [](OpPassManager &pm, const SdyExportPipelineOptions &options) {
        buildSdyExportPipeline(pm, options, options);
      });
  registerModulePipeline<SdyPropagationPipelineOptions>(
      "sdy-propagation-pipeline", "import, propagate by priorities, export",
      buildSdyPropagationPipeline);
}
