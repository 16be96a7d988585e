//===- OptimizerUpdates.h - Updates of the weights of a function -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERUPDATES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERUPDATES_H

#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/Transforms/TrainingOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pop {

/// A weight that a function trains: one of its arguments, or a variable.
struct Parameter {
  /// The number of the function's result that is the gradient of the weight.
  unsigned result = 0;
  /// The number of the argument that is the weight, if `variable` is null.
  unsigned argument = 0;
  VariableOp variable;
  OptimizerAttr optimizer;
  /// The name by which the host refers to the weight.
  std::string name;
  /// The type of the weight on one replica. If the weight is distributed over
  /// replicas, this is the type of one replica's part.
  RankedTensorType type;

  /// Returns the groups of replicas over which `variable` is distributed, or
  /// null if it is not distributed.
  ReplicaGroupsAttr getSharding() const {
    VariableOp op = variable;
    return op ? op.getShardingAttr() : ReplicaGroupsAttr();
  }

  /// Returns the type of the weight, of which a replica may hold a part.
  RankedTensorType getWholeType() const {
    VariableOp op = variable;
    return op ? op.getTensorType() : type;
  }
};

struct UpdateSettings {
  int64_t accumulationFactor = 1;
  GradientReduction reduce = GradientReduction::None;
  GradientMean mean = GradientMean::None;
};

/// Replaces the gradients that `function` returns by updates of `parameters`.
LogicalResult addUpdates(func::FuncOp function, ArrayRef<Parameter> parameters,
                         const UpdateSettings &settings, SymbolTable &symbols);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_OPTIMIZERUPDATES_H
