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
/// arith, math and tosa, PartialValuesOpInterface to those of stablehlo, sdy,
/// arith and complex, ShardableDataFlowOpInterface to region ops of sdy,
/// stablehlo, scf, affine and tosa, and CustomCallRules to stablehlo.
void registerShardingRuleModels(DialectRegistry &registry);

/// The rule as plain data, and back.
sharding::Rule getRule(OpShardingRuleAttr attr);
OpShardingRuleAttr getRuleAttr(MLIRContext *context,
                               const sharding::Rule &rule);

/// The rule of an op: that of its attribute `sdy.sharding_rule`, else that of
/// its interface; none if it has neither, or if a tensor is not static.
std::optional<sharding::Rule> getShardingRule(Operation *op, bool conservative);

/// How the results of shards along reduction factors are combined: a sum where
/// the op does not say otherwise; none if no collective does it.
std::optional<ReductionKind> getReductionKind(Operation *op);

/// The operands that a sum starts from and that are not known to be zero: of
/// shards along reduction factors, one may add them.
SmallVector<unsigned> getAddedOnce(Operation *op);

/// Which operands may be partial so that the op makes partial values of its
/// results: as its PartialValuesOpInterface says, or operand 0 if the op is of
/// a class that only moves elements.
PartialValueFlow getPartialValueFlow(Operation *op, ReductionKind kind);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_RULES_RULES_H
