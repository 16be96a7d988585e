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

/// The operands whose partial values result in partial values of the results.
struct PartialValueFlow {
  /// All of the first `numOperands` operands together.
  static PartialValueFlow getTogether(unsigned numOperands);
  /// Any one of the first `numOperands` operands, while all others are not
  /// partial.
  static PartialValueFlow getOneByOne(unsigned numOperands);

  SmallVector<unsigned, 2> operands;
  /// Whether all of `operands` must be partial, or just one of them.
  bool together = true;
};

/// The class of an op with ShardingRuleOpInterface.
bool isElementwiseOrBroadcast(Operation *op);
/// Looks through all edges of an op with ShardableDataFlowOpInterface.
Value findEdgeOwner(Operation *op, BlockArgument target);

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ShardingInterfaces.h.inc"

namespace mlir::ipu {

/// The shape of a ranked tensor; empty for other values.
ArrayRef<int64_t> getTensorShape(Value value);
/// A builder for the operands and results of `op`.
sharding::RuleBuilder makeRuleBuilder(Operation *op);
/// The rule with a factor for each dimension of result 0, which all tensors of
/// rank 1 or more share.
sharding::Rule getPointwiseRule(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_SHARDINGINTERFACES_H
