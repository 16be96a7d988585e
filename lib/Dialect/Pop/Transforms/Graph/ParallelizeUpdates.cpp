//===- ParallelizeUpdates.cpp - Adjacent transfers of updates ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module in which weights are loaded, updated and stored one after the
// other. Out: the same module, where the loads of independent updates on
// different IPUs are adjacent, and their stores as well.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "ipu-mlir/Analysis/Scheduling/AdjacentNodes.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PARALLELIZEUPDATESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// The update of a weight, or of weights that depend on each other: ops of one
/// IPU.
struct Update {
  std::optional<int64_t> vgraph;
  /// The first op, by its number in the block.
  unsigned first = 0;
  /// The transfers, by their numbers in the block.
  SmallVector<unsigned> loads, stores;
  /// The types of the loaded tensors, in the order of the program.
  SmallVector<Type> types;
  uint64_t loadedBytes = 0;
  bool isOnOneIPU = true;
};
} // namespace

//===----------------------------------------------------------------------===//
// Updates of a block
//===----------------------------------------------------------------------===//

/// Returns whether ops that use `value` belong to one update. Settings of
/// optimizers and factors of clipped gradients are scalars that all updates
/// share.
static bool connectsOps(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  Operation *op = value.getDefiningOp();
  return type && type.hasStaticShape() && type.getNumElements() > 1 &&
         !(op && op->hasTrait<OpTrait::ConstantLike>());
}

static void addOp(Update &update, Operation *op, unsigned node, bool isFirst) {
  if (isFirst) {
    update.vgraph = getVgraph(op);
    update.first = node;
  }
  update.isOnOneIPU &= update.vgraph == getVgraph(op);
  if (auto load = dyn_cast<RemoteLoadOp>(op)) {
    update.loads.push_back(node);
    update.types.push_back(load.getType());
    update.loadedBytes += getTensorBytes(load.getType());
  } else if (isa<RemoteStoreOp>(op)) {
    update.stores.push_back(node);
  }
}

/// Returns the updates of a block with transfers, in the order of the program.
/// Their ops have the execution context `accumulate_outer`.
static SmallVector<Update> findUpdates(Block &block) {
  llvm::MapVector<Operation *, unsigned> nodes;
  for (auto [node, op] : llvm::enumerate(block.without_terminator()))
    if (getExecutionContext(&op) == ExecutionContext::AccumulateOuter)
      nodes[&op] = node;
  llvm::EquivalenceClasses<unsigned> connected;
  llvm::DenseMap<Value, unsigned> usersOf;
  for (const auto &[op, node] : nodes) {
    connected.insert(node);
    auto connect = [&, node = node](Value value) {
      if (connectsOps(value))
        connected.unionSets(usersOf.try_emplace(value, node).first->second,
                            node);
    };
    op->walk([&](Operation *inner) {
      llvm::for_each(inner->getOperands(), connect);
    });
    llvm::for_each(op->getResults(), connect);
  }
  llvm::MapVector<unsigned, Update> updates;
  for (const auto &[op, node] : nodes) {
    auto [update, isFirst] =
        updates.try_emplace(connected.getLeaderValue(node));
    addOp(update->second, op, node, isFirst);
  }
  SmallVector<Update> result;
  for (auto &[leader, update] : updates)
    if (update.isOnOneIPU && !(update.loads.empty() && update.stores.empty()))
      result.push_back(std::move(update));
  return result;
}

//===----------------------------------------------------------------------===//
// Updates that are executed together
//===----------------------------------------------------------------------===//

using UpdateGroup = SmallVector<const Update *>;

/// Returns the first update that has not been taken from `updates`, and takes
/// it. The updates are those of one IPU. With `types`, the update must load
/// tensors of these types.
static const Update *take(SmallVectorImpl<const Update *> &updates,
                          std::optional<ArrayRef<Type>> types) {
  auto *it = llvm::find_if(updates, [&](const Update *update) {
    return !types || ArrayRef(update->types) == *types;
  });
  if (it == updates.end())
    return nullptr;
  const Update *update = *it;
  updates.erase(it);
  return update;
}

/// Divides updates into groups that have at most one update of each IPU.
static SmallVector<UpdateGroup> groupUpdates(ArrayRef<Update> updates,
                                             bool equalLoads) {
  llvm::MapVector<int64_t, SmallVector<const Update *>> updatesOf;
  for (const Update &update : updates)
    updatesOf[update.vgraph.value_or(-1)].push_back(&update);
  // Small updates come first, so that large ones are together.
  auto isSmaller = [](const Update *a, const Update *b) {
    return std::pair(a->loadedBytes, a->first) <
           std::pair(b->loadedBytes, b->first);
  };
  for (auto &[vgraph, ofVgraph] : updatesOf)
    llvm::sort(ofVgraph, isSmaller);
  SmallVector<UpdateGroup> groups;
  for (;;) {
    const Update *smallest = nullptr;
    for (auto &[vgraph, ofVgraph] : updatesOf)
      if (!ofVgraph.empty() &&
          (!smallest || isSmaller(ofVgraph.front(), smallest)))
        smallest = ofVgraph.front();
    if (!smallest)
      return groups;
    std::optional<ArrayRef<Type>> types;
    if (equalLoads)
      types = smallest->types;
    UpdateGroup group;
    for (auto &[vgraph, ofVgraph] : updatesOf)
      if (const Update *update = take(ofVgraph, types))
        group.push_back(update);
    groups.push_back(std::move(group));
  }
}

static Schedule getSchedule(const ScheduleGraph &graph,
                            ArrayRef<UpdateGroup> groups) {
  AdjacentNodes adjacent(graph);
  for (auto transfers : {&Update::loads, &Update::stores}) {
    SmallVector<AdjacentNodes::Nodes> nodes;
    for (const UpdateGroup &group : groups) {
      nodes.emplace_back();
      for (const Update *update : group)
        llvm::append_range(nodes.back(), update->*transfers);
      llvm::sort(nodes.back());
    }
    adjacent.add(nodes, [](unsigned) { return 0; });
  }
  return adjacent.getSchedule();
}

namespace {
struct ParallelizeUpdatesPass
    : pop::impl::ParallelizeUpdatesPassBase<ParallelizeUpdatesPass> {
  using ParallelizeUpdatesPassBase::ParallelizeUpdatesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (int64_t vgraph : excludedVgraphs)
      if (vgraph < 0) {
        module.emitError()
            << "'" << getArgument()
            << "' expects virtual graphs of at least 0 in option "
               "'excluded-vgraphs' but got "
            << vgraph;
        return signalPassFailure();
      }
    auto visit = [&](Block &block, const ScheduledModule &scheduled) {
      parallelize(block, scheduled);
    };
    FailureOr<bool> isReordered = reorderBlocks(module, getArgument(), visit);
    if (failed(isReordered))
      return signalPassFailure();
    if (!*isReordered)
      markAllAnalysesPreserved();
  }

private:
  void parallelize(Block &block, const ScheduledModule &scheduled) {
    SmallVector<Update> updates = findUpdates(block);
    llvm::erase_if(updates, [&](const Update &update) {
      return update.vgraph &&
             llvm::is_contained(excludedVgraphs, *update.vgraph);
    });
    if (updates.size() < 2)
      return;
    SmallVector<UpdateGroup> groups = groupUpdates(updates, equalLoads);
    reorder(
        block, scheduled, "ParallelizeUpdates",
        [&](const ScheduleGraph &graph) { return getSchedule(graph, groups); });
  }
};
} // namespace
