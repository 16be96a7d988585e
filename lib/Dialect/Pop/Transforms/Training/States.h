//===- States.h - States of a function --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_STATES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_STATES_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pop {

/// A state: a tensor that a function keeps from one execution to the next, as
/// an argument and a result, or in a variable.
struct State {
  /// The value before this execution. It is null for a variable that is read
  /// directly before each use, or to which values are only accumulated.
  Value value;
  /// The number of the argument, if `ref` is null.
  unsigned argument = 0;
  Value ref;
};

/// The purpose and the initial value of a state.
struct StateSpec {
  /// The name by which the host refers to the state.
  std::string name;
  RankedTensorType type;
  ElementsAttr initial;
  ReplicaGroupsAttr groups = {};
  NamedAttrList placement = {};
  /// The groups of replicas over which the state is distributed, or null. If it
  /// is distributed, `type` is the type of the whole variable.
  ReplicaGroupsAttr sharding = {};
};

/// Returns whether a variable that replaces an argument keeps the argument's
/// attribute `name`. This holds for attributes of the placement and for the
/// optimizer.
bool isKeptByState(StringRef name);

/// Returns the attributes of a result that is the updated value of the argument
/// with the number `argument` and the host name `name`.
DictionaryAttr getUpdateAttrs(MLIRContext *context, unsigned argument,
                              StringRef name);

/// Adds states to a function, as arguments and results or as variables. The
/// given builder determines the positions and the placements of the created
/// ops.
class StateBuilder {
public:
  StateBuilder(func::FuncOp function, SymbolTable &symbols, OpBuilder &b)
      : function(function), symbols(symbols), b(b) {}

  State add(const StateSpec &spec, bool isArgument);

  /// Makes `value` the next value of `state`.
  void update(const State &state, Value value);

  /// Builds an op that accumulates `value` into `state`. Returns the
  /// accumulated value, or null if the state is a variable, because the
  /// variable then contains the accumulated value.
  Value accumulate(State &state, AccumulateKind kind, Value value,
                   double factor, Value step = {}, Value factorTensor = {});
  /// Returns the accumulated value of `state` after a call of `accumulate` that
  /// returned `result`. Builds a read at `loc` if the state is a variable.
  Value readAccumulated(Location loc, const State &state, Value result);

private:
  State addArgument(const StateSpec &spec);
  State addVariable(const StateSpec &spec);

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder &b;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_STATES_H
