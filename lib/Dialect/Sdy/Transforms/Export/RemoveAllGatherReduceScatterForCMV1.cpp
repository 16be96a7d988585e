//===- RemoveAllGatherReduceScatterForCMV1.cpp - Gathers around dots ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: gathers of operands of dots and scatters of their results. Out: dots of
// differently sharded tensors, which a partitioner converts to loops that
// exchange one part of a tensor while they multiply another part. The pass
// follows Shardy's preparation for XLA's collective matmul.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVEALLGATHERREDUCESCATTERFORCMV1PASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static bool hasFactor(const sharding::TensorMapping &mapping, unsigned factor) {
  return llvm::any_of(mapping, [&](const sharding::DimMapping &dim) {
    return llvm::is_contained(dim, factor);
  });
}

static unsigned countOperands(const sharding::Rule &rule, unsigned factor) {
  return llvm::count_if(rule.operands,
                        [&](const sharding::TensorMapping &mapping) {
                          return hasFactor(mapping, factor);
                        });
}

/// The rule of an op that multiplies and sums up, and does nothing else.
static std::optional<sharding::Rule> getDotRule(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  std::optional<sharding::Rule> rule =
      getShardingRule(op, /*conservative=*/false);
  if (!rule)
    return std::nullopt;
  bool contracts = false;
  for (auto [i, factor] : llvm::enumerate(rule->factors)) {
    if (factor.type == sharding::FactorType::Reduction)
      contracts |= countOperands(*rule, i) == 2;
    else if (factor.type != sharding::FactorType::PassThrough)
      return std::nullopt;
  }
  return contracts ? rule : std::nullopt;
}

/// Whether the tensor is multiplied. Others are what sums are added to.
static bool isContracted(const sharding::Rule &rule,
                         const sharding::TensorMapping &mapping) {
  for (auto [i, factor] : llvm::enumerate(rule.factors))
    if (factor.type == sharding::FactorType::Reduction && hasFactor(mapping, i))
      return true;
  return false;
}

/// Whether the dimension is one factor, which the result has, and of what is
/// multiplied only one operand.
static bool isFree(const sharding::Rule &rule,
                   const sharding::DimMapping &dim) {
  if (dim.size() != 1 ||
      rule.factors[dim.front()].type != sharding::FactorType::PassThrough ||
      !hasFactor(rule.results.front(), dim.front()))
    return false;
  return llvm::count_if(rule.operands,
                        [&](const sharding::TensorMapping &mapping) {
                          return isContracted(rule, mapping) &&
                                 hasFactor(mapping, dim.front());
                        }) == 1;
}

/// The only dimension that has axes.
static std::optional<unsigned> getOnlyDim(ListOfAxisRefListsAttr axes) {
  std::optional<unsigned> only;
  for (auto [dim, list] : llvm::enumerate(axes.getValue())) {
    if (list.getValue().empty())
      continue;
    if (only)
      return std::nullopt;
    only = dim;
  }
  return only;
}

static bool removeGather(AllGatherOp gather) {
  std::optional<unsigned> dim = getOnlyDim(gather.getAxes());
  if (!dim || gather->use_empty())
    return false;
  for (OpOperand &use : gather->getUses()) {
    std::optional<sharding::Rule> rule = getDotRule(use.getOwner());
    if (!rule)
      return false;
    const sharding::TensorMapping &mapping =
        rule->operands[use.getOperandNumber()];
    if (!isContracted(*rule, mapping) || !isFree(*rule, mapping[*dim]))
      return false;
  }
  gather.getResult().replaceAllUsesWith(gather.getTensor());
  gather.erase();
  return true;
}

static bool removeScatter(ReduceScatterOp scatter) {
  std::optional<unsigned> dim = getOnlyDim(scatter.getReduceScatterAxes());
  Operation *dot = scatter.getTensor().getDefiningOp();
  if (!dim || !dot || !dot->hasOneUse())
    return false;
  std::optional<sharding::Rule> rule = getDotRule(dot);
  if (!rule || !isFree(*rule, rule->results.front()[*dim]))
    return false;
  setSharding(scatter.getTensor(), scatter.getOutSharding());
  scatter.getResult().replaceAllUsesWith(scatter.getTensor());
  scatter.erase();
  return true;
}

namespace {
struct RemoveAllGatherReduceScatterForCMV1Pass
    : sdy::impl::RemoveAllGatherReduceScatterForCMV1PassBase<
          RemoveAllGatherReduceScatterForCMV1Pass> {
  using RemoveAllGatherReduceScatterForCMV1PassBase::
      RemoveAllGatherReduceScatterForCMV1PassBase;
  void runOnOperation() override {
    bool hasChanged = false;
    getOperation().walk([&](Operation *op) {
      if (auto gather = dyn_cast<AllGatherOp>(op))
        hasChanged |= removeGather(gather);
      else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
        hasChanged |= removeScatter(scatter);
    });
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
