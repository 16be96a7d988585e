//===- MergeCodeLoads.cpp - Merging of code loads -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: consecutive loads of code. Out: one load for each sequence of loads to
// one memory without an exchange in between. Code for executable memory is
// loaded at the last of these loads, so that no code is on the chip longer than
// before. Other code is loaded at the first of these loads, so that later
// compute can overlap the load.
//
//===----------------------------------------------------------------------===//

#include "CodeLoads.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGECODELOADSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

bool mlir::pop::exchanges(Operation *op, const ipu::GraphEffects &effects) {
  if (effects.getEffects(op).hasResourceEffects())
    return true;
  // Collectives are pure: all replicas do them together.
  return op->walk([](ReplicatedOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool mlir::pop::isTransfer(Operation *op) {
  if (op->hasTrait<Transfer>() || isa<CodeCopyOp>(op))
    return true;
  return isa<RemoteExchangeOp>(op);
}

/// Whether both load to one memory in one way.
static bool canMerge(RemoteCodeLoadOp first, RemoteCodeLoadOp second) {
  return first.getDestination() == second.getDestination() &&
         first->getDiscardableAttrDictionary() ==
             second->getDiscardableAttrDictionary();
}

/// Merges both into the one that stays, which is returned.
static RemoteCodeLoadOp merge(RemoteCodeLoadOp first, RemoteCodeLoadOp second) {
  llvm::SetVector<Attribute> graphs;
  for (RemoteCodeLoadOp load : {first, second})
    graphs.insert_range(load.getGraphs());
  bool keepsSecond = first.getDestination() == ipu::CodeLocation::Executable;
  RemoteCodeLoadOp kept = keepsSecond ? second : first;
  RemoteCodeLoadOp dropped = keepsSecond ? first : second;
  kept.setGraphsAttr(ArrayAttr::get(kept.getContext(), graphs.getArrayRef()));
  kept->setLoc(
      FusedLoc::get(kept.getContext(), {first.getLoc(), second.getLoc()}));
  dropped.erase();
  return kept;
}

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("MergeCodeLoads").category(kCodeRemarks);
}

/// Says why `load` is not merged with `last`, the one before it.
static void reportMissed(RemoteCodeLoadOp last, RemoteCodeLoadOp load,
                         Operation *between) {
  std::string reason;
  if (last.getDestination() != load.getDestination())
    reason = ("the loads have different destinations, '" +
              ipu::stringifyCodeLocation(last.getDestination()) + "' and '" +
              ipu::stringifyCodeLocation(load.getDestination()) + "'")
                 .str();
  else if (!canMerge(last, load))
    reason = "the attributes of the loads differ";
  else
    reason = describeOp(between) + " between the loads moves data to or from "
                                   "the chip, or needs or moves code";
  remark::missed(load.getLoc(), getRemarkOptions())
      << "the load is not merged with the load before it: " + reason;
}

/// An order that the program asks for, as `pop.in_sequence` does, is kept: all
/// that a load passes has nothing to do with it.
static void mergeIn(Block &block, const ipu::GraphEffects &effects) {
  RemoteCodeLoadOp last;
  // The first op after `last` that no load may pass.
  Operation *between = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto load = dyn_cast<RemoteCodeLoadOp>(op);
    if (!load) {
      if (last && !between && exchanges(&op, effects))
        between = &op;
      continue;
    }
    if (last && !between && canMerge(last, load)) {
      last = merge(last, load);
      remark::passed(last.getLoc(), getRemarkOptions())
          << remark::metric("graphs", int64_t(last.getGraphs().size()));
      continue;
    }
    if (last)
      reportMissed(last, load, between);
    last = load;
    between = nullptr;
  }
}

namespace {
struct MergeCodeLoadsPass
    : pop::impl::MergeCodeLoadsPassBase<MergeCodeLoadsPass> {
  void runOnOperation() override {
    const auto &effects = getAnalysis<ipu::GraphEffects>();
    getOperation().walk([&](Block *block) {
      // What is in an exchange happens at once as it is.
      if (!isa_and_nonnull<RemoteExchangeOp>(block->getParentOp()))
        mergeIn(*block, effects);
    });
  }
};
} // namespace
