//===- LoopMerger.cpp - Merging of loops ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopMerger.h"

#include "../DrawAdvances.h"
#include "../Graph/DuplicateOps.h"
#include "RowAccess.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Loops that can be merged
//===----------------------------------------------------------------------===//

/// Returns the identity of a bound of a loop: the constant, or the value that
/// computes it.
static const void *getBound(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant))
             ? constant.getAsOpaquePointer()
             : value.getAsOpaquePointer();
}

/// Returns the attributes of a loop that have to be equal in all merged loops.
static DictionaryAttr getAttributes(scf::ForOp loop) {
  NamedAttrList attributes(loop->getAttrDictionary());
  attributes.erase(kMergeGroupAttrName);
  return attributes.getDictionary(loop.getContext());
}

/// The iterations of a loop: the bounds and the step, with their types.
using Iterations = std::tuple<const void *, const void *, const void *>;

static Iterations getIterations(scf::ForOp loop) {
  return {getBound(loop.getLowerBound()), getBound(loop.getUpperBound()),
          getBound(loop.getStep())};
}

bool LoopMerger::readsOnlyStoredRows(scf::ForOp before,
                                     scf::ForOp after) const {
  auto isOfBefore = [&](Value value) {
    return value.getDefiningOp() == before;
  };
  if (llvm::any_of(after->getOperands(), isOfBefore))
    return false;
  WalkResult result = after.getBody()->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isOfBefore(operand.get()))
        continue;
      auto slice = dyn_cast<DynamicSliceOp>(op);
      DynamicUpdateOp update = findRowUpdate(
          before, cast<OpResult>(operand.get()).getResultNumber());
      if (!slice || !update || operand.getOperandNumber() != 0 ||
          op->getParentOp() != after || !readsStoredRow(slice, update, before))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Returns whether random bits in `loop` depend on its position.
bool LoopMerger::draws(scf::ForOp loop) const {
  return scheduled->usesDrawNumbers && findNumberedDraw(loop);
}

bool LoopMerger::canShareLevel(scf::ForOp before, scf::ForOp after) const {
  return getIterations(before) == getIterations(after) &&
         getAttributes(before) == getAttributes(after) &&
         !(draws(before) && draws(after)) &&
         !scheduled->effects.getEffects(before).conflictsWith(
             scheduled->effects.getEffects(after)) &&
         readsOnlyStoredRows(before, after);
}

std::string LoopMerger::explain(scf::ForOp loop, scf::ForOp other) const {
  if (loop->getBlock() != other->getBlock())
    return "they are in different blocks";
  if (getIterations(loop) != getIterations(other))
    return "their bounds differ";
  if (getAttributes(loop) != getAttributes(other))
    return "their attributes differ";
  if (draws(loop) && draws(other))
    return "both draw random bits";
  if (scheduled->effects.getEffects(other).conflictsWith(
          scheduled->effects.getEffects(loop)))
    return "their effects conflict";
  if (!readsOnlyStoredRows(other, loop))
    return "the later loop needs more of a result of the earlier loop than the "
           "row of the same iteration";
  return "an op that depends on the earlier loop is needed by the later loop";
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

LoopMerger::LoopMerger(ModuleOp module)
    : module(module), scheduled(std::make_unique<ScheduledModule>(module)) {}

void LoopMerger::find(function_ref<bool(scf::ForOp)> isCandidate) {
  // Loops in loops come first, while the bodies of the outer loops are apart.
  forEachReorderableBlock(module,
                          [&](Block &block) { findIn(block, isCandidate); });
}

void LoopMerger::findIn(Block &block,
                        function_ref<bool(scf::ForOp)> isCandidate) {
  llvm::MapVector<unsigned, scf::ForOp> loops;
  for (auto [node, op] : llvm::enumerate(block.without_terminator()))
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && isCandidate(loop)) {
      loops[node] = loop;
      candidates.push_back(loop);
    }
  if (loops.size() < 2)
    return;
  BlockPlan plan;
  plan.graph = std::make_unique<BlockGraph>(block, *scheduled,
                                            /*ownsArguments=*/false,
                                            [](Operation *) { return 0; });
  const ScheduleGraph &graph = plan.graph->getGraph();
  auto isMember = [&](unsigned node) { return loops.contains(node); };
  std::vector<unsigned> levels =
      computeLevels(graph, isMember, [&](unsigned before, unsigned after) {
        return canShareLevel(loops.lookup(before), loops.lookup(after));
      });
  postponeToUses(graph, isMember, levels);
  std::vector<OrderKey> keys;
  keys.reserve(levels.size());
  for (unsigned level : levels)
    keys.push_back({level, 0, 0, 0});
  addGroups(plan, loops, levels, keys);
  if (plan.groups.empty())
    return;
  plan.schedule = orderByKeys(graph, keys);
  plans.push_back(std::move(plan));
}

