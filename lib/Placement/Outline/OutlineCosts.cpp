//===- OutlineCosts.cpp - Costs of sequences of ops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineCosts.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

int64_t OutlineCosts::getExchangeBytes() const {
  auto runs = static_cast<int64_t>(std::sqrt(target.tiles));
  return target.exchange_control_code_bytes +
         runs * target.exchange_receive_code_bytes + target.sync_code_bytes;
}

/// Returns whether `input` can have the tile mapping of the result: a vertex
/// reads one element for each position of the loops.
static bool readsOwnElements(const TileForm &form, const TileAccess &input) {
  size_t numLoops = 0;
  for (auto [size, dim] : llvm::zip_equal(input.domain, input.dims)) {
    if (size == 1)
      continue;
    if (dim.loop < 0 || dim.step != 1 || dim.extent != 1)
      return false;
    ++numLoops;
  }
  // A scalar is copied to all tiles, which takes one short run.
  return numLoops == 0 ||
         static_cast<int64_t>(numLoops) ==
             llvm::count_if(form.loops, [](int64_t size) { return size > 1; });
}

/// Returns the cost of an op that cannot be decomposed.
CodeCost OutlineCosts::getSimpleCost(Operation *op) {
  if (isa<TileMoveOpInterface>(op))
    return {getExchangeBytes(), ops.getCost(op).cycles};
  auto codelet = dyn_cast<CodeletOpInterface>(op);
  if (!codelet)
    return {};
  std::optional<TilePlan> plan = ops.getPlan(codelet);
  // A sum has no plan before its accumulation order is chosen.
  if (!plan)
    return {target.compute_set_code_bytes + getExchangeBytes(), 0};
  TileForm form = *codelet.getTileForm({});
  CodeCost cost{target.compute_set_code_bytes, plan->cycles};
  int64_t tiles = target.getTilesPerReplica();
  int64_t used = std::min(getNumParts(form, plan->blocks), tiles);
  cost.idleCycles = plan->cycles - plan->cycles * used / tiles;
  if (llvm::any_of(form.inputs, [&](const TileAccess &input) {
        return !readsOwnElements(form, input);
      }))
    cost.bytes += getExchangeBytes();
  return cost;
}

int64_t mlir::ipu::getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  if (!trips || trips->isNegative())
    return 1;
  return std::max<int64_t>(trips->getLimitedValue(INT32_MAX), 1);
}

CodeCost OutlineCosts::getBodyCost(Operation *op) {
  CodeCost sum;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      sum += getCost(&nested);
  return sum;
}

/// Inserts the ops of the decomposition of `op` before `op`, which stays.
/// Returns false, without new ops, if there is no decomposition.
static bool decomposeBefore(Operation *op) {
  auto complex = dyn_cast<DecomposableOpInterface>(op);
  if (!complex)
    return false;
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  FailureOr<SmallVector<Value>> simpler = complex.decompose(builder);
  if (failed(simpler)) {
    while (op->getPrevNode() != before)
      op->getPrevNode()->erase();
    return false;
  }
  // Uses of the results do not count, because the new ops are erased again.
  for (Operation *last = op->getPrevNode(); last != before;) {
    Operation *part = last;
    last = part->getPrevNode();
    auto nested = dyn_cast<DecomposableOpInterface>(part);
    if (!nested)
      continue;
    builder.setInsertionPoint(part);
    FailureOr<SmallVector<Value>> parts = nested.decompose(builder);
    if (failed(parts))
      continue;
    // The new ops may have decompositions, too.
    last = part->getPrevNode();
    part->replaceAllUsesWith(*parts);
    part->erase();
  }
  return true;
}

/// The body of a loop of unknown trip count counts once. A call executes the
/// code of its callee, which is elsewhere.
CodeCost OutlineCosts::getCost(Operation *op) {
  if (pop::isLeaf(op))
    return {};
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    Operation *callee = call.resolveCallable();
    auto [known, isNew] = functions.try_emplace(callee);
    if (isNew && callee) {
      // The entry may have moved when callees were added.
      CodeCost body = getBodyCost(callee);
      functions[callee] = body;
    }
    CodeCost body = functions.lookup(callee);
    return {target.sync_code_bytes, target.call_cycles + body.cycles,
            body.idleCycles};
  }
  if (op->getNumRegions() > 0) {
    CodeCost body = getBodyCost(op);
    body.bytes += target.sync_code_bytes;
    int64_t trips = getTripCount(op);
    for (int64_t *cycles : {&body.cycles, &body.idleCycles}) {
      std::optional<int64_t> all = llvm::checkedMul(*cycles, trips);
      *cycles =
          std::min(all.value_or(CodeCost::kMaxCycles), CodeCost::kMaxCycles);
    }
    return body;
  }
  Operation *before = op->getPrevNode();
  if (!decomposeBefore(op))
    return getSimpleCost(op);
  CodeCost sum;
  while (op->getPrevNode() != before) {
    Operation *part = op->getPrevNode();
    sum += getSimpleCost(part);
    part->erase();
  }
  return sum;
}

std::vector<CodeCost> OutlineCosts::getCosts(const OpText &text) {
  std::vector<CodeCost> costs;
  llvm::DenseMap<unsigned, CodeCost> known;
  for (auto [position, token] : llvm::enumerate(text.getTokens())) {
    Operation *op = text.getOp(position);
    if (!op || !text.getPosition(op)) {
      costs.emplace_back();
      continue;
    }
    auto [entry, isNew] = known.try_emplace(token);
    if (isNew)
      entry->second = getCost(op);
    costs.push_back(entry->second);
  }
  return costs;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The copies before a call are merged into one exchange, and so are those
/// after it. A tensor that all calls pass is usually written once.
CodeCost OutlineCosts::getCallCost(const pop::SequenceInterface &interface,
                                   const llvm::BitVector &modified) const {
  CodeCost sum{target.sync_code_bytes, target.call_cycles};
  auto addExchange = [&](int64_t bytes) {
    if (bytes == 0)
      return;
    sum.bytes += getExchangeBytes();
    sum.cycles += ops.getMoveCycles(bytes);
  };
  int64_t before = 0, after = 0;
  for (auto [index, values] : llvm::enumerate(interface.operands)) {
    int64_t bytes = getPassedBytes(values.front().getType());
    if (modified[index] || !llvm::all_equal(values))
      before += bytes;
    if (modified[index])
      after += bytes;
  }
  for (const auto &values : interface.results)
    after += getPassedBytes(values.front().getType());
  addExchange(before);
  addExchange(after);
  return sum;
}

int64_t OutlineCosts::getPassedBytes(Type type) const {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? ops.getShareBytes(shaped) : 0;
}

int64_t
OutlineCosts::getPassedBytes(const pop::SequenceInterface &interface) const {
  int64_t sum = 0;
  for (const auto &values : interface.operands)
    sum += getPassedBytes(values.front().getType());
  for (const auto &values : interface.results)
    sum += getPassedBytes(values.front().getType());
  return sum;
}
