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

void sdy::buildSdyImportPipeline(OpPassManager &pm) {
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createLiftInlinedMeshesPass());
  pm.addPass(createRemoveSizeOneAxesPass());
  // Constants stay where they are, so no canonicalizer runs in between.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createInlineRegionsPass());
  pm.addPass(createConstantOrScalarSplitterPass());
  pm.addPass(createManualAxesCleanupPass());
  pm.addPass(createAddDataFlowEdgesPass());
  pm.addPass(createApplyShardingConstraintsPass());
  pm.addPass(createShardingGroupImportPass());
}

void sdy::buildSdyExportPipeline(OpPassManager &pm) {
  pm.addPass(createConstantOrScalarMergerPass());
  pm.addPass(createSinkDataFlowEdgesPass());
  pm.addPass(createRemoveShardingGroupsPass());
  pm.addPass(createShardingConstraintToReshardPass());
  pm.addPass(createUpdateNonDivisibleInputOutputShardingsPass());
  pm.addPass(createCloseShardingsPass());
  pm.addPass(createInsertExplicitReshardsPass());
  pm.addPass(createDropShardingRulesPass());
}

void sdy::buildSdyPropagationPipeline(
    OpPassManager &pm, const SdyPropagationPipelineOptions &options) {
  buildSdyImportPipeline(pm);
  UserPriorityPropagatePassOptions propagation;
  propagation.keepShardingRules = options.keepShardingRules;
  propagation.conservative = options.conservative;
  propagation.strategy = options.strategy;
  propagation.runOpPriority = options.runOpPriority;
  pm.addPass(createUserPriorityPropagatePass(propagation));
  buildSdyExportPipeline(pm);
}

void sdy::registerSdyPipelines() {
  PassPipelineRegistration<>("sdy-import-pipeline",
                             "make a program ready for propagation",
                             buildSdyImportPipeline);
  PassPipelineRegistration<>("sdy-export-pipeline",
                             "make shardings final after propagation",
                             buildSdyExportPipeline);
  PassPipelineRegistration<SdyPropagationPipelineOptions>(
      "sdy-propagation-pipeline", "import, propagate by priorities, export",
      buildSdyPropagationPipeline);
}
