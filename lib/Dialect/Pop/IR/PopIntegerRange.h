//===- PopIntegerRange.h - Ranges of integers -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of integers that are not constant, for folds: limits set by a maximum,
// a minimum or a conjunction with a constant, and equality with another value.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::pop::detail {

/// Whether each element of `a` is less than that of `b` that it is computed
/// with; nothing if that may differ or is not known. Of floats too.
std::optional<bool> isLess(Value a, Value b);

/// Whether each element of `a` is at most that of `b`.
std::optional<bool> isAtMost(Value a, Value b);

/// Whether each element of `a` is that of `b`.
std::optional<bool> isEqual(Value a, Value b);

/// Whether one is the complement of the other one.
bool areComplements(Value a, Value b);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
