//===- SchedulePriority.h - Priorities of ops in schedules ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_SCHEDULEPRIORITY_H
#define IPU_MLIR_DIALECT_POP_IR_SCHEDULEPRIORITY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::pop {

/// Attribute of an op: the priority of the op (an i64). `pop-schedule` puts ops
/// of higher priority, and the ops that they need, before other ops. The
/// priority of an op without the attribute is 0.
constexpr StringLiteral kSchedulePriorityAttrName = "pop.schedule_priority";

/// Returns the priority of `op`.
inline int64_t getSchedulePriority(Operation *op) {
  auto attr = op->getAttrOfType<IntegerAttr>(kSchedulePriorityAttrName);
  return attr ? attr.getInt() : 0;
}

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_SCHEDULEPRIORITY_H
