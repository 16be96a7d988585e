//===- Passes.h - Passes from pop to ipu ------------------------*- C++ -*-===//
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

/// Options of `pop-to-ipu-pipeline`. docs/planner.md defines serial parts.
struct PopToIPUPipelineOptions : PassPipelineOptions<PopToIPUPipelineOptions> {
  Option<std::string> entry{*this, "entry",
                            llvm::cl::desc("Function that becomes the program"),
                            llvm::cl::init("main")};
  Option<pop::AccumulationKind> accumulation{
      *this, "accumulation",
      llvm::cl::desc("Accumulation order of sums that do not have one"),
      llvm::cl::init(pop::AccumulationKind::Blocked),
      llvm::cl::values(
          clEnumValN(pop::AccumulationKind::Blocked, "blocked",
                     "blocks for long sums with few results"),
          clEnumValN(pop::AccumulationKind::Chain, "chain",
                     "chains, but blocks of 1024 for reductions"))};
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
  Option<std::string> stochasticRounding{
      *this, "stochastic-rounding",
      llvm::cl::desc("'counter' or 'stream': enable stochastic rounding with "
                     "this generator, in place of the module's attribute"),
      llvm::cl::init("")};
  Option<std::string> roundingOverflow{
      *this, "rounding-overflow",
      llvm::cl::desc("Result of an overflow if 'stochastic-rounding' is set: "
                     "'nan' or 'clip'"),
      llvm::cl::init("nan")};
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

/// Registers the contracts of the passes of this header, so that
/// `pop::lookupPassContract` finds them.
void registerPopToIPUContracts();

/// Registers the pipeline as `pop-to-ipu-pipeline`.
void registerPopToIPUPipelines();

} // namespace mlir::ipu

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
