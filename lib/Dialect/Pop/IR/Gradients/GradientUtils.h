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

/// Checks that a tensor of `shape`, which the gradients of `op` may need, is
/// not too large.
LogicalResult checkGradientShape(Operation *op, ArrayRef<int64_t> shape);

/// Returns the forward value of `operand` in the element type of `dy`.
Value buildOperand(GradientBuilder &b, Value operand, Value dy);

/// `tensor` in the type in which arithmetic on its elements is done.
Value buildWide(GradientBuilder &b, Value tensor);

/// `tensor` repeated to `shape`; `tensor` itself if it has this shape.
Value buildExpand(GradientBuilder &b, Value tensor, ArrayRef<int64_t> shape);

/// `x` where `condition` holds, otherwise 0.
Value buildMasked(GradientBuilder &b, Value condition, Value x);

/// `tensor` with `low` and `high` elements `fill` around it; `tensor` itself if
/// these are 0.
Value buildPad(GradientBuilder &b, Value tensor, ArrayRef<int64_t> low,
               ArrayRef<int64_t> high, double fill = 0.0);

/// Returns the elements at `starts` + i * `steps`, for i below `sizes`;
/// `tensor` itself if these are all elements.
Value buildSlice(GradientBuilder &b, Value tensor, ArrayRef<int64_t> starts,
                 ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps);

/// `tensor` with `steps[i]` - 1 zeros between neighbours along dimension i.
Value buildSpread(GradientBuilder &b, Value tensor, ArrayRef<int64_t> steps);

/// Zeros of `shape`, except for the elements at `starts` + i * `steps`, which
/// are the elements of `tensor`. This is the gradient of a slice of these
/// elements. Returns null if `tensor` has no elements.
Value buildPlaced(GradientBuilder &b, Value tensor, ArrayRef<int64_t> shape,
                  ArrayRef<int64_t> starts, ArrayRef<int64_t> steps);

/// Adds `dy` to the region of the gradient of `operand` that
/// `pop.dynamic_slice` reads with these operands and attributes.
void addBox(GradientBuilder &b, Value operand, Value dy, Value start,
            ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes);

/// For each element of `rows` [m, n], the product of the other elements of its
/// row and the element of `factors` [m, 1]. Does not divide by any element.
Value buildProductsOfOthers(GradientBuilder &b, Value rows, Value factors);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_GRADIENTS_GRADIENTUTILS_H
