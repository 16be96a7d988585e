//===- OptimizerSteps.h - The updates of a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// A weight that an optimizer step updates.
struct UpdatedWeight {
  /// The name by which the host refers to the weight. It is empty if the host
  /// does not know the weight.
  std::string name;
  /// The groups of replicas on which the weight is equal. It is null if the
  /// weight is equal on all replicas.
  ReplicaGroupsAttr groups;
};

/// Returns the weights that `step` updates: one weight or, if `step` was
/// created by a merge, the weights of all merged steps.
SmallVector<UpdatedWeight> getUpdatedWeights(OptimizerStepOp step,
                                             SymbolTable &symbols);

/// Returns whether the update of an element of a weight depends on that element
/// alone, and not on a norm of the weight.
bool updatesElementwise(OptimizerAttr optimizer);

/// Returns the optimizer steps in `root`, in program order.
SmallVector<OptimizerStepOp> getOptimizerSteps(Operation *root);

/// Erases `step`, whose results must have no uses, and all ops without effects
/// whose results only `step`, or other erased ops, used.
void eraseStep(OptimizerStepOp step);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H
