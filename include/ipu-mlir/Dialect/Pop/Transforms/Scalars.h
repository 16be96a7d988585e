//===- Scalars.h - Scalars from elements of tensors -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H

#include "mlir/IR/Builders.h"

namespace mlir::pop {

/// Returns the 0-d tensor whose element is `scalar`, which is the predicate of
/// a branch or a bound of a loop. The tensor is the operand of the
/// `tensor.extract` that computes `scalar`. There may be an `arith.index_cast`
/// after the `tensor.extract`. Returns null if there is no such tensor.
Value getTensorOfScalar(Value scalar);

/// Returns a 0-d tensor whose element is `scalar`. Builds the tensor if
/// `scalar` is a constant or the element of a tensor with one element. For
/// other scalars, emits an error at `user` and returns null. `what` names the
/// use of the scalar in the error.
Value buildTensorOfScalar(OpBuilder &b, Operation *user, StringRef what,
                          Value scalar);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
