//===- VariableAccess.h - Selection and accesses of variables ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of passes that change where variables are: on all replicas or in
// parts, on the chip or in streaming memory. Such a pass selects variables by
// class or name, and replaces the reads and writes of each of them.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_VARIABLEACCESS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_VARIABLEACCESS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::pop {

/// A class of variables: states of optimizers, accumulators of gradients with
/// their counters, or all other variables.
enum class VariableClass { Weights, Optimizer, Accumulators };

/// The accesses of a variable.
struct VariableAccesses {
  SmallVector<GetVariableOp> refs;
  SmallVector<ReadOp> reads;
  /// Ops that replace the whole tensor.
  SmallVector<InPlaceOpInterface> writes;
  /// The first op that accesses the variable in another way, such as a view or
  /// a call, or null if there is none.
  Operation *other = nullptr;
};

/// A selected variable and its accesses.
struct AccessedVariable {
  VariableOp op;
  VariableClass kind;
  /// This flag is set if a name selects the variable, and not only its class.
  bool isNamed = false;
  VariableAccesses accesses;
};

/// The variables that a pass wants to change.
struct VariableQuery {
  /// The argument of the pass, and the name in its remarks.
  StringRef pass, transform;
  /// The option `variables` of the pass. A selector is `weights`, `optimizer`,
  /// `accumulators`, or a name with wildcards.
  ArrayRef<std::string> selectors;
  /// The option `min-elements`: the fewest elements, on one replica, of a
  /// variable that a class selects.
  int64_t minElements;
  /// The end of errors about a variable: what the pass expects of it.
  StringRef expected;
  /// Returns why the pass cannot change a variable, or an empty text. The
  /// accesses need not be checked.
  function_ref<std::string(const AccessedVariable &)> getObstacle;
};

/// Returns the variables that `query` selects and that the pass can change, in
/// the order of the program. All their accesses read or write the whole tensor.
/// Emits an error if an option is not valid, if a name selects no variable, or
/// if a name selects a variable that cannot be changed. A remark names each
/// variable that only a class selects and that cannot be changed. Emits a
/// warning if there are no variables.
FailureOr<SmallVector<AccessedVariable>>
findVariables(ModuleOp module, const VariableQuery &query);

/// Replaces each op of `accesses` that computes the new value of the variable
/// in place by a `pop.read`, ops that compute the value, and a `pop.copy_`.
/// Adds the new reads and writes to `accesses`.
void separateUpdates(VariableAccesses &accesses);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_VARIABLEACCESS_H
