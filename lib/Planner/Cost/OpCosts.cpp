//===- OpCosts.cpp - Costs of single ops ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Cost/OpCosts.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

PlanOptions OpCosts::getOptions(Operation *op) const {
  PlanOptions own = options;
  if (std::optional<int64_t> perMille = getAvailableMemory(op))
    own.memoryPerMille = *perMille;
  return own;
}

/// Returns the tiles of `value`. Passes that estimate costs before lowering
/// accept virtual graphs that the target does not have.
TileSpace OpCosts::getSpace(Value value) const {
  TileSpace space = getTileSpace(value);
  return space.getNumTiles(target) > 0 ? space : TileSpace();
}

int64_t OpCosts::getShare(Operation *op) const {
  return getMemoryLimit(target, getOptions(op));
}

bool OpCosts::usesHugeTensor(ValueRange operands, Value result) const {
  Count memory =
      Count(target.tile_memory) * getSpace(result).getNumTiles(target);
  auto isHuge = [&](Value value) {
    while (auto view = value.getDefiningOp<TileViewOpInterface>())
      value = view->getOperand(0);
    auto type = cast<ShapedType>(value.getType());
    return memory <
           Count(type.getNumElements()) * getStoredBytes(type.getElementType());
  };
  return llvm::any_of(operands, isHuge) || isHuge(result);
}

int64_t OpCosts::getShareBytes(ShapedType type, const TileSpace &space) const {
  auto elements = static_cast<int64_t>(
      llvm::divideCeil(type.getNumElements(), space.getNumTiles(target)));
  return elements * getStoredBytes(type.getElementType());
}

int64_t OpCosts::getMoveCycles(int64_t bytes) const {
  return getExchangeSyncCycles(target) + target.exchange_setup_cycles +
         target.exchange_run_cycles +
         static_cast<int64_t>(
             llvm::divideCeil(bytes, target.exchange_bytes_per_cycle));
}

int64_t OpCosts::getIpuCopyCycles(int64_t bytes) const {
  auto tileBytes = static_cast<int64_t>(llvm::divideCeil(bytes, target.tiles));
  return getMoveCycles(tileBytes) - getExchangeSyncCycles(target) +
         2 * target.sync_ipus_cycles + 2 * target.rearrange_cycles +
         target.getLatencyCycles(target.link_latency_ns) +
         target.getTransferCycles(bytes, target.link_bytes_per_second);
}

int64_t OpCosts::getCallCycles(ArrayRef<Operation *> ops) const {
  Count sum;
  auto addMove = [&](Value value, Operation *op) {
    sum += getMoveCycles(getShareBytes(cast<ShapedType>(value.getType()),
                                       getSpace(op->getResult(0))));
  };
  Operation *previous = nullptr;
  for (Operation *op : ops) {
    if (!isa<TilePlanOpInterface>(op))
      continue;
    sum += target.call_cycles;
    for (Value operand : op->getOperands())
      if (!previous || !llvm::is_contained(previous->getOperands(), operand))
        addMove(operand, op);
    addMove(op->getResult(0), op);
    previous = op;
  }
  return sum.get();
}

std::optional<TilePlan> OpCosts::getPlan(CodeletOpInterface op) {
  if (failed(op.getTileForm({})))
    return std::nullopt;
  const PartitionProblem *problem = cache.getProblem(op, {});
  if (!problem)
    return std::nullopt;
  return cache.getPlans(problem, getOptions(op), getSpace(op->getResult(0)))
      .front();
}

OpCost OpCosts::getCost(Operation *op) {
  if (auto codelet = dyn_cast<CodeletOpInterface>(op)) {
    std::optional<TilePlan> plan = getPlan(codelet);
    if (!plan)
      return {};
    return {std::max<int64_t>(plan->bytes - getShare(op), 0), plan->cycles};
  }
  if (!isa<TileMoveOpInterface>(op))
    return {};
  auto type = cast<ShapedType>(op->getResult(0).getType());
  return {0, getMoveCycles(getShareBytes(type, getSpace(op->getResult(0))))};
}

OpCost OpCosts::getCost(ArrayRef<Operation *> ops) {
  OpCost sum;
  for (Operation *op : ops) {
    OpCost own = getCost(op);
    sum.excess = std::max(sum.excess, own.excess);
    sum.cycles = std::min(sum.cycles + own.cycles, INT64_MAX / 4);
  }
  return sum;
}
