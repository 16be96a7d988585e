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

/// A tensor that a function keeps from one execution to the next.
struct State {
  /// The value before this execution. Null for a variable that is read at its
  /// uses, or only accumulated into.
  Value value;
  /// The argument, if there is no ref to a variable.
  unsigned argument = 0;
  Value ref;
};

/// The purpose and the initial value of a state.
struct StateSpec {
  /// The name for the host.
  std::string name;
  RankedTensorType type;
  ElementsAttr initial;
  ReplicaGroupsAttr groups = {};
  NamedAttrList placement = {};
  /// The groups over which a variable is distributed. `type` is then the type
  /// of the whole variable.
  ReplicaGroupsAttr sharding = {};
};

/// Returns whether both an argument and the variable that replaces it have the
/// attribute `name`: a part of the placement, or the optimizer.
bool isKeptByState(StringRef name);

/// Returns the attributes of a result that updates an argument of this name.
DictionaryAttr getUpdateAttrs(MLIRContext *context, unsigned argument,
                              StringRef name);

/// Adds states to a function, as arguments and results or as variables. The
/// builder of the transform determines the positions and the placements of ops.
class StateBuilder {
public:
  StateBuilder(func::FuncOp function, SymbolTable &symbols, OpBuilder &b)
      : function(function), symbols(symbols), b(b) {}

  State add(const StateSpec &spec, bool isArgument);

  /// Makes `value` the next value of `state`.
  void update(const State &state, Value value);

  /// Accumulates `value` into `state`. The accumulated value is the result or,
  /// for a variable, in the variable.
  Value accumulate(State &state, AccumulateKind kind, Value value,
                   double factor, Value step = {}, Value factorTensor = {});
  /// Returns the accumulated value of `state` after an `accumulate` that
  /// returned `result`.
  Value readAccumulated(const State &state, Value result);

private:
  State addArgument(const StateSpec &spec);
  State addVariable(const StateSpec &spec);

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder &b;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_STATES_H
