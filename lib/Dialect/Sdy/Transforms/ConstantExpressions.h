//===- ConstantExpressions.h - Constant expressions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu::sdy {

/// Whether the op makes one value of nothing: a constant, an iota, an empty
/// tensor.
bool isConstantSource(Operation *op);

/// Whether the op, if its operands are constants, is one, see
/// ShardingRuleOpInterface. What its regions use from outside is no operand.
bool preservesConstants(Operation *op);

/// Whether the op repeats a scalar that need not be a constant: a broadcast, or
/// a fill of what `isConstant` holds for.
bool isScalarExpansion(Operation *op, function_ref<bool(Value)> isConstant);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
