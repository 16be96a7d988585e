//===- BlockGraph.cpp - Schedule graphs of blocks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"

#include "../DrawAdvances.h"
#include "../OverwrittenReads.h"
#include "GraphTransforms.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

ScheduledModule::ScheduledModule(ModuleOp module)
    : effects(module), rounding(module->getAttrOfType<StochasticRoundingAttr>(
                           PopDialect::kStochasticRoundingAttrName)),
      usesDrawNumbers(pop::usesDrawNumbers(module)) {
  for (ReadOp read : findOverwrittenReads(module, effects))
    overwrittenReads.insert(read);
}

//===----------------------------------------------------------------------===//
// Priorities
//===----------------------------------------------------------------------===//

/// The rank of the fragment of the program that executes an op. Fragments
/// without an order among each other have the same rank.
static int64_t getFragmentRank(Operation *op) {
  switch (getExecutionContext(op).value_or(ExecutionContext::Normal)) {
  case ExecutionContext::WeightsFromHost:
    return 0;
  case ExecutionContext::Normal:
  case ExecutionContext::OptimizerFromHost:
  case ExecutionContext::Subgraph:
    return 1;
  case ExecutionContext::AccumulateOuter:
    return 2;
  case ExecutionContext::WeightsToHost:
    return 3;
  }
  llvm_unreachable("unknown execution context");
}

/// A smaller rank comes first. Ops without a phase come last, unless ops with a
/// phase need them.
using Rank = std::tuple<int64_t, int64_t, int64_t, int64_t>;

static Rank getRank(Operation *op) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  return {getFragmentRank(op), getPhase(op).value_or(kLast),
          getBatchPhase(op).value_or(kLast), -getSchedulePriority(op)};
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

int64_t mlir::pop::getTensorBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      !shaped.getElementType().isIntOrFloat())
    return 0;
  uint64_t bits = shaped.getElementType().getIntOrFloatBitWidth();
  uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
      shaped.getNumElements(), llvm::divideCeil(bits, 8));
  return std::min<uint64_t>(bytes, std::numeric_limits<int64_t>::max());
}

/// Returns whether `op` allocates its results, so that they are new tensors.
static bool allocates(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.hasEffect<MemoryEffects::Allocate>();
}

int64_t BlockGraph::getStoredBytes(Value value) const {
  bool isRef = isa<RefType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    return ownsArguments && !isRef ? getTensorBytes(value.getType()) : 0;
  if (op->hasTrait<OpTrait::ConstantLike>() || (isRef && !allocates(op)))
    return 0;
  return getTensorBytes(value.getType());
}

/// Returns the value in whose storage the elements of `result` are.
Value BlockGraph::findStorage(Value result) const {
  Operation *op = result.getDefiningOp();
  if (isa<ReadOp>(op) && module.overwrittenReads.contains(op))
    return result;
  if (isa<TileViewOpInterface>(op))
    return getStorage(op->getOperand(0));
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return getStorage(view.getViewSource());
  return result;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

BlockGraph::BlockGraph(Block &block, const ScheduledModule &module,
                       bool ownsArguments,
                       function_ref<int64_t(Operation *)> getWorkspace)
    : block(block), module(module), ownsArguments(ownsArguments) {
  addNodes(getWorkspace);
  for (unsigned node = 0; node < ops.size(); ++node) {
    operandNodes.clear();
    effectNodes.clear();
    addUses(node);
    addEffects(node);
    addResults(node);
    for (unsigned before : operandNodes)
      graph.addDependence(before, node);
    for (unsigned before : effectNodes) {
      graph.addDependence(before, node);
      // Nothing else keeps an op without results, such as a load of code, close
      // to the ops that need its effects.
      if (ops[before]->getNumResults() == 0)
        graph.addAttraction(before, node, /*weight=*/1);
    }
  }
  addValues();
}

void BlockGraph::addNodes(function_ref<int64_t(Operation *)> getWorkspace) {
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  std::vector<Rank> ranks;
  for (Operation *op : ops)
    ranks.push_back(getRank(op));
  llvm::sort(ranks);
  for (Operation *op : ops) {
    int64_t position = llvm::lower_bound(ranks, getRank(op)) - ranks.begin();
    nodes[op] = graph.addNode(getWorkspace(op), /*priority=*/-position);
  }
}

void BlockGraph::addUse(Value value, unsigned user) {
  users[value].push_back(user);
  if (Value storage = getStorage(value); storage != value)
    users[storage].push_back(user);
}

void BlockGraph::addUses(unsigned node) {
  auto addEffect = [&](unsigned before) { effectNodes.insert(before); };
  ops[node]->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (!isOfBlock(operand))
        continue;
      addUse(operand, node);
      if (Operation *op = operand.getDefiningOp())
        operandNodes.insert(nodes.at(op));
      // The ref must not be written before this use.
      Value ref = sharedRefs.lookup(operand);
      const ipu::RefOrigin *origin =
          ref ? &module.effects.getOrigin(ref) : nullptr;
      if (origin && origin->isKnown())
        effectDependences.addRead(node, origin->getMemoryLocation(),
                                  origin->view, addEffect);
    }
  });
}

