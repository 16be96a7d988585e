//===- Scalars.h - Scalars from elements of tensors -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H

#include "mlir/IR/Builders.h"

namespace mlir::pop {

/// Returns the 0-d tensor whose element is `scalar`, a predicate or bound: the
/// operand of a `tensor.extract`, possibly followed by an `arith.index_cast`.
/// Returns null if there is no such tensor.
Value getTensorOfScalar(Value scalar);

/// The same, also for a constant. For other scalars, null after an error at
/// `user`. `what` names the use of the scalar.
Value buildTensorOfScalar(OpBuilder &b, Operation *user, StringRef what,
                          Value scalar);

/// Returns a constant 0-d tensor of an integer type.
Value buildScalarTensor(OpBuilder &b, Location loc, Type elementType,
                        int64_t value);

/// `tensor`, 0-d, as i32.
Value buildI32(OpBuilder &b, Location loc, Value tensor);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
