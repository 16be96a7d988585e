//===- Combiners.h - Combiners of shards' results ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H
#define IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {

/// Returns the way in which results of shards are combined. Ops that do not sum
/// specialize this.
template <typename OpT>
std::optional<sharding::Combiner> getCombinerOf(OpT) {
  return sharding::Combiner::Sum;
}
/// For ops whose block combines two of its arguments into each result: the
/// accumulated value and an element.
std::optional<sharding::Combiner> getCombinerOf(Block &combiner);
/// Returns the operands that are initial values of a reduction. Ops that have
/// such operands specialize this.
template <typename OpT>
SmallVector<unsigned> getStartsOf(OpT) {
  return {};
}
inline SmallVector<unsigned> getNumbers(OpOperand &operand) {
  return {operand.getOperandNumber()};
}
SmallVector<unsigned> getNumbers(MutableOperandRange operands);
/// Returns the reduction by which an op, which may be null, combines two
/// values.
std::optional<sharding::Combiner> getCombinerKind(Operation *op);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_RULES_COMBINERS_H
