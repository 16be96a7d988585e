//===- StepShares.cpp - Shares of the cost of a step ----------------------===//
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

StepCostAttr mlir::ipu::addCostShares(StepOpInterface step, StepCostAttr cost,
                                      const StepCostContext &context) {
  if (getOrigins(step).size() == 1)
    return cost;
  SmallVector<StepPart> parts =
      cast<StepCostOpInterface>(step.getOperation()).getParts(context);
  if (parts.empty())
    parts.push_back({step, llvm::to_vector(cost.getCycles()), cost.getFlops(),
                     cost.getBytes()});
  // Each number of the cost is divided among the parts, and what a part gets is
  // divided among the origins of the part.
  llvm::SmallMapVector<OriginAttr, SmallVector<int64_t>, 8> sums;
  // The parts of a step may have other origins than the step itself.
  for (const StepPart &part : parts)
    for (OriginAttr origin : getOrigins(part.op))
      sums[origin.withShare(1)].assign(cost.getCycles().size() + 2, 0);
  auto divide = [&](size_t index, int64_t number,
                    function_ref<int64_t(const StepPart &)> getWeight) {
    auto weights = llvm::map_to_vector(
        parts, [&](const StepPart &part) { return getWeight(part); });
    for (auto [part, own] :
         llvm::zip_equal(parts, splitExactly(number, weights))) {
      SmallVector<OriginAttr> origins = getOrigins(part.op);
      auto shares = llvm::map_to_vector(
          origins, [](OriginAttr origin) { return origin.getShare(); });
      for (auto [origin, share] :
           llvm::zip_equal(origins, splitExactly(own, shares)))
        sums[origin.withShare(1)][index] += share;
    }
  };
  for (auto [ipu, cycles] : llvm::enumerate(cost.getCycles()))
    divide(ipu, cycles,
           [ipu = ipu](const StepPart &part) { return part.cycles[ipu]; });
  size_t numIPUs = cost.getCycles().size();
  divide(numIPUs, cost.getFlops(),
         [](const StepPart &part) { return part.flops; });
  divide(numIPUs + 1, cost.getBytes(),
         [](const StepPart &part) { return part.bytes; });
  SmallVector<CostShareAttr> shares;
  for (const auto &[origin, numbers] : sums)
    shares.push_back(CostShareAttr::get(
        cost.getContext(), origin, ArrayRef(numbers).take_front(numIPUs),
        numbers[numIPUs], numbers[numIPUs + 1]));
  return StepCostAttr::get(cost.getContext(), cost.getCycles(), cost.getTotal(),
                           cost.getTile(), cost.getFlops(), cost.getBytes(),
                           shares);
}
