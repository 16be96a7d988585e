//===- Pipelines.h - Pipelines of the compiler ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `pop-graph-pipeline` transforms a graph, and `pop-to-ipu-pipeline` lowers it
// to a program. Both give accumulation orders and numbers of draws to new ops
// before any pass that splits, copies or calls ops, so that such passes change
// no bit.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_COMPILER_PIPELINES_H
#define IPU_MLIR_COMPILER_PIPELINES_H

#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "ipu-mlir/Dialect/Pop/Transforms/TrainingOptions.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace mlir::ipu {

/// The options of both pipelines that determine bits of results: accumulation
/// orders and random bits of rounding.
template <typename OptionsT>
struct BitOptions : PassPipelineOptions<OptionsT> {
  template <typename T>
  using Option = typename PassPipelineOptions<OptionsT>::template Option<T>;

  Option<pop::AccumulationKind> accumulation{
      *this, "accumulation",
      llvm::cl::desc("Accumulation order of sums that do not have one"),
      llvm::cl::init(pop::AccumulationKind::Blocked),
      llvm::cl::values(
          clEnumValN(pop::AccumulationKind::Blocked, "blocked",
                     "blocks for long sums with few results"),
          clEnumValN(pop::AccumulationKind::Chain, "chain",
                     "chains, but blocks of 1024 for reductions"))};
  Option<pop::PartialsKind> partials{
      *this, "partials",
      llvm::cl::desc("Type of the results of blocks of matmuls and "
                     "convolutions of f16 that have no accumulation order"),
      llvm::cl::init(pop::PartialsKind::F32),
      llvm::cl::values(clEnumValN(pop::PartialsKind::F32, "f32", "not rounded"),
                       clEnumValN(pop::PartialsKind::F16, "f16",
                                  "rounded to f16, and added in f32"))};
  Option<std::string> stochasticRounding{
      *this, "stochastic-rounding",
      llvm::cl::desc("'counter' or 'stream': enable stochastic rounding with "
                     "this generator, in place of the module's attribute"),
      llvm::cl::init("")};
  Option<std::string> roundingOverflow{
      *this, "rounding-overflow",
      llvm::cl::desc("Result of an overflow if 'stochastic-rounding' is set: "
                     "'nan' or 'clip'; by default that of the module's "
                     "attribute, or 'nan'"),
      llvm::cl::init("")};
};

} // namespace mlir::ipu

namespace mlir::ipu {

/// Adds the passes that place transfers between host and device on I/O tiles,
/// and that let them overlap compute.
void addOverlappedIO(OpPassManager &manager);

} // namespace mlir::ipu

