//===- Scope.h - Differentiation of a block ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scope differentiates a block of the forward graph. It determines where
// gradients are built, collects them, and provides the values of the forward
// graph. A block of a region can be executed many times, or not at all, before
// it is differentiated.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H

#include "Activity.h"
#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AutodiffOptions.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::pop {

/// A function that computes gradients of another function, and the meaning of
/// its arguments and results for that function.
struct BackwardGraph {
  struct Input {
    GraphValueAttr value;
    /// Whether this is the gradient of the value, or the value itself.
    bool isGradient;
  };

  func::FuncOp function;
  SmallVector<Input> inputs;
  SmallVector<GraphValueAttr> outputs;
};

/// The state that the scopes of one function share.
struct GraphContext {
  /// Values of the forward graph whose gradients are needed.
  llvm::DenseSet<Value> active;
  /// The refs to variables, in the function's block.
  llvm::DenseMap<StringAttr, Value> variables;
  /// An op that writes the tensor of a ref, by the origin of the ref.
  struct Writer {
    Location loc;
    OperationName name;
  };
  llvm::DenseMap<Value, Writer> writers;
  /// An op that writes a variable, in any differentiated function. The backward
  /// graph comes after all of these functions.
  llvm::DenseMap<StringAttr, Writer> writtenVariables;
  /// The backward graph of the function that a call names; null if there is
  /// none.
  std::function<const BackwardGraph *(CallOpInterface)> getBackwardGraph;
  RegionValues regionValues = RegionValues::Stash;
  /// The op that first contributed to the gradient of a value, and the result
  /// of this op from which its own gradient came. The op may be replaced.
  struct User {
    Location loc;
    OperationName name;
    Value result;
  };
  llvm::DenseMap<Value, User> firstUsers;
  bool hasFailed = false;

  /// Returns an op that writes the tensor of `ref`, or null if there is none.
  const Writer *findWriter(Value ref) const;

  /// Returns the refs to variables for which a callee returns gradients.
  SmallVector<Value> getVariablesOf(CallOpInterface call) const;

  /// Removes `op` from its block and replaces its results. Uses of its results
  /// that were already returned stay valid until `eraseRetired` replaces them.
  void retire(Operation *op, ValueRange replacements);
  void eraseRetired();

private:
  SmallVector<std::pair<Operation *, SmallVector<Value>>> retired;
};

/// Returns whether a repeated execution of `op`, apart from its regions and
/// callees, gives the same results and has no other effects.
bool isRepeatable(Operation *op, const GraphContext &context);

class Scope {
public:
  virtual ~Scope() = default;

  GraphContext &getContext() { return context; }
  Scope *getParent() { return parent; }
  bool isActive(Value value) const { return context.active.contains(value); }

  /// Returns the insertion point of ops of the backward graph.
  virtual OpBuilder::InsertPoint getInsertPoint() const;
  /// Sets the op before which the next ops are built; null means the end of the
  /// block. Returns the previous op.
  virtual Operation *setAnchor(Operation *op) {
    return std::exchange(anchor, op);
  }

  /// Returns the value in the backward graph for a value of the forward graph.
  Value getForward(Value value);

  /// Adds to the gradient of `value`. The contribution comes from `user`, an op
  /// of the forward graph.
  void addValue(Value value, Value gradient, Operation *user);
  void addInto(Value value, GradientBuilder::AddFn build, Operation *user);
  bool hasGradient(Value value);
  /// Builds the sum of `base`, if it is not null, and of the values that were
  /// added to the gradient of `value`. Returns null if there are none.
  Value takeGradient(Value value, Value base = {});

  /// Differentiates the ops of a block up to `last`, which may be null, in
  /// reverse order.
  LogicalResult differentiate(Operation *last);

  /// Returns the tensor that `op` creates from the index of a loop, if this is
  /// the scope of this loop or a scope in it; otherwise null.
  virtual Value importIndex(FromScalarOp op) {
    return parent ? parent->importIndex(op) : Value();
  }
  /// Returns the scope that collects the gradient of `value`.
  virtual Scope &getCollector(Value) { return *this; }
  /// Records that `to` replaces `from` in the forward graph.
  virtual void replaceForward(Value from, Value to);

protected:
  /// Gradients are built in `backward`.
  Scope(GraphContext &context, Scope *parent, Block *backward)
      : context(context), parent(parent), backward(backward) {}

  /// Returns whether `value` is defined in the forward block or in a region of
  /// it.
  virtual bool isOwn(Value value) const = 0;
  /// Returns the value in the backward graph for an own value.
  virtual Value importForward(Value value) = 0;
  GraphContext &context;
  Scope *parent;
  Block *backward;

private:
  struct Contribution {
    Value value;
    GradientBuilder::AddFn build;
    Operation *user;
  };

  void add(Value value, Contribution contribution);
  LogicalResult differentiateOp(Operation *op);

  Operation *anchor = nullptr;
  llvm::DenseMap<Value, SmallVector<Contribution, 1>> gradients;
};

/// The scope of the block of a function. Its forward values are available
/// directly.
class FunctionScope : public Scope {
public:
  FunctionScope(GraphContext &context, Block &block)
      : Scope(context, /*parent=*/nullptr, &block) {
    setAnchor(block.getTerminator());
  }

protected:
  bool isOwn(Value) const override { return true; }
  Value importForward(Value value) override { return value; }
};

/// Differentiates ops with regions, and calls, in `scope`.
LogicalResult differentiateRegions(Operation *op, Scope &scope);
LogicalResult differentiateCall(CallOpInterface call, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H
