//===- PopAccumulation.h - Accumulation with and without refs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop::detail {

/// Verifies the constraints (C1) to (C3) of an op that accumulates values in a
/// tensor of type `target`.
template <typename OpT>
LogicalResult verifyAccumulation(OpT op, RankedTensorType target) {
  RankedTensorType value = op.getValue().getType();
  // c1
  if (value.getShape() != target.getShape())
    return op.emitOpError() << "expects `value` of shape [" << target.getShape()
                            << "] but got [" << value.getShape() << "]";
  if (!isAccumulatorType(value.getElementType(), target.getElementType()))
    return op.emitOpError()
           << "expects `value` to have an element type that is accumulated in "
           << target.getElementType() << " but got " << value.getElementType();
  // c2
  bool isMean = op.getKind() == AccumulateKind::Mean;
  if (isMean != (op.getStep() != nullptr))
    return op.emitOpError()
           << "expects " << (isMean ? "a" : "no") << " `step` for `"
           << stringifyAccumulateKind(op.getKind()) << "`";
  bool hasFactor = !op.getFactor().isExactlyValue(1.0);
  if (isMean && (op.getFactorTensor() || hasFactor))
    return op.emitOpError() << "expects no `factor` for `mean`";
  // c3
  if (op.getFactorTensor() && hasFactor)
    return op.emitOpError()
           << "expects one `factor` but got a tensor and the attribute "
           << op.getFactorAttr();
  return success();
}

/// Builds the product of `x` and a factor. The factor is `tensor`, cast to the
/// element type of `x`, or, if `tensor` is null, `factor`. Returns `x` itself
/// if `tensor` is null and `factor` is 1.
inline Value buildScaled(PopBuilder &b, Value x, Value tensor,
                         const APFloat &factor) {
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  if (tensor)
    return b.mul(x, b.cast(tensor, type));
  return factor.isExactlyValue(1.0) ? x : b.mul(x, b.splat(factor, type));
}

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H
