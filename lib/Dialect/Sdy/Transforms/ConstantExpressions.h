//===- ConstantExpressions.h - Constant expressions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu::sdy {

/// Returns whether the op creates a value without operands: a constant, an
/// iota, an empty tensor.
bool isConstantSource(Operation *op);

/// Returns whether the op is constant if its operands are constants; see
/// ShardingRuleOpInterface. Values that its regions use from outside are not
/// operands.
bool preservesConstants(Operation *op);

/// Returns whether the op repeats a scalar that need not be constant: a
/// broadcast, or a fill of a value for which `isConstant` holds.
bool isScalarExpansion(Operation *op, function_ref<bool(Value)> isConstant);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
