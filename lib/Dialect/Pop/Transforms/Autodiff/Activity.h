//===- Activity.h - Activity analysis ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ACTIVITY_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ACTIVITY_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {

/// The destinations of gradients of a graph: its own arguments, and variables
/// that it or its callees use.
struct GraphActivity {
  BitVector arguments;
  /// In the order of their first use.
  llvm::SetVector<StringAttr> variables;
  /// For each result, whether it depends on any of these.
  BitVector results;
};

/// The values of a graph and of its callees that depend differentiably on the
/// values whose gradients are required. All other values are constants. With N
/// ops and nesting of depth D: O(N D), for the present program.
class Activity {
public:
  explicit Activity(const ipu::GraphEffects &effects);

  /// Determines the active values if gradients of `arguments` and `variables`
  /// of `root` are required. Callees of `root` precede it in the list of
  /// functions.
  void run(func::FuncOp root, const BitVector &arguments,
           const llvm::SetVector<StringAttr> &variables);

  /// Returns the reached functions with a body, callees first.
  ArrayRef<func::FuncOp> getFunctions() const { return functions; }
  const GraphActivity &get(func::FuncOp function) const {
    return activities.find(function)->second;
  }
  bool isActive(Value value) const { return active.contains(value); }
  /// Records that `to` replaces `from`, which is erased.
  void replace(Value from, Value to) {
    if (active.erase(from))
      active.insert(to);
  }
  /// Removes the values of `function`, which are erased.
  void forgetValues(func::FuncOp function);

  /// Returns the float variables that `function` and its callees use, in the
  /// order of first use.
  const llvm::SetVector<StringAttr> &getVariables(func::FuncOp function) const {
    return variablesOf.find(function)->second;
  }

private:
  func::FuncOp getCallee(Operation *op) const;
  void runOn(func::FuncOp function);
  void propagate(Region &region, const GraphActivity &activity);
  void propagateOp(Operation *op, const GraphActivity &activity);
  void propagateBranches(Operation *op);
  bool readsActiveVariable(Operation *op, const GraphActivity &activity) const;
  void markWritten(Operation *op);
  void markRegionOp(Operation *op);
  void mark(Value value);

  const ipu::GraphEffects &effects;
  llvm::DenseMap<Operation *, llvm::SetVector<StringAttr>> variablesOf;
  SmallVector<func::FuncOp> functions;
  llvm::DenseMap<Operation *, GraphActivity> activities;
  llvm::DenseSet<Value> active;
  /// Variables that are written with active values.
  llvm::SetVector<StringAttr> writtenVariables;
};

/// Adds to `reached` all values on which marked values depend: values of
/// `region` and values defined above it.
void findReached(Region &region, llvm::DenseSet<Value> &reached);

/// The same for `op` and its results, which may be marked.
void findReachedBy(Operation *op, llvm::DenseSet<Value> &reached);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ACTIVITY_H
