//===- Pipelines.cpp - pop-graph-pipeline -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/ModulePipeline.h"

using namespace mlir;

// The order is that of PopART (Ir::prepareImpl).
void mlir::pop::buildGraphPipeline(OpPassManager &manager,
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

void mlir::pop::registerPopPipelines() {
  ipu::registerModulePipeline<GraphPipelineOptions>(
      "pop-graph-pipeline",
      "Run the graph transforms in the order in which they have to run",
      buildGraphPipeline);
}
