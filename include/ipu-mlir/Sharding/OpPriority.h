//===- OpPriority.h - Op priorities -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_OPPRIORITY_H
#define IPU_MLIR_SHARDING_OPPRIORITY_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// Propagation by op priority iterates for each priority from 0 to this one.
/// Directions that are active in one priority are active in all later
/// priorities. After Shardy.
constexpr unsigned kLastOpPriority = 4;

/// The directions in which axes propagate along factors of this type in an op
/// of this class. `hasSingleUses`: no operand of rank 1 or more has another
/// user.
Direction getOpPriorityDirection(OpClass opClass, FactorType type,
                                 bool hasSingleUses, unsigned opPriority);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_OPPRIORITY_H
