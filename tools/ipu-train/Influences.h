//===- Influences.h - Ops that influence results of a model -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_INFLUENCES_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_INFLUENCES_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu::train {

using Functions = llvm::SetVector<Operation *>;

/// Adds `function` and the functions that it calls.
void collectFunctions(Operation *function, SymbolTableCollection &symbols,
                      Functions &functions);

/// The refs of a variable.
struct Variable {
  SmallVector<pop::GetVariableOp> refs;
  bool isWritten = false;
};

using Variables = llvm::MapVector<StringAttr, Variable>;

/// Returns the variables of floats that functions of `module` use.
Variables findVariables(const Functions &functions, ModuleOp module);

/// What influences a result through floats and ops with gradients. An op with
/// regions, or a call, is influenced by all that is in it.
class Influences {
public:
  /// Of result `index` of `main`.
  Influences(func::FuncOp main, unsigned index, const Variables &variables,
             SymbolTableCollection &symbols);

  bool contains(Value value) const { return values.contains(value); }
  bool contains(const Variable &variable) const;

private:
  void addOp(Operation *op);
  void addValue(Value value);
  void addAll(Operation *parent);
  /// Adds the ops that write what a ref refers to.
  void addWrites(Value ref);
  void visit(Operation *op);

  const Variables &variables;
  SymbolTableCollection &symbols;
  llvm::DenseSet<Value> values;
  llvm::DenseSet<Operation *> visited;
  SmallVector<Operation *> worklist;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_INFLUENCES_H
