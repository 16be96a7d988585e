//===- BuiltOps.h - Ops that a builder creates ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_COST_BUILTOPS_H
#define IPU_MLIR_PLANNER_COST_BUILTOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::ipu {

/// Collects the ops that a builder creates, in order. Their costs can be
/// estimated, and the ops can be erased again.
struct BuiltOps : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }

  /// Decomposes the ops, and the ops that this creates, with `builder`, whose
  /// listener is this object. Updates `results`, which are values of the ops.
  void decompose(OpBuilder &builder, SmallVector<Value> &results);

  /// Erases the ops, whose results have no other users.
  void erase();

  SmallVector<Operation *> ops;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_COST_BUILTOPS_H
