//===- ContinuedSums.h - Sums that continue other sums ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a sum of products into parts, each of which continues the sum of the
// part before. The parts compute the same bits as the whole sum if they end at
// borders of its accumulation order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_CONTINUEDSUMS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_CONTINUEDSUMS_H

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop {

/// Returns whether `op` is a sum of products that has the same bits if it is
/// divided into parts of `numAddends` consecutive addends.
bool canContinueSum(Operation *op, int64_t numAddends);

/// Returns the operand from which the sum `op` starts, or null if it has none.
Value getSumStart(Operation *op);

/// Lets the sum `op` start from `start`, and gives its result the type of
/// `start`.
void setSumStart(Operation *op, Value start);

/// Returns the type in which the sum `op` is accumulated. It is the type of the
/// result, but with wider elements if the sum is rounded to the result.
RankedTensorType getSumType(Operation *op);

/// Builds a tensor of `getSumType(op)` such that the sum has the same bits if
/// it starts from this tensor instead of from nothing.
Value buildSumStart(PopBuilder &b, Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_CONTINUEDSUMS_H
