//===- ShardingInterfaces.h - Sharding interfaces ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_SHARDINGINTERFACES_H
#define IPU_MLIR_INTERFACES_SHARDINGINTERFACES_H

#include "ipu-mlir/Sharding/RuleBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

/// The operands of an op that may hold partial values. If the operands hold
/// partial values in the way that `together` states, the results of the op also
/// hold partial values.
struct PartialValueFlow {
  /// Returns the flow for an op whose first `numOperands` operands must all
  /// hold partial values.
  static PartialValueFlow getTogether(unsigned numOperands);
  /// Returns the flow for an op that requires that exactly one of its first
  /// `numOperands` operands holds partial values.
  static PartialValueFlow getOneByOne(unsigned numOperands);

  SmallVector<unsigned, 2> operands;
  /// Whether all of `operands` must hold partial values. If this is not set,
  /// exactly one of them must hold partial values.
  bool together = true;
};

/// Returns whether `op` is elementwise or a broadcast, according to
/// ShardingRuleOpInterface.
bool isElementwiseOrBroadcast(Operation *op);
/// Returns the owner of the data-flow edge of `op` that has the target
/// `target`, or null if there is no such edge. `op` must have
/// ShardableDataFlowOpInterface.
Value findEdgeOwner(Operation *op, BlockArgument target);

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ShardingInterfaces.h.inc"

namespace mlir::ipu {

/// Returns the shape of a ranked tensor, or an empty shape for other values.
ArrayRef<int64_t> getTensorShape(Value value);
/// Returns a builder of a sharding rule for the operands and results of `op`.
sharding::RuleBuilder makeRuleBuilder(Operation *op);
/// Returns the rule that has one factor for each dimension of result 0. Each
/// tensor of rank 1 or more has all of these factors.
sharding::Rule getPointwiseRule(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_SHARDINGINTERFACES_H
