//===- GradientUtils.h - Utilities of gradients -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_GRADIENTS_GRADIENTUTILS_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_GRADIENTS_GRADIENTUTILS_H

#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

namespace mlir::pop::detail {

inline RankedTensorType getTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// Checks that a tensor of `shape` is not too large. The gradients of `op` may
/// need such a tensor.
LogicalResult checkGradientShape(Operation *op, ArrayRef<int64_t> shape);

/// Returns the forward value of `operand`, cast to the element type of `dy`.
Value buildOperand(GradientBuilder &b, Value operand, Value dy);

/// Inserts steps[i] - 1 zeros between adjacent elements of `tensor` along each
/// dimension i.
Value buildSpread(GradientBuilder &b, Value tensor, ArrayRef<int64_t> steps);

/// Builds a tensor of `shape` whose elements at `starts` + i * `steps` are the
/// elements of `tensor` and whose other elements are 0. This is the gradient of
/// the operand of a slice. Returns null if `tensor` has no elements.
Value buildPlaced(GradientBuilder &b, Value tensor, ArrayRef<int64_t> shape,
                  ArrayRef<int64_t> starts, ArrayRef<int64_t> steps);

/// Adds `dy` to a region of the gradient of `operand`. This is the region that
/// a `pop.dynamic_slice` with the operand `start` and the attributes `axes` and
/// `sizes` reads.
void addRegionGradient(GradientBuilder &b, Value operand, Value dy, Value start,
                       ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes);

/// Builds, for each element of `rows` [m, n], the product of the other elements
/// of its row and the element of `factors` [m, 1] in this row. No divisions are
/// used, so elements may be 0.
Value buildProductsOfOthers(GradientBuilder &b, Value rows, Value factors);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_GRADIENTS_GRADIENTUTILS_H
