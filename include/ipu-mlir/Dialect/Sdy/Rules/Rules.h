//===- Rules.h - Sharding rules of other dialects' ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_RULES_RULES_H
#define IPU_MLIR_DIALECT_SDY_RULES_RULES_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {

/// Attaches ShardingRuleOpInterface to ops of stablehlo, pop, linalg, tensor,
/// arith, math and tosa; PartialValuesOpInterface to ops of stablehlo, sdy,
/// arith and complex; ShardableDataFlowOpInterface to region ops of sdy,
/// stablehlo, scf, affine and tosa; and CustomCallRules to stablehlo.
void registerShardingRuleModels(DialectRegistry &registry);

/// Convert a rule attribute to a sharding::Rule, and a sharding::Rule to a rule
/// attribute.
sharding::Rule getRule(OpShardingRuleAttr attr);
OpShardingRuleAttr getRuleAttr(MLIRContext *context,
                               const sharding::Rule &rule);

/// Returns the sharding rule of `op`: its attribute `sdy.sharding_rule` or, if
/// there is none, the rule from its ShardingRuleOpInterface. Returns
/// std::nullopt if the op has neither, or if a tensor does not have a static
/// shape.
std::optional<sharding::Rule> getShardingRule(Operation *op, bool conservative);

/// Returns the kind of reduction that combines the results of shards along
/// reduction factors: a sum for most ops. Returns std::nullopt if no collective
/// can combine these results.
std::optional<ReductionKind> getReductionKind(Operation *op);

/// Returns the operands that are initial values of a sum and are not known to
/// be zero. Only one of all shards along reduction factors may add these
/// values.
SmallVector<unsigned> getAddedOnce(Operation *op);

/// Returns the operands for which `op` accepts partial values of `kind` and
/// then computes partial values. The op's PartialValuesOpInterface determines
/// these operands. If `op` does not have this interface, but its class only
/// moves elements, operand 0 is the only such operand.
PartialValueFlow getPartialValueFlow(Operation *op, ReductionKind kind);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_RULES_RULES_H
