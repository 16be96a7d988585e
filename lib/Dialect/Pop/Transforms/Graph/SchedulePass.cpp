//===- SchedulePass.cpp - Orders of ops with few live bytes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where the ops of each block are in an
// order in which fewer bytes are live.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "GraphTransforms.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Analysis/Scheduling/ScheduleSearch.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// Orders the ops of functions, callees first.
class OpScheduler {
public:
  explicit OpScheduler(ModuleOp module) : module(module) {}

  void run();

private:
  int64_t schedule(Block &block, bool ownsArguments);
  int64_t scheduleRegions(Operation *op);
  int64_t getWorkspace(Operation *op);

  ScheduledModule module;
  /// `peaks` maps each function to the peak of the live bytes of its ops.
  llvm::DenseMap<Operation *, int64_t> peaks;
};
} // namespace

/// Returns whether the ops in the regions of `op` must stay as they are.
static bool keepsOrder(Operation *op) {
  return isa<InSequenceOp, RemoteExchangeOp>(op);
}

static void emitRemark(Operation *op, const LiveBytes &before,
                       const LiveBytes &after, bool isReordered) {
  remark::RemarkOpts options = getGraphRemark("Schedule");
  auto addMetrics = [&](auto remark) {
    remark << remark::metric("peak-before", before.peak)
           << remark::metric("peak-after", after.peak)
           << remark::metric("sum-before", before.sum)
           << remark::metric("sum-after", after.sum);
  };
  if (isReordered)
    addMetrics(remark::passed(op->getLoc(), options));
  else
    addMetrics(remark::missed(op->getLoc(), options));
}

/// Returns the bytes that `op` needs only while it is executed: the peak of its
/// callee, or the highest peak of its regions.
int64_t OpScheduler::getWorkspace(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    return peaks.lookup(module.effects.getCalls().getCallee(call));
  return isa<RegionBranchOpInterface>(op) ? scheduleRegions(op) : 0;
}

int64_t OpScheduler::scheduleRegions(Operation *op) {
  // Arguments of other functions and of regions are the storage of operands.
  auto function = dyn_cast<FunctionOpInterface>(op);
  bool ownsArguments =
      function && module.effects.getCalls().getCallsOf(function).empty();
  int64_t peak = 0;
  for (Region &region : op->getRegions())
    if (region.hasOneBlock())
      peak = std::max(peak, schedule(region.front(), ownsArguments));
  return peak;
}

int64_t OpScheduler::schedule(Block &block, bool ownsArguments) {
  BlockGraph blockGraph(block, module, ownsArguments,
                        [&](Operation *op) { return getWorkspace(op); });
  const ScheduleGraph &graph = blockGraph.getGraph();
  Schedule given = graph.getGivenOrder();
  LiveBytes before = countLiveBytes(graph, given);
  if (graph.getNumNodes() < 2 || keepsOrder(block.getParentOp()))
    return before.peak;
  Schedule found = findSchedule(graph);
  LiveBytes after = countLiveBytes(graph, found);
  // Attractions do not justify more live bytes, but priorities do.
  bool isWorse =
      std::pair(before.peak, before.sum) < std::pair(after.peak, after.sum);
  if (isWorse && verifySchedule(graph, given).empty()) {
    found = given;
    after = before;
  }
  bool isReordered = found != given;
  if (isReordered)
    blockGraph.reorder(found);
  emitRemark(block.getParentOp(), before, after, isReordered);
  return after.peak;
}

void OpScheduler::run() {
  for (FunctionOpInterface function : module.effects.getCalls().getPostOrder())
    peaks[function] = scheduleRegions(function);
}

/// Returns an op whose random bits depend on the ops that are executed before
/// it, or null if there is none.
static Operation *findDrawFromStream(ModuleOp module) {
  auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
      PopDialect::kStochasticRoundingAttrName);
  Operation *draw = nullptr;
  if (rounding && rounding.getGenerator() == RngGenerator::Stream)
    forEachRoundedOp(module, [&](Operation *op) {
      if (!draw && mayRoundStochastically(op))
        draw = op;
    });
  return draw;
}

namespace {
struct SchedulePass : pop::impl::SchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    if (Operation *draw = findDrawFromStream(getOperation())) {
      draw->emitWarning()
          << "'" << getArgument()
          << "' expects random bits of generator 'counter' but got 'stream'; "
             "it keeps the order of all ops, because the bits depend on it";
      return markAllAnalysesPreserved();
    }
    // Ops without numbers would get numbers in their new order.
    if (failed(numberDraws(getOperation())))
      return signalPassFailure();
    OpScheduler(getOperation()).run();
  }
};
} // namespace
