//===- LaterOps.h - Ops that are executed later -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::pop {

/// A set of ops of one block that are moved after another op, together with all
/// ops that must follow them. The ops must be added in their order in the
/// block.
class LaterOps {
public:
  explicit LaterOps(const ipu::GraphEffects &effects) : effects(effects) {}

  /// Returns whether `op`, which is after all ops of the set, must stay after
  /// them. This holds if `op`, or an op in its regions, uses a result of the
  /// set, or if the memory effects of `op` conflict with those of the set.
  bool mustFollow(Operation *op) const;
  void add(Operation *op);
  /// Treats the ops of the set as if they read the operand of `read`, whose
  /// result they use. Then no op that changes the operand is moved between
  /// `read` and the set, and the result of `read` needs no copy. `read` itself
  /// is not moved.
  void addReadOf(Operation *read);

  bool contains(Operation *op) const { return ops.contains(op); }
  /// Moves the ops of the set that are before `op` to positions after `op`.
  /// Their order does not change.
  void moveAfter(Operation *op);

private:
  const ipu::GraphEffects &effects;
  llvm::SetVector<Operation *> ops;
  ipu::EffectSummary summary;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