void LoopMerger::addGroups(BlockPlan &plan,
                           const llvm::MapVector<unsigned, scf::ForOp> &loops,
                           ArrayRef<unsigned> levels,
                           MutableArrayRef<OrderKey> keys) {
  using GroupKey = std::tuple<unsigned, Iterations, const void *>;
  llvm::MapVector<GroupKey, SmallVector<unsigned>> groups;
  for (auto [node, loop] : loops)
    groups[{levels[node], getIterations(loop),
            getAttributes(loop).getAsOpaquePointer()}]
        .push_back(node);
  for (const auto &[key, nodes] : groups) {
    if (nodes.size() < 2)
      continue;
    SmallVector<scf::ForOp> &group = plan.groups.emplace_back();
    for (unsigned node : nodes) {
      keys[node] = {levels[node], 1, static_cast<int64_t>(numGroups), 0};
      group.push_back(loops.lookup(node));
      groupOf[group.back()] = numGroups;
    }
    ++numGroups;
  }
}

//===----------------------------------------------------------------------===//
// Merge
//===----------------------------------------------------------------------===//

/// Replaces reads of rows that an earlier loop of `loops` stores in the same
/// iteration by the stored tensors.
static void forwardRows(ArrayRef<scf::ForOp> loops) {
  llvm::DenseSet<Operation *> readers(loops.begin(), loops.end());
  for (scf::ForOp loop : loops)
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      DynamicUpdateOp update = findRowUpdate(loop, i);
      if (!update)
        continue;
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        auto slice = dyn_cast<DynamicSliceOp>(user);
        if (!slice || !readers.contains(slice->getParentOp()))
          continue;
        slice.replaceAllUsesWith(update.getUpdate());
        slice.erase();
      }
    }
}

/// Moves the ops of `loop` to the end of `body`, whose arguments from `first`
/// on are those of the values that the loop carries. Returns the yielded
/// values.
static SmallVector<Value> moveBody(scf::ForOp loop, Block &body,
                                   unsigned first) {
  loop.getInductionVar().replaceAllUsesWith(body.getArgument(0));
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    argument.replaceAllUsesWith(body.getArgument(first + i));
  Operation *yield = loop.getBody()->getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  yield->erase();
  body.getOperations().splice(body.end(), loop.getBody()->getOperations());
  return yielded;
}

/// Erases the ops of `body` that compute what nothing uses, except loops and
/// branches.
static void eraseDeadOps(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.getNumRegions() == 0 && isOpTriviallyDead(&op))
      op.erase();
}

/// Drops carried tensors whose rows nothing reads.
static scf::ForOp dropUnusedRows(scf::ForOp loop) {
  BitVector dropped(loop.getNumRegionIterArgs() + 1);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    if (!result.use_empty())
      continue;
    if (DynamicUpdateOp update = findRowUpdate(loop, i)) {
      dropped.set(i + 1);
      update.replaceAllUsesWith(update.getInput());
      update.erase();
    }
  }
  scf::ForOp kept = dropped.any() ? dropCarried(loop, dropped) : loop;
  eraseDeadOps(*kept.getBody());
  return kept;
}

scf::ForOp LoopMerger::mergeGroup(ArrayRef<scf::ForOp> loops) const {
  forwardRows(loops);
  scf::ForOp first = loops.front();
  OpBuilder b(loops.back());
  SmallVector<Value> inits;
  for (scf::ForOp loop : loops)
    llvm::append_range(inits, loop.getInitArgs());
  auto merged = scf::ForOp::create(
      b, first.getLoc(), first.getLowerBound(), first.getUpperBound(),
      first.getStep(), inits, /*bodyBuilder=*/nullptr, first.getUnsignedCmp());
  merged->setAttrs(getAttributes(first));
  Block &body = *merged.getBody();
  // With no values to carry there is a terminator already.
  body.clear();
  SmallVector<Value> yielded;
  size_t next = 0;
  for (scf::ForOp loop : loops) {
    llvm::append_range(yielded, moveBody(loop, body, 1 + next));
    loop->replaceAllUsesWith(
        merged.getResults().slice(next, loop.getNumResults()));
    next += loop.getNumResults();
    loop.erase();
  }
  b.setInsertionPointToEnd(&body);
  scf::YieldOp::create(b, merged.getLoc(), yielded);
  return dropUnusedRows(merged);
}

void LoopMerger::mergeDuplicates(ArrayRef<scf::ForOp> merged) const {
  GraphEffects effects(module);
  for (scf::ForOp loop : merged)
    mergeDuplicateOps(loop.getRegion(), effects);
}

SmallVector<scf::ForOp> LoopMerger::merge() {
  // The effects refer to ops that will be erased.
  scheduled.reset();
  SmallVector<scf::ForOp> remaining, merged;
  for (scf::ForOp loop : candidates)
    if (!groupOf.contains(loop))
      remaining.push_back(loop);
  for (const BlockPlan &plan : plans) {
    plan.graph->reorder(plan.schedule);
    for (ArrayRef<scf::ForOp> group : plan.groups)
      merged.push_back(mergeGroup(group));
  }
  plans.clear();
  mergeDuplicates(merged);
  llvm::append_range(remaining, merged);
  return remaining;
}
