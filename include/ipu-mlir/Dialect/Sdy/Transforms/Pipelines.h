//===- Pipelines.h - Pipelines of the sdy dialect -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ipu::sdy {

struct SdyPropagationPipelineOptions
    : PassPipelineOptions<SdyPropagationPipelineOptions> {
  Option<bool> keepShardingRules{
      *this, "keep-sharding-rules",
      llvm::cl::desc("leave each op's rule as its attribute until the end"),
      llvm::cl::init(false)};
  Option<bool> conservative{
      *this, "conservative-propagation",
      llvm::cl::desc("no sub-axes, and no factors that need halos"),
      llvm::cl::init(false)};
  Option<PropagationStrategy> strategy{
      *this, "propagation-strategy",
      llvm::cl::desc("how conflicts of factors are decided"),
      llvm::cl::init(PropagationStrategy::Aggressive),
      llvm::cl::values(clEnumValN(PropagationStrategy::Basic, "basic",
                                  "a factor goes to all tensors or to none"),
                       clEnumValN(PropagationStrategy::Aggressive, "aggressive",
                                  "each tensor decides for itself"),
                       clEnumValN(PropagationStrategy::BasicThenAggressive,
                                  "basic-then-aggressive",
                                  "one after the other"))};
  Option<bool> runOpPriority{
      *this, "run-op-priority-propagation",
      llvm::cl::desc("elementwise ops first, then others, in five levels"),
      llvm::cl::init(true)};
};

/// Meshes by name, axes of size 1 removed, constants split, an op for each edge
/// of region ops, constraints applied, groups merged.
void buildSdyImportPipeline(OpPassManager &pm);
/// Everything that import added removed, constraints turned to reshards,
/// shardings closed.
void buildSdyExportPipeline(OpPassManager &pm);
void buildSdyPropagationPipeline(OpPassManager &pm,
                                 const SdyPropagationPipelineOptions &options);

void registerSdyPipelines();

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PIPELINES_H
