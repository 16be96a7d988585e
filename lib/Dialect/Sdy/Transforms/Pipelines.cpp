//===- Pipelines.cpp - From user shardings to final ones ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

void sdy::buildSdyImportPipeline(OpPassManager &pm,
                                 const ImportOptions &options,
                                 [[maybe_unused]] const DumpOptions &dump) {
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createLiftInlinedMeshesPass());
  pm.addPass(createRemoveSizeOneAxesPass());
  if (options.inlineCalls && !options.dedupFunctionsFully) {
    // Constants stay where they are, so no canonicalizer runs in between.
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
  }
  pm.addPass(createInlineRegionsPass());
  pm.addPass(createConstantOrScalarSplitterPass());
  pm.addPass(createManualAxesCleanupPass());
  pm.addPass(createAddDataFlowEdgesPass());
  pm.addPass(createApplyShardingConstraintsPass());
  pm.addPass(createShardingGroupImportPass());
}

void sdy::buildSdyExportPipeline(OpPassManager &pm,
                                 const ExportOptions &options,
                                 [[maybe_unused]] const DumpOptions &dump) {
  pm.addPass(createConstantOrScalarMergerPass());
  pm.addPass(createSinkDataFlowEdgesPass());
  if (!options.avoidExportForPartitioning) {
    pm.addPass(createRemoveShardingGroupsPass());
    pm.addPass(createShardingConstraintToReshardPass());
  }
  if (options.updateNonDivisible)
    pm.addPass(createUpdateNonDivisibleInputOutputShardingsPass());
  if (options.removeSubAxes)
    pm.addPass(createRemoveSubAxesInInputOutputShardingsPass());
  pm.addPass(createCloseShardingsPass());
  if (!options.avoidExportForPartitioning)
    pm.addPass(createInsertExplicitReshardsPass());
  pm.addPass(createDropShardingRulesPass());
}

void sdy::buildSdyPropagationPipeline(
    OpPassManager &pm, const SdyPropagationPipelineOptions &options) {
  buildSdyImportPipeline(pm, options, options);
  UserPriorityPropagatePassOptions propagation;
  propagation.keepShardingRules = options.keepShardingRules;
  propagation.conservative = options.conservative;
  propagation.strategy = options.strategy;
  propagation.runOpPriority = options.runOpPriority;
  pm.addPass(createUserPriorityPropagatePass(propagation));
  buildSdyExportPipeline(pm, options, options);
}

void sdy::registerSdyPipelines() {
  PassPipelineRegistration<SdyImportPipelineOptions>(
      "sdy-import-pipeline", "make a program ready for propagation",
      [](OpPassManager &pm, const SdyImportPipelineOptions &options) {
        buildSdyImportPipeline(pm, options, options);
      });
  PassPipelineRegistration<SdyExportPipelineOptions>(
      "sdy-export-pipeline", "make shardings final after propagation",
      [](OpPassManager &pm, const SdyExportPipelineOptions &options) {
        buildSdyExportPipeline(pm, options, options);
      });
  PassPipelineRegistration<SdyPropagationPipelineOptions>(
      "sdy-propagation-pipeline", "import, propagate by priorities, export",
      buildSdyPropagationPipeline);
}
