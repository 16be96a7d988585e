//===- OptimizerSteps.h - The updates of a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// A weight that a step updates.
struct UpdatedWeight {
  /// The name of the weight for the host; empty if the host has no such tensor.
  std::string name;
  /// The groups of replicas with equal values; null for all replicas.
  ReplicaGroupsAttr groups;
};

/// Returns the weights that `step` updates: one weight, or the weights from
/// which it was merged.
SmallVector<UpdatedWeight> getUpdatedWeights(OptimizerStepOp step,
                                             SymbolTable &symbols);

/// Returns the updates in `root`, in the order of the program.
SmallVector<OptimizerStepOp> getOptimizerSteps(Operation *root);

/// Erases `step`, whose results are not used, and the ops that only read values
/// for it.
void eraseStep(OptimizerStepOp step);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERSTEPS_H
