//===- Pipeline.cpp - Pipelines of micro-batches ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with loops over micro-batches, whose ops are in pipeline stages.
// Out: the same module, where an iteration executes each stage for another
// micro-batch. The ops have no stages any more.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "../Graph/ScalarOperations.h"
#include "PipelineBuilder.h"
#include "StagedLoop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PIPELINEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
struct PipelinePass : pop::impl::PipelinePassBase<PipelinePass> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override;

private:
  LogicalResult buildPipeline(StagedLoop &loop, SymbolTable &symbols,
                              DrawShifter &shifter);
};
} // namespace

/// Returns the innermost loops with ops of several stages. A loop executes the
/// loops in functions that it calls, too.
static SmallVector<scf::ForOp> findLoops(ModuleOp module,
                                         const FunctionCalls &calls) {
  llvm::SetVector<Operation *> staged;
  module.walk([&](scf::ForOp loop) {
    if (StagedLoop::hasStages(loop, calls))
      staged.insert(loop);
  });
  SmallVector<scf::ForOp> loops;
  for (Operation *loop : staged) {
    bool isInner = true;
    visitExecuted(loop, calls, [&](Operation *op) {
      isInner &= op == loop || !staged.contains(op);
    });
    if (isInner)
      loops.push_back(cast<scf::ForOp>(loop));
  }
  return loops;
}

/// Returns an error for a loop with too few micro-batches.
static LogicalResult verifyCount(const StagedLoop &loop, int64_t expected) {
  if (loop.getNumMicroBatches() >= expected)
    return success();
  return loop.getLoop()->emitOpError()
         << "has " << loop.getNumMicroBatches()
         << " iterations, but a pipeline of " << loop.getStages().size()
         << " stages expects at least " << expected
         << " micro-batches with this schedule; use more micro-batches or "
            "fewer stages";
}

/// Returns the mean work of the IPUs as a percentage of the most work of one.
static int64_t getBalance(ArrayRef<PipelineStage> stages) {
  llvm::MapVector<int64_t, double> operations;
  for (auto [number, stage] : llvm::enumerate(stages)) {
    // Without virtual graphs, each stage is as if on an IPU of its own.
    double &sum =
        operations[stage.vgraph.value_or(-1 - static_cast<int64_t>(number))];
    for (Operation *op : stage.body)
      sum += static_cast<double>(countOperations(op));
  }
  double total = 0, most = 1;
  for (double sum : llvm::make_second_range(operations)) {
    total += sum;
    most = std::max(most, sum);
  }
  return static_cast<int64_t>(100 * total /
                              (most * static_cast<double>(operations.size())));
}

LogicalResult PipelinePass::buildPipeline(StagedLoop &loop,
                                          SymbolTable &symbols,
                                          DrawShifter &shifter) {
  if (failed(loop.find(/*mergesPasses=*/schedule == PipelineKind::Popart)))
    return failure();
  size_t numStages = loop.getStages().size();
  PipelineSchedule positions(schedule, numStages, loop.getNumForward());
  if (failed(verifyCount(loop, positions.getMinMicroBatches())))
    return failure();
  if (failed(loop.shiftDraws(positions, shifter)))
    return failure();
  int64_t balance = getBalance(loop.getStages());
  for (size_t stage = 0; stage < numStages; ++stage)
    loop.outlineStage(stage, ("pipeline_stage_" + Twine(stage)).str(), symbols);
  Location loc = loop.getLoop().getLoc();
  int64_t iterations = 0, extra = 0;
  for (const PipelineSchedule::Loop &built : positions.getLoops()) {
    iterations += loop.getNumMicroBatches() + built.maxDelay;
    extra += built.maxDelay;
  }
  PipelineBuilder builder(loop, positions);
  builder.build();
  remark::passed(loc, getGraphRemark("Pipeline"))
      << "the stages of several micro-batches overlap"
      << remark::metric("stages", numStages)
      << remark::metric("micro-batches", loop.getNumMicroBatches())
      << remark::metric("iterations", iterations)
      << remark::metric("bubble", 100 * extra / iterations)
      << remark::metric("balance", balance)
      << remark::metric("stash-bytes", builder.getStashBytes());
  return success();
}

void PipelinePass::runOnOperation() {
  ModuleOp module = getOperation();
  // Stages draw the bits of their ops.
  if (failed(numberDraws(module)))
    return signalPassFailure();
  GraphEffects effects(module);
  SmallVector<scf::ForOp> loops = findLoops(module, effects.getCalls());
  if (loops.empty()) {
    module.emitError() << "'" << getArgument()
                       << "' expects a loop over micro-batches whose ops are "
                          "in at least two pipeline stages; 'pop-main-loops' "
                          "makes loops, and 'pop-infer-stages' makes stages";
    return signalPassFailure();
  }
  SymbolTable symbols(module);
  DrawShifter shifter(symbols);
  for (scf::ForOp op : loops) {
    StagedLoop loop(op, effects);
    if (failed(buildPipeline(loop, symbols, shifter)))
      return signalPassFailure();
  }
  eraseUnusedFunctions(module, effects.getCalls());
  module.walk(
      [](Operation *op) { op->removeAttr(PopDialect::kStageAttrName); });
}
