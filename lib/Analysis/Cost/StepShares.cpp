//===- StepShares.cpp - Shares of the cost of a step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"

#include "ipu-mlir/Dialect/IPU/IR/Origins.h"
#include "ipu-mlir/Support/SplitExactly.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// The weights of an origin: its cycles on each IPU, its flops and its bytes, if
/// its parts of the step ran alone.
using Weights = SmallVector<int64_t>;
} // namespace

/// The sum does not exceed the sum of all weights, each of which is a Count.
static void addWeights(Weights &sum, ArrayRef<int64_t> weights) {
  sum.resize(weights.size(), 0);
  for (auto [own, more] : llvm::zip_equal(sum, weights))
    own = static_cast<int64_t>(std::min<uint64_t>(
        uint64_t(own) + uint64_t(more), std::numeric_limits<int64_t>::max()));
}

StepCostAttr mlir::ipu::addCostShares(StepOpInterface step, StepCostAttr cost,
                                      const StepCostContext &context) {
  SmallVector<OriginAttr> all = getOrigins(step);
  if (all.size() == 1)
    return cost;
  SmallVector<StepPart> parts =
      cast<StepCostOpInterface>(step.getOperation()).getParts(context);
  if (parts.empty())
    parts.push_back({step, llvm::to_vector(cost.getCycles()), cost.getFlops(),
                     cost.getBytes()});
  llvm::SmallMapVector<OriginAttr, Weights, 8> weights;
  for (OriginAttr origin : all)
    weights.insert({origin.withShare(1), Weights()});
  for (const StepPart &part : parts) {
    SmallVector<OriginAttr> origins = getOrigins(part.op);
    SmallVector<int64_t> shares = llvm::map_to_vector(
        origins, [](OriginAttr origin) { return origin.getShare(); });
    SmallVector<Weights> own(origins.size());
    Weights whole = part.cycles;
    whole.append({part.flops, part.bytes});
    for (int64_t number : whole)
      for (auto [list, share] : llvm::zip_equal(own, splitExactly(number, shares)))
        list.push_back(share);
    for (auto [origin, list] : llvm::zip_equal(origins, own))
      addWeights(weights[origin.withShare(1)], list);
  }
  SmallVector<int64_t> whole = llvm::to_vector(cost.getCycles());
  whole.append({cost.getFlops(), cost.getBytes()});
  SmallVector<Weights> shares(weights.size());
  for (auto [index, number] : llvm::enumerate(whole)) {
    auto column = llvm::map_to_vector(weights, [index = index](const auto &entry) {
      return entry.second[index];
    });
    for (auto [list, share] : llvm::zip_equal(shares, splitExactly(number, column)))
      list.push_back(share);
  }
  SmallVector<CostShareAttr> result;
  for (const auto &[entry, list] : llvm::zip_equal(weights, shares))
    result.push_back(CostShareAttr::get(
        cost.getContext(), entry.first, ArrayRef(list).drop_back(2),
        list[list.size() - 2], list.back()));
  return StepCostAttr::get(cost.getContext(), cost.getCycles(), cost.getTotal(),
                           cost.getTile(), cost.getFlops(), cost.getBytes(),
                           result);
}
