//===- OptimizerStates.h - States of optimizers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizer states: the tensors that an optimizer keeps for each weight between
// updates.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_OPTIMIZERSTATES_H
#define IPU_MLIR_DIALECT_POP_IR_OPTIMIZERSTATES_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns the element type of the optimizer states of a weight whose elements
/// have the type `weight`.
Type getStateType(OptimizerAttr optimizer, Type weight);

/// An optimizer state of a weight. The host refers to it by `name` followed by
/// the name of the weight, as in PopART.
struct OptimizerState {
  StringRef name;
  RankedTensorType type;
};

/// Returns the optimizer states of a weight of type `weight`, in the order of
/// the operands of `pop.optimizer_step`.
SmallVector<OptimizerState> getOptimizerStates(OptimizerAttr optimizer,
                                               RankedTensorType weight);

/// Attribute of a `pop.optimizer_step`: the groups over which the weight is
/// divided (a `#pop.replica_groups<...>`). The operands of the step are the
/// parts of one replica, and the norm of a tensor is that of all parts.
inline constexpr StringLiteral kStepShardingAttrName = "pop.sharding";

/// The name of the optimizer state that is a copy of the weight in the type of
/// the states.
inline constexpr StringLiteral kMasterState = "Master___";
/// The name of the optimizer state that counts updates. It is a scalar.
inline constexpr StringLiteral kStepState = "Step___";
/// The name of the state that counts updates, on which schedules depend.
inline constexpr StringLiteral kUpdatesState = "Updates___";
/// The names of the state that holds accumulated gradients, and of the state
/// that counts the parts of a batch.
inline constexpr StringLiteral kAccumulatorState = "Accum___";
inline constexpr StringLiteral kCounterState = "Counter___";
/// The names of all states that hold moments of gradients begin so.
inline constexpr StringLiteral kMomentStatePrefix = "Accl";

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_OPTIMIZERSTATES_H
