//===- ContiguateCollectives.cpp - Adjacent collectives ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where collectives that can be merged are
// adjacent, up to a bound on the bytes of their operands.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "CollectiveForm.h"
#include "ipu-mlir/Analysis/Scheduling/AdjacentNodes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CONTIGUATECOLLECTIVESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// The collectives of a block that differ only in their tensors, by their
/// numbers in the block.
using CollectivesByKey = llvm::MapVector<Attribute, AdjacentNodes::Nodes>;

static CollectivesByKey findCollectives(ArrayRef<Operation *> ops) {
  CollectivesByKey collectives;
  for (auto [node, op] : llvm::enumerate(ops))
    if (std::optional<CollectiveForm> form = getCollectiveForm(op))
      collectives[getCollectiveKey(op, *form)].push_back(node);
  collectives.remove_if(
      [](const auto &entry) { return entry.second.size() < 2; });
  return collectives;
}

static void contiguate(Block &block, const ScheduledModule &module,
                       int64_t maxBytes) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });
  CollectivesByKey collectives = findCollectives(ops);
  if (collectives.empty())
    return;
  reorder(block, module, "ContiguateCollectives",
          [&](const ScheduleGraph &graph) {
            AdjacentNodes adjacent(graph);
            for (const auto &[key, nodes] : collectives)
              adjacent.add(
                  nodes,
                  [&](unsigned node) {
                    return getTensorBytes(ops[node]->getOperand(0).getType());
                  },
                  maxBytes);
            return adjacent.getSchedule();
          });
}

namespace {
struct ContiguateCollectivesPass
    : pop::impl::ContiguateCollectivesPassBase<ContiguateCollectivesPass> {
  using ContiguateCollectivesPassBase::ContiguateCollectivesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyMaxBytes(module, getArgument(), maxBytes)))
      return signalPassFailure();
    auto visit = [&](Block &block, const ScheduledModule &scheduled) {
      contiguate(block, scheduled, maxBytes);
    };
    FailureOr<bool> isReordered = reorderBlocks(module, getArgument(), visit);
    if (failed(isReordered))
      return signalPassFailure();
    if (!*isReordered)
      markAllAnalysesPreserved();
  }
};
} // namespace
