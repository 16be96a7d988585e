//===- LaterOps.h - Ops that are executed later -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::pop {

/// Ops of one block that move to after others, with all that has to follow
/// them. They are added in the order of the block.
class LaterOps {
public:
  explicit LaterOps(const ipu::GraphEffects &effects) : effects(effects) {}

  /// Whether `op`, which is after the ops, has to stay after them: it uses a
  /// result, or what it does to refs and resources does not go before what they
  /// do.
  bool mustFollow(Operation *op) const;
  void add(Operation *op);
  /// Takes the ops to use what `read` gives as if they read it themselves, so
  /// that it needs no copy. `read` itself does not move.
  void addReadOf(Operation *read);

  bool contains(Operation *op) const { return ops.contains(op); }
  /// Moves the ops that are before `op` to after it, in their order.
  void moveAfter(Operation *op);

private:
  const ipu::GraphEffects &effects;
  llvm::SetVector<Operation *> ops;
  ipu::EffectSummary summary;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_LATEROPS_H
