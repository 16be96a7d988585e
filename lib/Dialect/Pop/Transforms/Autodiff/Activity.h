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

/// The active arguments, variables and results of a graph. A value is active if
/// its gradient may be needed, because it depends differentiably on a value
/// whose gradient is required.
struct GraphActivity {
  BitVector arguments;
  /// The active variables that the graph or its callees use, in the order of
  /// their first use.
  llvm::SetVector<StringAttr> variables;
  /// For each result, whether it depends on an active argument or variable.
  BitVector results;
};

/// Finds the active values of a graph and of its callees. For differentiation,
/// all other values are constants. The time is O(N D) for N ops in regions that
/// are nested D deep.
class Activity {
public:
  explicit Activity(const ipu::GraphEffects &effects);

  /// Finds the active values if the gradients of `arguments` and `variables` of
  /// `root` are required.
  void run(func::FuncOp root, const BitVector &arguments,
           const llvm::SetVector<StringAttr> &variables);

  /// Returns `root` and the functions with a body that it calls, directly or
  /// through other functions. Callees are before their callers.
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
  /// Removes the values of `function` from the active values. Must be called
  /// before they are erased.
  void forgetValues(func::FuncOp function);

  /// Returns the float variables that `function` and its callees use, in the
  /// order of their first use.
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
  /// The variables to which active values are written.
  llvm::SetVector<StringAttr> writtenVariables;
};

/// Adds to `reached` all values on which values in `reached` depend through ops
/// of `region`. These are values in `region` and values defined above it.
void findReached(Region &region, llvm::DenseSet<Value> &reached);

/// Adds to `reached` all values on which values in `reached` depend through
/// `op` or through ops in its regions. `reached` may contain results of `op`.
void findReachedBy(Operation *op, llvm::DenseSet<Value> &reached);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ACTIVITY_H
