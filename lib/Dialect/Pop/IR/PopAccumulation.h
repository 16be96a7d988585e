//===- PopAccumulation.h - Accumulation with and without refs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

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

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPACCUMULATION_H
