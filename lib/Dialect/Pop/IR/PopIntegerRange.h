//===- PopIntegerRange.h - Ranges of integers -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of integers that are not constant, for folds. They come from maxima,
// minima and conjunctions with a constant, and from equality with another
// value.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::pop::detail {

/// Returns whether each element of `a` is less than the element of `b` with
/// which it is combined. Returns std::nullopt if elements differ in this, or if
/// it is not known. Also for floats.
std::optional<bool> isLess(Value a, Value b);

/// Returns whether each element of `a` is at most the corresponding element of
/// `b`.
std::optional<bool> isAtMost(Value a, Value b);

/// Returns whether each element of `a` equals the corresponding element of `b`.
std::optional<bool> isEqual(Value a, Value b);

/// Returns whether one value is the complement of the other.
bool areComplements(Value a, Value b);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
