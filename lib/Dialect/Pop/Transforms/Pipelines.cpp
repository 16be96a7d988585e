//===- Pipelines.cpp - pop-graph-pipeline -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/Support/ModulePipeline.h"

using namespace mlir;
using namespace mlir::pop;

// The order is that of PopART (Ir::prepareImpl).
static void addPasses(OpPassManager &manager,
                      const GraphPipelineOptions &options) {
  manager.addPass(createVerifyRefsPass());
  manager.addPass(createVerifyPlacementPass());
  // Before gradients, which draw the same random bits.
  manager.addPass(createRandomSetupPass());
  // After gradients, which are asked for by the names of arguments.
  if (options.hostIO)
    manager.addPass(createHostLoadSetupPass());
  manager.addPass(createPrunePass());
  // After loops over batches: values are stored in each iteration.
  if (options.hostIO)
    manager.addPass(createHostStoreSetupPass());
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

void mlir::pop::registerPopPipelines() {
  ipu::registerModulePipeline<GraphPipelineOptions>(
      "pop-graph-pipeline",
      "Run the graph transforms in the order in which they have to run",
      buildGraphPipeline);
}
