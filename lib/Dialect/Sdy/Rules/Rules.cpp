//===- Rules.cpp - The rule of an op --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"

#include "ipu-mlir/Interfaces/ShapeLimits.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;

void sdy::registerShardingRuleModels(DialectRegistry &registry) {
  registerDataFlowModels(registry);
  registerSdyRules(registry);
  registerStableHLORules(registry);
  registerStableHLOIndexingRules(registry);
  registerLinalgRules(registry);
  registerTensorRules(registry);
  registerTosaRules(registry);
  registerPopRules(registry);
}

static sharding::TensorMapping getMapping(TensorMappingAttr attr) {
  sharding::TensorMapping mapping;
  for (DimMappingAttr dim : attr.getDimMappings())
    mapping.emplace_back(dim.getFactorIndices().begin(),
                         dim.getFactorIndices().end());
  return mapping;
}

sharding::Rule sdy::getRule(OpShardingRuleAttr attr) {
  sharding::Rule rule;
  for (int64_t size : attr.getFactorSizes())
    rule.factors.push_back(sharding::Factor{size});
  auto setTypes = [&](ArrayRef<int64_t> factors, FactorType type) {
    for (int64_t factor : factors)
      rule.factors[factor].type = type;
  };
  setTypes(attr.getReductionFactors(), FactorType::Reduction);
  setTypes(attr.getNeedReplicationFactors(), FactorType::NeedReplication);
  setTypes(attr.getPermutationFactors(), FactorType::Permutation);
  for (int64_t factor : attr.getBlockedPropagationFactors())
    rule.factors[factor].blocked = true;
  llvm::append_range(rule.operands,
                     llvm::map_range(attr.getOperandMappings(), getMapping));
  llvm::append_range(rule.results,
                     llvm::map_range(attr.getResultMappings(), getMapping));
  rule.custom = attr.getIsCustomRule();
  return rule;
}

OpShardingRuleAttr sdy::getRuleAttr(MLIRContext *context,
                                    const sharding::Rule &rule) {
  auto getMappings = [&](ArrayRef<sharding::TensorMapping> mappings) {
    SmallVector<TensorMappingAttr> attrs;
    for (const sharding::TensorMapping &mapping : mappings) {
      SmallVector<DimMappingAttr> dims;
      for (const sharding::DimMapping &dim : mapping)
        dims.push_back(DimMappingAttr::get(
            context, SmallVector<int64_t>(dim.begin(), dim.end())));
      attrs.push_back(TensorMappingAttr::get(context, dims));
    }
    return attrs;
  };
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    sizes.push_back(factor.size);
    if (factor.type == FactorType::Reduction)
      reduction.push_back(i);
    else if (factor.type == FactorType::NeedReplication)
      replication.push_back(i);
    else if (factor.type == FactorType::Permutation)
      permutation.push_back(i);
    if (factor.blocked)
      blocked.push_back(i);
  }
  return OpShardingRuleAttr::get(
      context, sizes, getMappings(rule.operands), getMappings(rule.results),
      reduction, replication, permutation, blocked, rule.custom);
}

std::optional<sharding::Rule> sdy::getShardingRule(Operation *op,
                                                   bool conservative) {
  if (auto attr = op->getAttrOfType<OpShardingRuleAttr>(kShardingRuleAttrName))
    return getRule(attr);
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  if (!rules || op->getNumResults() == 0)
    return std::nullopt;
  // Products of sizes that are not addressable would overflow.
  auto hasSizes = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped ||
           (isa<RankedTensorType>(shaped) && shaped.hasStaticShape() &&
            isAddressableShape(shaped.getShape()));
  };
  if (!llvm::all_of(op->getOperandTypes(), hasSizes) ||
      !llvm::all_of(op->getResultTypes(), hasSizes))
    return std::nullopt;
  return rules.getShardingRule(conservative);
}
