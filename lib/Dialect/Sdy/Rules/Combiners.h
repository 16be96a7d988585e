//===- Combiners.h - Combiners of shards' results ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H
#define IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {

/// Returns the reduction that combines the results of the shards of an op.
/// Overloads handle ops that do not compute sums.
template <typename OpT>
std::optional<sharding::Combiner> getCombinerOf(OpT) {
  return sharding::Combiner::Sum;
}
/// Returns the reduction that `combiner`, the block of a reduction op,
/// computes. For each result, the block combines two of its arguments: the
/// accumulated value and an element. Returns std::nullopt if the reduction is
/// not known.
std::optional<sharding::Combiner> getCombinerOf(Block &combiner);
/// Returns the numbers of the operands that are initial values of a reduction.
/// Overloads handle ops that have such operands.
template <typename OpT>
SmallVector<unsigned> getStartsOf(OpT) {
  return {};
}
inline SmallVector<unsigned> getNumbers(OpOperand &operand) {
  return {operand.getOperandNumber()};
}
SmallVector<unsigned> getNumbers(MutableOperandRange operands);
/// Returns whether all elements of `value` are known to be 0.
bool isZero(Value value);
/// Returns the reduction by which `op` combines two values, or std::nullopt if
/// `op` is null or combines them in another way.
std::optional<sharding::Combiner> getCombinerKind(Operation *op);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H
