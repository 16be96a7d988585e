//===- OpPriority.h - Op priorities -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_OPPRIORITY_H
#define IPU_MLIR_SHARDING_OPPRIORITY_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// The last op priority. Shardings are propagated once for each op priority
/// from 0 to this op priority. If axes propagate in a direction along a factor
/// in one op priority, they also propagate in this direction in all later op
/// priorities. The op priorities follow Shardy.
constexpr unsigned kLastOpPriority = 4;

/// Returns the directions in which axes propagate along factors of type `type`
/// in an op of class `opClass`. `hasSingleUses` states that the op is the only
/// user of each of its operands of rank 1 or more.
Direction getOpPriorityDirection(OpClass opClass, FactorType type,
                                 bool hasSingleUses, unsigned opPriority);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_OPPRIORITY_H
