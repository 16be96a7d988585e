//===- Passes.h - From pop to ipu -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
#define IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H

#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Planner/PlannerKind.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

struct PopToIPUPipelineOptions : PassPipelineOptions<PopToIPUPipelineOptions> {
  Option<std::string> entry{*this, "entry",
                            llvm::cl::desc("Function that is the program"),
                            llvm::cl::init("main")};
  Option<pop::AccumulationKind> accumulation{
      *this, "accumulation",
      llvm::cl::desc("Which orders sums get that have none"),
      llvm::cl::init(pop::AccumulationKind::Blocked),
      llvm::cl::values(
          clEnumValN(pop::AccumulationKind::Blocked, "blocked",
                     "blocks where sums are long and outputs are few"),
          clEnumValN(pop::AccumulationKind::Chain, "chain",
                     "chains, and blocks of 1024 for reductions"))};
  Option<PlannerKind> planner{
      *this, "planner", llvm::cl::desc("How maps are chosen"),
      llvm::cl::init(PlannerKind::Program),
      llvm::cl::values(
          clEnumValN(PlannerKind::Program, "program",
                     "for the fewest estimated cycles of the program"),
          clEnumValN(PlannerKind::Generic, "generic",
                     "in order, or where an op cannot be split so, its first "
                     "cut"))};
  Option<double> availableMemoryProportion{
      *this, "available-memory-proportion",
      llvm::cl::desc("Share of tile memory for operands and results of an op"),
      llvm::cl::init(0.6)};
  Option<bool> mergeSteps{
      *this, "merge-steps",
      llvm::cl::desc("Do independent exchanges and compute sets at once"),
      llvm::cl::init(true)};
  Option<CostLevel> costLevel{
      *this, "cost-level", llvm::cl::desc("How compute sets are estimated"),
      llvm::cl::init(CostLevel::Fast),
      llvm::cl::values(clEnumValN(CostLevel::Fast, "fast",
                                  "vertices of a tile one after the other"),
                       clEnumValN(CostLevel::Detailed, "detailed",
                                  "workers of a tile one by one"))};
  Option<std::string> stochasticRounding{
      *this, "stochastic-rounding",
      llvm::cl::desc("'counter' or 'stream': round stochastically with random "
                     "bits of that generator, whatever the module says"),
      llvm::cl::init("")};
  Option<std::string> roundingOverflow{
      *this, "rounding-overflow",
      llvm::cl::desc("With it, what becomes of numbers that are too large: "
                     "'nan' or 'clip'"),
      llvm::cl::init("nan")};
  Option<bool> allowOOM{
      *this, "allow-oom",
      llvm::cl::desc("Only warn of a program that does not fit"),
      llvm::cl::init(false)};
  Option<bool> verifyContracts{
      *this, "verify-contracts",
      llvm::cl::desc("Check before and after passes what their contracts say"),
      llvm::cl::init(false)};
};

/// From a pop function to a program that `ipu-execute` runs: decompose, split
/// large ops, map tensors to tiles, make codelets, make exchanges, merge steps,
/// end lives, estimate costs, allocate memory.
void buildPopToIPUPipeline(OpPassManager &manager,
                           const PopToIPUPipelineOptions &options);

/// Makes the contracts of the passes known (`pop::lookupPassContract`).
void registerPopToIPUContracts();

/// Registers it as `pop-to-ipu-pipeline`.
void registerPopToIPUPipelines();

} // namespace mlir::ipu

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
