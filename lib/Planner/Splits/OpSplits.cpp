//===- OpSplits.cpp - Splits of one op --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpSplits.h"

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// Collects the ops that a builder makes, in order.
struct NewOps : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};
} // namespace

/// Decomposes the ops that `listener` has collected, and the ops that this
/// creates. Updates `results`, which are values of these ops.
static void decomposeAll(OpBuilder &builder, NewOps &listener,
                         SmallVector<Value> &results) {
  // A decomposition adds new ops to the list.
  for (size_t next = 0; next < listener.ops.size();) {
    auto part = dyn_cast<DecomposableOpInterface>(listener.ops[next++]);
    if (!part)
      continue;
    builder.setInsertionPoint(part);
    FailureOr<SmallVector<Value>> simpler = part.decompose(builder);
    if (failed(simpler))
      continue;
    for (auto [old, replacement] :
         llvm::zip_equal(part->getResults(), *simpler))
      llvm::replace(results, Value(old), replacement);
    part->replaceAllUsesWith(*simpler);
    part->erase();
    listener.ops[next - 1] = nullptr;
  }
  llvm::erase(listener.ops, nullptr);
}

BuiltSplit mlir::ipu::buildSplit(TilePlanOpInterface op,
                                 const SplitVariant &variant) {
  NewOps listener;
  OpBuilder builder(op->getContext(), &listener);
  builder.setInsertionPoint(op);
  SmallVector<Value> results =
      op.buildTileSplit(builder, variant.split, variant.parts);
  decomposeAll(builder, listener, results);
  for (Operation *made : listener.ops) {
    pop::inheritPlacement(op, made);
    if (Attribute draw = op->getAttr(pop::PopDialect::kDrawAttrName);
        draw && mayRoundStochastically(made))
      made->setAttr(pop::PopDialect::kDrawAttrName, draw);
    if (Attribute share = op->getAttr(IPUDialect::kAvailableMemoryAttrName))
      if (isa<TilePlanOpInterface>(made))
        made->setAttr(IPUDialect::kAvailableMemoryAttrName, share);
  }
  return {std::move(listener.ops), std::move(results)};
}

//===----------------------------------------------------------------------===//
// The best variant
//===----------------------------------------------------------------------===//

/// The greatest number of parts of one split whose parts are different ops.
/// Parts may be split again.
static constexpr int64_t kMaxParts = 64;

namespace {
/// Finds the best variant of one op.
class VariantSearch {
public:
  VariantSearch(TilePlanOpInterface op, const OpCost &whole, OpCosts &costs,
                bool mayShareCode)
      : op(op), costs(costs), mayShareCode(mayShareCode),
        best{std::nullopt, whole} {}

  void search(const TileSplit &split);
  const BestVariant &getBest() const { return best; }

private:
  void searchFewerParts(const TileSplit &split, int64_t parts);
  OpCost getCost(const SplitVariant &variant);
  void consider(const SplitVariant &variant, const OpCost &cost);

  TilePlanOpInterface op;
  OpCosts &costs;
  bool mayShareCode;
  BestVariant best;
};
} // namespace

static void eraseAll(ArrayRef<Operation *> ops) {
  // The order of creation is not always the order of definitions and uses.
  for (Operation *op : ops)
    op->dropAllReferences();
  for (Operation *op : ops)
    op->erase();
}

OpCost VariantSearch::getCost(const SplitVariant &variant) {
  BuiltSplit built = buildSplit(op, variant);
  OpCost cost = costs.getCost(built.ops);
  if (mayShareCode && variant.split.isSerial)
    cost.cycles = (Count(cost.cycles) + costs.getCallCycles(built.ops)).get();
  eraseAll(built.ops);
  return cost;
}

void VariantSearch::consider(const SplitVariant &variant, const OpCost &cost) {
  if (cost < best.cost)
    best = {variant, cost};
}

/// The parts fit, so that more serial parts only take longer. Considers fewer
/// parts, down to the smallest number of parts that fit.
void VariantSearch::searchFewerParts(const TileSplit &split, int64_t parts) {
  // Equal parts stay on the tiles that compute them, but unequal parts are
  // moved. Therefore unequal parts are not considered if a number of equal
  // parts is at most a third greater.
  auto isEqual = [&](int64_t number) { return split.maxParts % number == 0; };
  for (int64_t tooFew = parts / 2; parts - tooFew > 1;) {
    int64_t middle = (parts + tooFew) / 2;
    OpCost cost = getCost({split, middle});
    (cost.excess == 0 ? parts : tooFew) = middle;
    if (isEqual(middle) ||
        llvm::none_of(llvm::seq_inclusive(middle, middle * 4 / 3), isEqual))
      consider({split, middle}, cost);
  }
}

void VariantSearch::search(const TileSplit &split) {
  int64_t most =
      split.isBatched ? split.maxParts : std::min(split.maxParts, kMaxParts);
  int64_t parts = 2;
  OpCost cost = getCost({split, parts});
  while (parts < most && (!split.isSerial || cost.excess > 0)) {
    consider({split, parts}, cost);
    parts = std::min(2 * parts, most);
    cost = getCost({split, parts});
  }
  consider({split, parts}, cost);
  if (split.isSerial && cost.excess == 0)
    searchFewerParts(split, parts);
}

BestVariant mlir::ipu::findBestVariant(TilePlanOpInterface op,
                                       const OpCost &whole, OpCosts &costs,
                                       bool mayShareCode) {
  VariantSearch search(op, whole, costs, mayShareCode);
  for (const TileSplit &split : op.getTileSplits())
    if (!split.isSerial || whole.excess > 0)
      search.search(split);
  return search.getBest();
}
