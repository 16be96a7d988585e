//===- PopIntegerRange.h - Ranges of integers -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of integers that are not constant, for folds. The ranges of the
// integers are known from maxima, minima and conjunctions (bitwise and) with
// constants.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::pop::detail {

/// Returns true if each element of `a` is less than the corresponding element
/// of `b`, and false if no element is. Returns std::nullopt if neither is
/// known. The elements may be integers or floats.
std::optional<bool> isLess(Value a, Value b);

/// Returns true if each element of `a` is at most the corresponding element of
/// `b`, false if no element is, or std::nullopt if neither is known.
std::optional<bool> isAtMost(Value a, Value b);

/// Returns true if each element of `a` equals the corresponding element of `b`,
/// false if no element does, or std::nullopt if neither is known.
std::optional<bool> isEqual(Value a, Value b);

/// Returns whether `a` is known to be the bitwise complement of `b`.
bool areComplements(Value a, Value b);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPINTEGERRANGE_H
