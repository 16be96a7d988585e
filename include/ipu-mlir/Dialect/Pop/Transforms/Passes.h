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
#include "llvm/Support/CommandLine.h"

namespace mlir::pop {

#define GEN_PASS_DECL
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

/// Options of `pop-graph-pipeline`. They select its optional transforms.
struct GraphPipelineOptions : PassPipelineOptions<GraphPipelineOptions> {
  Option<std::string> train{
      *this, "train",
      llvm::cl::desc("function to train; the entry function becomes an update "
                     "of the weights of the trained function, which minimizes "
                     "the loss of the trained function"),
      llvm::cl::init("")};
  ListOption<std::string> loss{
      *this, "loss",
      llvm::cl::desc("results of the function whose sum is the loss; by "
                     "default all float results")};
  ListOption<std::string> weights{
      *this, "weights",
      llvm::cl::desc("weights to train, in the form of option 'required' of "
                     "'pop-autodiff'")};
  Option<std::string> optimizer{
      *this, "optimizer",
      llvm::cl::desc("optimizer (`#pop.optimizer<...>`) of weights that have "
                     "no attribute `pop.optimizer`"),
      llvm::cl::init("")};
  Option<int64_t> batchesPerStep{*this, "batches-per-step",
                                 llvm::cl::desc("number of batches, and of "
                                                "updates, in a run"),
                                 llvm::cl::init(1)};
  Option<int64_t> accumulationFactor{
      *this, "accumulation-factor",
      llvm::cl::desc(
          "number of parts into which the batch of an update is divided"),
      llvm::cl::init(1)};
  Option<GradientReduction> reduce{
      *this, "reduce", llvm::cl::desc("values that replicas combine"),
      llvm::cl::init(GradientReduction::None),
      llvm::cl::values(
          clEnumValN(GradientReduction::None, "none", "nothing"),
          clEnumValN(GradientReduction::Gradient, "gradient", "each gradient"),
          clEnumValN(GradientReduction::Accumulator, "accumulator",
                     "the accumulated gradients"))};
  Option<GradientMean> mean{
      *this, "mean",
      llvm::cl::desc("whether gradients are averaged over the parts of the "
                     "batch and the replicas"),
      llvm::cl::init(GradientMean::None),
      llvm::cl::values(
          clEnumValN(GradientMean::None, "none", "gradients are added"),
          clEnumValN(GradientMean::Post, "post",
                     "the sum of the gradients is divided"),
          clEnumValN(GradientMean::Running, "running",
                     "a running mean of the gradients is accumulated"))};
  Option<bool> automaticLossScale{
      *this, "automatic-loss-scale",
      llvm::cl::desc("whether the loss scale adapts to the gradients"),
      llvm::cl::init(false)};
  ListOption<std::string> trackedTensors{
      *this, "tracked-tensors",
      llvm::cl::desc(
          "names of the tensors whose gradients are tracked; by default all "
          "gradients are tracked")};
  Option<int64_t> lossScaleUpdatePeriod{
      *this, "loss-scale-update-period",
      llvm::cl::desc("number of updates between changes of the loss scale"),
      llvm::cl::init(1)};
  Option<bool> ensureFp32LossScale{
      *this, "ensure-fp32-loss-scale",
      llvm::cl::desc("whether the loss scale is kept in f32; always true with "
                     "'automatic-loss-scale'"),
      llvm::cl::init(false)};
  Option<bool> decomposeGradSums{
      *this, "decompose-grad-sums",
      llvm::cl::desc("whether each addend of a gradient is added as soon as "
                     "it is computed"),
      llvm::cl::init(false)};
  Option<bool> hostIO{*this, "host-io",
                      llvm::cl::desc("whether arguments and results of the "
                                     "entry function become streams"),
                      llvm::cl::init(true)};
  Option<UpdateMerging> mergeUpdates{
      *this, "merge-updates",
      llvm::cl::desc("which updates of weights are merged"),
      llvm::cl::init(UpdateMerging::None),
      llvm::cl::values(
          clEnumValN(UpdateMerging::None, "none", "no updates"),
          clEnumValN(UpdateMerging::All, "all",
                     "all updates that can be merged"),
          clEnumValN(UpdateMerging::Tight, "tight",
                     "updates of 1000000 bytes of weights; weights may be "
                     "split"),
          clEnumValN(UpdateMerging::Loose, "loose",
                     "updates of whole weights of at most 1000000 bytes"))};
  Option<bool> mergeExchange{
      *this, "merge-exchange",
      llvm::cl::desc("whether consecutive transfers are merged"),
      llvm::cl::init(true)};
  Option<bool> verifyContracts{
      *this, "verify-contracts",
      llvm::cl::desc("check the contract of each pass before and after the "
                     "pass"),
      llvm::cl::init(false)};
};

/// Adds to `manager` the graph transforms that `options` selects, in their
/// required order.
void buildGraphPipeline(OpPassManager &manager,
                        const GraphPipelineOptions &options);

/// Registers `pop-graph-pipeline`.
void registerPopPipelines();

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H
