//===- LaterOps.h - Ops that are executed later -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::pop {

/// Ops of one block that are moved after other ops, together with all ops that
/// must follow them. They are added in the order of the block.
class LaterOps {
public:
  explicit LaterOps(const ipu::GraphEffects &effects) : effects(effects) {}

  /// Returns whether `op`, which is after the ops, must stay after them: it
  /// uses one of their results, or its effects on refs and resources cannot be
  /// moved before theirs.
  bool mustFollow(Operation *op) const;
  void add(Operation *op);
  /// Treats the ops as if they read the operand of `read` themselves, so that
  /// the value needs no copy. `read` itself does not move.
  void addReadOf(Operation *read);

  bool contains(Operation *op) const { return ops.contains(op); }
  /// Moves the ops that are before `op` after it, in their order.
  void moveAfter(Operation *op);

private:
  const ipu::GraphEffects &effects;
  llvm::SetVector<Operation *> ops;
  ipu::EffectSummary summary;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
