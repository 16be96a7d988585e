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

BuiltSplit mlir::ipu::buildSplit(TilePlanOpInterface op,
                                 const SplitVariant &variant) {
  BuiltOps built;
  OpBuilder builder(op->getContext(), &built);
  builder.setInsertionPoint(op);
  SmallVector<Value> results =
      op.buildTileSplit(builder, variant.split, variant.parts);
  built.decompose(builder, results);
  for (Operation *made : built.ops) {
    pop::inheritPlacement(op, made);
    if (Attribute draw = op->getAttr(pop::PopDialect::kDrawAttrName);
        draw && mayRoundStochastically(made))
      made->setAttr(pop::PopDialect::kDrawAttrName, draw);
    if (Attribute share = op->getAttr(IPUDialect::kAvailableMemoryAttrName))
      if (isa<TilePlanOpInterface>(made))
        made->setAttr(IPUDialect::kAvailableMemoryAttrName, share);
  }
  return {std::move(built), std::move(results)};
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

OpCost VariantSearch::getCost(const SplitVariant &variant) {
  BuiltSplit split = buildSplit(op, variant);
  OpCost cost = costs.getCost(split.built.ops);
  if (mayShareCode && variant.split.isSerial)
    cost.cycles =
        (Count(cost.cycles) + costs.getCallCycles(split.built.ops)).get();
  split.built.erase();
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
