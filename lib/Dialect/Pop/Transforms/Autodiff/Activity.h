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

/// Where gradients of a graph lead to: its own arguments, and variables that it
/// or a graph that it calls uses.
struct GraphActivity {
  BitVector arguments;
  /// In the order of their first use.
  llvm::SetVector<StringAttr> variables;
  /// Per result, whether it depends on any of these.
  BitVector results;
};

/// The values of a graph and of the graphs that it calls that depend on what
/// gradients are required of, in a way that has a gradient. Values that do not
/// are constants.
///
/// With N ops and nesting of depth D: O(N D), as the program is now.
class Activity {
public:
  explicit Activity(const ipu::GraphEffects &effects);

  /// Finds what is active where gradients of `arguments` and `variables` of
  /// `root` are required. Functions that `root` calls come before it.
  void run(func::FuncOp root, const BitVector &arguments,
           const llvm::SetVector<StringAttr> &variables);

  /// The functions with a body that are reached, after those that they call.
  ArrayRef<func::FuncOp> getFunctions() const { return functions; }
  const GraphActivity &get(func::FuncOp function) const {
    return activities.find(function)->second;
  }
  bool isActive(Value value) const { return active.contains(value); }
  /// `to` takes the place of `from`, which is erased.
  void replace(Value from, Value to) {
    if (active.erase(from))
      active.insert(to);
  }
  /// Forgets the values of `function`, which are erased.
  void forgetValues(func::FuncOp function);

  /// The float variables that `function` and what it calls use, in the order of
  /// first use.
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
  /// Variables that are written where something is active.
  llvm::SetVector<StringAttr> writtenVariables;
};

/// Marks in `reached` the values of `region` and those defined above it on
/// which values that are marked depend.
void findReached(Region &region, llvm::DenseSet<Value> &reached);

/// The same for `op`, and for its results, which may be marked.
void findReachedBy(Operation *op, llvm::DenseSet<Value> &reached);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ACTIVITY_H
