//===- Passes.h - Passes on the pop dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H

#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AutodiffOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/TrainingOptions.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::pop {

#define GEN_PASS_DECL
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

/// Which of the transforms that are choices `pop-graph-pipeline` runs.
struct GraphPipelineOptions : PassPipelineOptions<GraphPipelineOptions> {
  Option<bool> hostIO{*this, "host-io",
                      llvm::cl::desc("whether arguments and results of the "
                                     "entry function become streams"),
                      llvm::cl::init(true)};
  Option<bool> mergeExchange{
      *this, "merge-exchange",
      llvm::cl::desc("whether transfers that follow each other are merged"),
      llvm::cl::init(true)};
  Option<bool> verifyContracts{
      *this, "verify-contracts",
      llvm::cl::desc("Check before and after passes what their contracts say"),
      llvm::cl::init(false)};
};

/// Adds the graph transforms in the order in which they have to run.
void buildGraphPipeline(OpPassManager &manager,
                        const GraphPipelineOptions &options);

/// Registers `pop-graph-pipeline`.
void registerPopPipelines();

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H