namespace mlir::pop {

/// Options of `pop-graph-pipeline`. They select its optional transforms.
struct GraphPipelineOptions : ipu::BitOptions<GraphPipelineOptions> {
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
  Option<bool> placeLayers{
      *this, "place-layers",
      llvm::cl::desc("whether 'pop-auto-vgraph' splits the program over the "
                     "IPUs of a replica"),
      llvm::cl::init(false)};
  Option<bool> inferStages{
      *this, "infer-stages",
      llvm::cl::desc("whether ops get the pipeline stages of their virtual "
                     "graphs, for 'pop-pipeline'"),
      llvm::cl::init(false)};
  Option<PipelineKind> schedule{
      *this, "schedule",
      llvm::cl::desc("schedule of the 'pop-pipeline' that follows, of whose "
                     "activations 'place-layers' counts as many as each IPU "
                     "keeps; by default, it counts those of one micro-batch"),
      llvm::cl::init(PipelineKind::Popart), getPipelineKindValues()};
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
  Option<bool> hostReduce{
      *this, "host-reduce",
      llvm::cl::desc("whether the host combines gradients and updates weights"),
      llvm::cl::init(false)};
  Option<int64_t> mergeCollectives{
      *this, "merge-collectives",
      llvm::cl::desc("number of bytes of the operands of one merged "
                     "collective, at most; by default, collectives are not "
                     "merged")};
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
void registerGraphPipeline();

} // namespace mlir::pop

namespace mlir::ipu {

/// Options of `pop-to-ipu-pipeline`. docs/planner.md defines serial parts.
struct PopToIPUPipelineOptions : BitOptions<PopToIPUPipelineOptions> {
  Option<std::string> entry{*this, "entry",
                            llvm::cl::desc("Function that becomes the program"),
                            llvm::cl::init("main")};
  Option<PlannerKind> planner{
      *this, "planner", llvm::cl::desc("How tile mappings are chosen"),
      llvm::cl::init(PlannerKind::Program),
      llvm::cl::values(
          clEnumValN(PlannerKind::Program, "program",
                     "the tile mappings with the fewest estimated cycles of "
                     "the whole program"),
          clEnumValN(PlannerKind::Generic, "generic",
                     "elements in row-major order or, for an op without such a "
                     "partition, its first partition"))};
  Option<double> availableMemoryProportion{
      *this, "available-memory-proportion",
      llvm::cl::desc("Share of tile memory, 0 to 1, for operands and results "
                     "of an op"),
      llvm::cl::init(0.6)};
  Option<bool> copyConstants{
      *this, "copy-constants",
      llvm::cl::desc("Copy constants to all tiles that read them, if the "
                     "memory allows it"),
      llvm::cl::init(true)};
  Option<SerialPartsKind> serialParts{
      *this, "serial-parts",
      llvm::cl::desc("Form of serial parts that differ only in their operands"),
      llvm::cl::init(SerialPartsKind::Best),
      llvm::cl::values(
          clEnumValN(
              SerialPartsKind::Best, "best",
              "calls if the program then fits better or is faster, otherwise "
              "ops"),
          clEnumValN(SerialPartsKind::Ops, "ops",
                     "separate ops, each with its own code"),
          clEnumValN(SerialPartsKind::Calls, "calls",
                     "calls of one function"))};
  Option<bool> mergeSteps{
      *this, "merge-steps",
      llvm::cl::desc("Merge independent exchanges and compute sets"),
      llvm::cl::init(true)};
  Option<CostLevel> costLevel{
      *this, "cost-level", llvm::cl::desc("Estimate for compute sets"),
      llvm::cl::init(CostLevel::Fast),
      llvm::cl::values(clEnumValN(CostLevel::Fast, "fast",
                                  "adds up the cycles of a tile's vertices"),
                       clEnumValN(CostLevel::Detailed, "detailed",
                                  "assigns a tile's vertices to its workers"))};
  Option<bool> allowOOM{
      *this, "allow-oom",
      llvm::cl::desc("Warn, rather than fail, if a program does not fit in "
                     "tile memory"),
      llvm::cl::init(false)};
  Option<bool> verifyContracts{
      *this, "verify-contracts",
      llvm::cl::desc("Check the contract of each pass before and after the "
                     "pass"),
      llvm::cl::init(false)};
};

/// Adds passes to `manager` that lower a pop function to a program that
/// `ipu-execute` runs. They decompose ops, split large ops, map tensors to
/// tiles, create codelets and exchanges, merge steps, mark the ends of live
/// ranges, estimate costs, and allocate memory.
void buildPopToIPUPipeline(OpPassManager &manager,
                           const PopToIPUPipelineOptions &options);

/// Adds the passes that give accumulation orders and numbers of draws to the
/// ops of a graph that have none. They must run before any pass that splits,
/// copies or calls ops. With `warnsKept`, they warn if `accumulation` or
/// `partials` has no effect on sums, because an earlier pass chose other
/// orders.
void addBitPasses(OpPassManager &manager, pop::AccumulationKind accumulation,
                  pop::PartialsKind partials,
                  const std::string &stochasticRounding,
                  const std::string &roundingOverflow, bool warnsKept = false);

/// Adds the passes that split a program over the IPUs of a replica and insert
/// the copies. With `isTrained`, each IPU has memory for activations,
/// gradients and optimizer states. Sums have accumulation orders. If the
/// program becomes a pipeline of `microBatches` with `schedule`, each IPU has
/// memory for the activations of several micro-batches.
void addLayerPlacement(OpPassManager &manager, bool isTrained,
                       int64_t microBatches = 0,
                       pop::PipelineKind schedule = pop::PipelineKind::Popart);

/// Registers `pop-graph-pipeline` and `pop-to-ipu-pipeline`.
void registerCompilerPipelines();

} // namespace mlir::ipu

#endif // IPU_MLIR_COMPILER_PIPELINES_H
