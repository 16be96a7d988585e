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

/// Returns the class of `variable`, according to the name that
/// `pop-add-optimizer` gives to states.
VariableClass getVariableClass(VariableOp variable);

struct SelectedVariable {
  VariableOp variable;
  VariableClass kind;
  /// Whether its name selects the variable, and not only its class.
  bool isNamed = false;
};

/// Returns the variables that `selectors`, the option `option` of `pass`,
/// select, in the order of the program. A selector is `weights`, `optimizer`,
/// `accumulators`, or a name with wildcards. Emits an error if a selector is
/// not valid or if a name selects no variable.
FailureOr<SmallVector<SelectedVariable>>
selectVariables(ModuleOp module, ArrayRef<std::string> selectors,
                StringRef pass, StringRef option);

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

VariableAccesses getAccesses(VariableOp variable, const SymbolUserMap &users);

/// Replaces each op of `accesses` that computes the new value of the variable
/// in place by a `pop.read`, ops that compute the value, and a `pop.copy_`.
/// Adds the new reads and writes to `accesses`.
void separateUpdates(VariableAccesses &accesses);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_VARIABLEACCESS_H
