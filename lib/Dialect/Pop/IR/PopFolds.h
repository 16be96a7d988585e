//===- PopFolds.h - Utilities of folds --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPFOLDS_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPFOLDS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::pop::detail {

/// The greatest number of elements of constants that are folded. Larger
/// constants are folded only if all of their elements are equal, because
/// folding other constants would take more time than it saves on the device.
constexpr int64_t kMaxFoldedElements = 1 << 16;

inline RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPFOLDS_H
