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

/// Convert a rule to plain data, and back.
sharding::Rule getRule(OpShardingRuleAttr attr);
OpShardingRuleAttr getRuleAttr(MLIRContext *context,
                               const sharding::Rule &rule);

/// Returns the rule of an op: from its attribute `sdy.sharding_rule`, otherwise
/// from its interface. Returns std::nullopt if it has neither, or if a tensor
/// is not static.
std::optional<sharding::Rule> getShardingRule(Operation *op, bool conservative);

/// Returns the way in which the results of shards along reduction factors are
/// combined: by default a sum, or std::nullopt if no collective can combine
/// them.
std::optional<ReductionKind> getReductionKind(Operation *op);

/// Returns the operands that are initial values of a sum and are not known to
/// be zero. Only one of the shards along reduction factors may add them.
SmallVector<unsigned> getAddedOnce(Operation *op);

/// Returns the operands that may be partial values, such that the results of
/// the op become partial values. They are defined by the op's
/// PartialValuesOpInterface, or are operand 0 if the op belongs to a class that
/// only moves elements.
PartialValueFlow getPartialValueFlow(Operation *op, ReductionKind kind);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_RULES_RULES_H
