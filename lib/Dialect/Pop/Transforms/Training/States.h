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
  /// The value before this execution; null of a variable that is read where it
  /// is used, or only accumulated into.
  Value value;
  /// The argument, if there is no ref to a variable.
  unsigned argument = 0;
  Value ref;
};

/// What a state is for, and how it starts.
struct StateSpec {
  /// The name for the host.
  std::string name;
  RankedTensorType type;
  ElementsAttr initial;
  ReplicaGroupsAttr groups = {};
  NamedAttrList placement = {};
  /// What a variable is distributed over; then `type` is the whole of it.
  ReplicaGroupsAttr sharding = {};
};

/// Whether an argument and the variable that it becomes have the attribute
/// `name` both: a part of the placement, or the optimizer.
bool isKeptByState(StringRef name);

/// The attributes of a result that updates an argument of this name.
DictionaryAttr getUpdateAttrs(MLIRContext *context, unsigned argument,
                              StringRef name);

/// Adds states to a function, as arguments and results or as variables. Ops are
/// built by a builder of the transform, which says where they are and how they
/// are placed.
class StateBuilder {
public:
  StateBuilder(func::FuncOp function, SymbolTable &symbols, OpBuilder &b)
      : function(function), symbols(symbols), b(b) {}

  State add(const StateSpec &spec, bool isArgument);

  /// Makes `value` the next value of `state`.
  void update(const State &state, Value value);

  /// Accumulates `value` into `state`. What is accumulated is the result or, of
  /// a variable, in it.
  Value accumulate(State &state, AccumulateKind kind, Value value,
                   double factor, Value step = {}, Value factorTensor = {});
  /// What is accumulated in `state`, after an `accumulate` that gave `result`.
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
