//===- Scalars.h - Scalars that are elements of tensors ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H

#include "mlir/IR/Value.h"

namespace mlir::pop {

/// The 0-d tensor of which `scalar`, a predicate or bound, is the element: by
/// `tensor.extract`, and `arith.index_cast` behind it. Null if it is none.
Value getTensorOfScalar(Value scalar);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_SCALARS_H
