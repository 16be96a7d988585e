//===- PopScalars.h - Scalars of codelets -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_CODELETS_POPSCALARS_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_CODELETS_POPSCALARS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::pop::detail {

/// Builds a constant of a float type, or of a signless integer type, which
/// holds the low bits of `value`.
Value buildNumber(OpBuilder &b, Location loc, Type type, double value);

inline bool isFloat(Value scalar) { return isa<FloatType>(scalar.getType()); }

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_CODELETS_POPSCALARS_H
