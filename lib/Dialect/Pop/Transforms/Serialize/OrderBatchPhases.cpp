//===- OrderBatchPhases.cpp - Orders of batch phases ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with ops that have batch phases. Out: the same module, where the
// ops of each phase follow each other, in one order for all phases.
//
//===----------------------------------------------------------------------===//

#include "../Graph/BlockGraph.h"
#include "../Graph/GraphTransforms.h"
#include "BlockLevels.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include <map>

namespace mlir::pop {
#define GEN_PASS_DEF_ORDERBATCHPHASESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Corresponding ops
//===----------------------------------------------------------------------===//

namespace {
/// Finds the positions of ops among the corresponding ops of phase 0. Ops
/// correspond to each other if they have the same name and result types, and if
/// the results that they use of their phases are of ops that correspond.
/// Several such ops correspond in the order of the program.
class PhaseMatcher {
public:
  /// Returns the position of `op`, of `phase`. Ops have to be added in the
  /// order of the program. An op without a corresponding op has the position of
  /// the last op of its phase that has one.
  int64_t add(Operation *op, int64_t phase);

private:
  /// The name, the result types and the operands of an op, as numbers.
  using Signature = std::vector<unsigned>;

  unsigned getNumber(const void *pointer) {
    return numbers.try_emplace(pointer, numbers.size()).first->second;
  }
  unsigned getKind(Operation *op, int64_t phase);

  llvm::DenseMap<const void *, unsigned> numbers;
  std::map<Signature, unsigned> kinds;
  /// The phase and the kind of each op.
  llvm::DenseMap<Operation *, std::pair<int64_t, unsigned>> kindOf;
  /// The positions in phase 0 of the ops of each kind.
  llvm::DenseMap<unsigned, SmallVector<int64_t, 1>> positionsOf;
  /// The number of ops of each kind in each phase.
  llvm::DenseMap<std::pair<int64_t, unsigned>, unsigned> counts;
  llvm::DenseMap<int64_t, int64_t> lastPositions;
  int64_t numFirst = 0;
};
} // namespace

unsigned PhaseMatcher::getKind(Operation *op, int64_t phase) {
  Signature signature = {getNumber(op->getName().getAsOpaquePointer())};
  for (Type type : op->getResultTypes())
    signature.push_back(getNumber(type.getAsOpaquePointer()));
  for (Value operand : op->getOperands()) {
    auto it = kindOf.find(operand.getDefiningOp());
    bool isOfPhase = it != kindOf.end() && it->second.first == phase;
    signature.push_back(isOfPhase ? it->second.second + 1 : 0);
  }
  return kinds.try_emplace(std::move(signature), kinds.size()).first->second;
}

int64_t PhaseMatcher::add(Operation *op, int64_t phase) {
  unsigned kind = getKind(op, phase);
  kindOf[op] = {phase, kind};
  if (phase == 0) {
    positionsOf[kind].push_back(numFirst);
    return numFirst++;
  }
  unsigned count = counts[{phase, kind}]++;
  ArrayRef<int64_t> positions = positionsOf[kind];
  if (count < positions.size())
    lastPositions[phase] = positions[count];
  return lastPositions[phase];
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Returns the time at which an op of `phase` is executed, relative to other
/// ops of a section. Each phase has four steps.
static int64_t getTime(Operation *op, int64_t phase, PhaseSchedule schedule) {
  enum Step { Load, Compute, Enter, Leave, NumSteps };
  auto at = [](int64_t phase, Step step) { return phase * NumSteps + step; };
  if (schedule == PhaseSchedule::Scheduler ||
      schedule == PhaseSchedule::Isomorphic)
    return at(phase, Compute);
  auto copy = dyn_cast<IoTileCopyOp>(op);
  if (copy && copy.getDestination() == TileSet::Compute)
    return at(phase - 1, Enter);
  if (copy)
    return at(phase, Leave);
  if (!isOnIOTiles(op))
    return at(phase, Compute);
  if (op->getNumResults() == 0)
    return at(phase, Leave);
  return at(phase - 1,
            schedule == PhaseSchedule::OverlapOnCompute ? Load : Enter);
}

/// Returns the phase of an op that is executed with the other ops of its phase.
/// Ops of phase -1 initialize what all phases use.
static std::optional<int64_t> getOrderedPhase(Operation *op) {
  std::optional<int64_t> phase = getBatchPhase(op);
  return phase && *phase >= 0 ? phase : std::nullopt;
}

static std::vector<OrderKey> getKeys(ArrayRef<Operation *> ops,
                                     const std::vector<unsigned> &levels,
                                     PhaseSchedule schedule) {
  PhaseMatcher matcher;
  // Phase 0 defines the positions of the other phases.
  std::vector<int64_t> positions(ops.size(), 0);
  if (schedule != PhaseSchedule::Scheduler)
    for (bool isFirst : {true, false})
      for (auto [op, position] : llvm::zip_equal(ops, positions))
        if (std::optional<int64_t> phase = getOrderedPhase(op);
            phase && (*phase == 0) == isFirst)
          position = matcher.add(op, *phase);
  std::vector<OrderKey> keys;
  for (auto [op, level, position] : llvm::zip_equal(ops, levels, positions)) {
    std::optional<int64_t> phase = getOrderedPhase(op);
    if (phase)
      keys.push_back({level, 1, getTime(op, *phase, schedule), position});
    else
      keys.push_back({level, 0, 0, 0});
  }
  return keys;
}

/// Orders the ops of `block`. Returns whether their order changes.
static bool orderBlock(Block &block, const ScheduledModule &module,
                       PhaseSchedule schedule) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  if (llvm::none_of(ops, getOrderedPhase))
    return false;
  BlockGraph blockGraph(block, module, /*ownsArguments=*/false,
                        [](Operation *) { return 0; });
  const ScheduleGraph &graph = blockGraph.getGraph();
  auto isMember = [&](unsigned node) {
    return getOrderedPhase(ops[node]).has_value();
  };
  std::vector<unsigned> levels =
      computeLevels(graph, isMember, [](unsigned, unsigned) { return true; });
  postponeToUses(graph, isMember, levels);
  Schedule order = orderByKeys(graph, getKeys(ops, levels, schedule));
  if (order == graph.getGivenOrder())
    return false;
  blockGraph.reorder(order);
  return true;
}

namespace {
struct OrderBatchPhasesPass
    : pop::impl::OrderBatchPhasesPassBase<OrderBatchPhasesPass> {
  using OrderBatchPhasesPassBase::OrderBatchPhasesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Ops without numbers would get numbers in their new order.
    if (failed(numberDraws(module)) ||
        failed(checkCondition(module, Condition::Bphase,
                              [](Operation *op) { return op->emitOpError(); })))
      return signalPassFailure();
    ScheduledModule scheduled(module);
    forEachReorderableBlock(module, [&](Block &block) {
      if (orderBlock(block, scheduled, schedule))
        remark::passed(block.getParentOp()->getLoc(),
                       getGraphRemark("OrderBatchPhases"))
            << "the ops of batch phases are in another order";
    });
  }
};
} // namespace
