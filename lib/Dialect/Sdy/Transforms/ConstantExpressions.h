//===- ConstantExpressions.h - Constant expressions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu::sdy {

/// Returns whether `op` creates a value without operands, for example a
/// constant, an iota or an empty tensor.
bool isConstantSource(Operation *op);

/// Returns whether the results of `op` are constant if its operands are
/// constant; see ShardingRuleOpInterface. Values from outside that the regions
/// of `op` use do not count as operands.
bool preservesConstants(Operation *op);

/// Returns whether `op` expands scalars, which need not be constant, to a
/// tensor: it is elementwise or a broadcast, and all operands are scalars
/// except destination operands for which `isConstant` returns true.
bool isScalarExpansion(Operation *op, function_ref<bool(Value)> isConstant);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_CONSTANTEXPRESSIONS_H
