//===- OpPriority.h - Op priorities -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_OPPRIORITY_H
#define IPU_MLIR_SHARDING_OPPRIORITY_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// Propagation by op priority iterates for each of them, 0 to this one. What is
/// active in one is active in all later ones. After Shardy.
constexpr unsigned kLastOpPriority = 4;

/// Along which way factors of this type of an op of this class go.
/// `hasSingleUses`: no operand that is no scalar has another user.
Direction getOpPriorityDirection(OpClass opClass, FactorType type,
                                 bool hasSingleUses, unsigned opPriority);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_OPPRIORITY_H
