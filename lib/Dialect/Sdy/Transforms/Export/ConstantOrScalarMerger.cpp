//===- ConstantOrScalarMerger.cpp - Merging of equal constants ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: copies of constants and of broadcast scalars. Out: in each block, copies
// that are equal, including their shardings, are merged. The origins of
// shardings are ignored, so that the program does not depend on debug
// attributes.
//
//===----------------------------------------------------------------------===//

#include "../ConstantExpressions.h"
#include "../Propagation/OriginNames.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CONSTANTORSCALARMERGERPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static bool isMergeable(Operation *op) {
  // Shardy leaves its copies of iotas as they are.
  if (isa<stablehlo::IotaOp>(op) || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  auto isSource = [](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && isConstantSource(definition);
  };
  return isConstantSource(op) || isScalarExpansion(op, isSource);
}

/// Of the op and of those in its regions, in order.
static SmallVector<Attribute> getComparedAttrs(Operation *op) {
  SmallVector<Attribute> all;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    all.push_back(getAttrsWithoutDebugInfo(inner));
  });
  return all;
}

/// Attributes are compared without what they tell of propagation.
static constexpr auto kComparison =
    OperationEquivalence::Flags(OperationEquivalence::IgnoreLocations |
                                OperationEquivalence::IgnoreDiscardableAttrs);

/// Whether both are equal, their regions included.
static bool isSame(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inside;
  return getComparedAttrs(a) == getComparedAttrs(b) &&
         OperationEquivalence::isEquivalentTo(
             a, b,
             [&](Value a, Value b) {
               return success(a == b || inside.lookup(a) == b);
             },
             [&](Value a, Value b) { inside[a] = b; }, kComparison);
}

/// Returns whether there were two of anything.
static bool mergeIn(Block &block, OriginRenames &renames) {
  bool changed = false;
  std::unordered_multimap<size_t, Operation *> known;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        changed |= mergeIn(inner, renames);
    if (!isMergeable(&op))
      continue;
    size_t hash = OperationEquivalence::computeHash(
        &op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, kComparison);
    auto [begin, end] = known.equal_range(hash);
    auto it = std::find_if(begin, end, [&](const auto &entry) {
      return isSame(entry.second, &op);
    });
    if (it == end) {
      known.emplace(hash, &op);
      continue;
    }
    renames.add(it->second, &op);
    op.replaceAllUsesWith(it->second);
    op.erase();
    changed = true;
  }
  return changed;
}

namespace {
struct ConstantOrScalarMergerPass
    : sdy::impl::ConstantOrScalarMergerPassBase<ConstantOrScalarMergerPass> {
  using ConstantOrScalarMergerPassBase::ConstantOrScalarMergerPassBase;
  void runOnOperation() override {
    OriginRenames renames;
    if (!mergeIn(*getOperation().getBody(), renames))
      markAllAnalysesPreserved();
    renames.apply(getOperation());
  }
};
} // namespace
