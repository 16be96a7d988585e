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

/// Where partial values of operands make partial values of the results.
struct PartialValueFlow {
  /// The first `numOperands` operands, if all of them are partial.
  static PartialValueFlow getTogether(unsigned numOperands);
  /// One of the first `numOperands` operands, while all others are whole.
  static PartialValueFlow getOneByOne(unsigned numOperands);

  SmallVector<unsigned, 2> operands;
  /// Whether all of `operands` have to be partial, or just one of them.
  bool together = true;
};

/// The class of an op with ShardingRuleOpInterface.
bool isElementwiseOrBroadcast(Operation *op);
/// Looks through all edges of an op with ShardableDataFlowOpInterface.
Value findEdgeOwner(Operation *op, BlockArgument target);

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ShardingInterfaces.h.inc"

namespace mlir::ipu {

/// The shape of a ranked tensor; empty of anything else.
ArrayRef<int64_t> getTensorShape(Value value);
/// A builder for the operands and results of `op`.
sharding::RuleBuilder makeRuleBuilder(Operation *op);
/// A factor for each dimension of result 0, in all tensors that are no scalars.
sharding::Rule getPointwiseRule(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_SHARDINGINTERFACES_H