void BlockGraph::addEffects(unsigned node) {
  auto addEffect = [&](unsigned before) { effectNodes.insert(before); };
  effectDependences.add(node, module.effects.getEffects(ops[node]), addEffect);
  // Random bits depend on the number of advances before the op.
  if (module.usesDrawNumbers && containsDraw(ops[node]))
    effectDependences.addRead(node,
                              MemoryLocation::getResource(RngResource::get()),
                              /*view=*/std::nullopt, addEffect);
}

void BlockGraph::addResults(unsigned node) {
  Operation *op = ops[node];
  for (Value result : op->getResults()) {
    Value storage = findStorage(result);
    if (storage != result)
      storages[result] = storage;
    addUse(result, node);
    if (storage == result)
      continue;
    if (auto read = dyn_cast<ReadOp>(op))
      sharedRefs[result] = read.getTarget();
    else if (Value ref = sharedRefs.lookup(op->getOperand(0)))
      sharedRefs[result] = ref;
  }
}

void BlockGraph::addValues() {
  llvm::DenseSet<Value> returned;
  for (Value operand : block.getTerminator()->getOperands()) {
    returned.insert(operand);
    returned.insert(getStorage(operand));
  }
  for (const auto &[value, usersOfValue] : users) {
    if (!isOfBlock(value))
      continue;
    bool liveBefore = isa<BlockArgument>(value);
    bool liveAfter = returned.contains(value);
    int64_t bytes = storages.contains(value) ? 0 : getStoredBytes(value);
    // A value without bytes stays close to its uses.
    int64_t weight = bytes > 0 || liveBefore ? bytes : 1;
    graph.addValue(ScheduledValue{bytes, weight, liveBefore, liveAfter, {}},
                   usersOfValue);
  }
}

void BlockGraph::reorder(const Schedule &schedule) const {
  for (unsigned node : schedule)
    ops[node]->moveBefore(block.getTerminator());
}

//===----------------------------------------------------------------------===//
// Other orders
//===----------------------------------------------------------------------===//

bool mlir::pop::keepsOrder(Block &block) {
  return isa<ModuleOp, InSequenceOp, RemoteExchangeOp>(block.getParentOp()) ||
         !block.mightHaveTerminator();
}

void mlir::pop::forEachReorderableBlock(ModuleOp module,
                                        function_ref<void(Block &)> visit) {
  module.walk([&](Block *block) {
    if (!keepsOrder(*block))
      visit(*block);
  });
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

FailureOr<bool> mlir::pop::prepareReordering(ModuleOp module, StringRef pass) {
  if (Operation *draw = findDrawFromStream(module)) {
    draw->emitWarning()
        << "'" << pass
        << "' expects random bits of generator 'counter' but got 'stream'; "
           "it keeps the order of all ops, because the bits depend on it";
    return false;
  }
  // Ops without numbers would get numbers in their new order.
  if (failed(numberDraws(module)))
    return failure();
  return true;
}

FailureOr<bool> mlir::pop::reorderBlocks(
    ModuleOp module, StringRef pass,
    function_ref<void(Block &block, const ScheduledModule &module)> visit) {
  FailureOr<bool> canReorder = prepareReordering(module, pass);
  if (failed(canReorder) || !*canReorder)
    return canReorder;
  ScheduledModule scheduled(module);
  forEachReorderableBlock(module,
                          [&](Block &block) { visit(block, scheduled); });
  return true;
}

void mlir::pop::emitOrderRemark(Operation *op, StringRef transform,
                                const LiveBytes &before, const LiveBytes &after,
                                bool isReordered) {
  remark::RemarkOpts options = getGraphRemark(transform);
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

void mlir::pop::reorder(
    Block &block, const ScheduledModule &module, StringRef transform,
    function_ref<Schedule(const ScheduleGraph &)> getSchedule) {
  BlockGraph blockGraph(block, module, /*ownsArguments=*/false,
                        [](Operation *) { return 0; });
  const ScheduleGraph &graph = blockGraph.getGraph();
  Schedule given = graph.getGivenOrder(), schedule = getSchedule(graph);
  if (schedule == given)
    return;
  blockGraph.reorder(schedule);
  emitOrderRemark(block.getParentOp(), transform, countLiveBytes(graph, given),
                  countLiveBytes(graph, schedule), /*isReordered=*/true);
}
