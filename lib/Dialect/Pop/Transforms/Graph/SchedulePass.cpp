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
#include "ipu-mlir/Analysis/Scheduling/ScheduleSearch.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
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
  if (graph.getNumNodes() < 2 || keepsOrder(block))
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
  emitOrderRemark(block.getParentOp(), "Schedule", before, after, isReordered);
  return after.peak;
}

void OpScheduler::run() {
  for (FunctionOpInterface function : module.effects.getCalls().getPostOrder())
    peaks[function] = scheduleRegions(function);
}

namespace {
struct SchedulePass : pop::impl::SchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    FailureOr<bool> canReorder =
        prepareReordering(getOperation(), getArgument());
    if (failed(canReorder))
      return signalPassFailure();
    if (!*canReorder)
      return markAllAnalysesPreserved();
    OpScheduler(getOperation()).run();
  }
};
} // namespace
