//===- ConstantMerger.cpp - One constant for equal uses -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: copies of constants and of broadcast scalars. Out: of those in one block
// that are equal, shardings included, one.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
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
  if (isa<ConstantOp>(op))
    return true;
  return isa<stablehlo::BroadcastInDimOp>(op) &&
         getTensorShape(op->getOperand(0)).empty();
}

static void mergeIn(Block &block) {
  std::unordered_multimap<size_t, Operation *> known;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        mergeIn(inner);
    if (!isMergeable(&op))
      continue;
    size_t hash = OperationEquivalence::computeHash(
        &op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    auto [begin, end] = known.equal_range(hash);
    auto it = std::find_if(begin, end, [&](const auto &entry) {
      return OperationEquivalence::isEquivalentTo(
          entry.second, &op, OperationEquivalence::exactValueMatch,
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
    });
    if (it == end) {
      known.emplace(hash, &op);
      continue;
    }
    op.replaceAllUsesWith(it->second);
    op.erase();
  }
}

namespace {
struct ConstantOrScalarMergerPass
    : sdy::impl::ConstantOrScalarMergerPassBase<ConstantOrScalarMergerPass> {
  using ConstantOrScalarMergerPassBase::ConstantOrScalarMergerPassBase;
  void runOnOperation() override { mergeIn(*getOperation().getBody()); }
};
} // namespace
