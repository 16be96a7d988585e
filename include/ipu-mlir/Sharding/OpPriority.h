//===- OpPriority.h - Op priorities -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_OPPRIORITY_H
#define IPU_MLIR_SHARDING_OPPRIORITY_H

#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

/// The last op priority. Propagation by op priority iterates for each priority
/// from 0 to this one. Directions that are active in one priority are active in
/// all later priorities. The priorities follow Shardy.
constexpr unsigned kLastOpPriority = 4;

/// Returns the directions in which axes propagate along factors of type `type`
/// in an op of class `opClass`. `hasSingleUses` states that no operand of rank
/// 1 or more has another user.
Direction getOpPriorityDirection(OpClass opClass, FactorType type,
                                 bool hasSingleUses, unsigned opPriority);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_OPPRIORITY_H
