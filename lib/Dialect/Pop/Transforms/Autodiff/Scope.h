//===- Scope.h - Differentiation of a block ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scope differentiates a block of the forward graph. It determines where
// gradients are built, collects them, and provides the values of the forward
// graph: a block of a region can be executed many times, or not at all, before
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

/// A function that computes gradients of another one, and what its arguments
/// and results are for that one.
struct BackwardGraph {
  struct Input {
    GraphValueAttr value;
    /// Whether it is the gradient of the value, or the value itself.
    bool isGradient;
  };

  func::FuncOp function;
  SmallVector<Input> inputs;
  SmallVector<GraphValueAttr> outputs;
};

/// What the scopes of one function share.
struct GraphContext {
  /// Whether a value of the forward graph has a gradient that is asked for.
  llvm::DenseSet<Value> active;
  /// The refs to variables, in the function's block.
  llvm::DenseMap<StringAttr, Value> variables;
  /// An op that writes what a ref refers to, by the origin of the ref.
  struct Writer {
    Location loc;
    OperationName name;
  };
  llvm::DenseMap<Value, Writer> writers;
  /// An op that writes a variable, in any function that is differentiated: the
  /// backward graph comes after all of them.
  llvm::DenseMap<StringAttr, Writer> writtenVariables;
  /// The backward graph of the function that a call names; null if there is
  /// none.
  std::function<const BackwardGraph *(CallOpInterface)> getBackwardGraph;
  RegionValues regionValues = RegionValues::Stash;
  /// The op that was the first to contribute to the gradient of a value, and
  /// the result of it that its own gradient came from. The op may be replaced.
  struct User {
    Location loc;
    OperationName name;
    Value result;
  };
  llvm::DenseMap<Value, User> firstUsers;
  bool hasFailed = false;

  /// An op that writes what `ref` refers to; null if there is none.
  const Writer *findWriter(Value ref) const;

  /// The refs to variables that a callee gives gradients of.
  SmallVector<Value> getVariablesOf(CallOpInterface call) const;

  /// Takes `op` out of its block and replaces its results. What was handed out
  /// of them may be used until `eraseRetired` replaces it again.
  void retire(Operation *op, ValueRange replacements);
  void eraseRetired();

private:
  SmallVector<std::pair<Operation *, SmallVector<Value>>> retired;
};

/// Whether executing `op`, but for what is in its regions and what it calls,
/// gives the same again and does nothing else.
bool isRepeatable(Operation *op, const GraphContext &context);

class Scope {
public:
  virtual ~Scope() = default;

  GraphContext &getContext() { return context; }
  Scope *getParent() { return parent; }
  bool isActive(Value value) const { return context.active.contains(value); }

  /// Where ops of the backward graph are built.
  virtual OpBuilder::InsertPoint getInsertPoint() const;
  /// Lets what is built from now on be before `op`, or at the end of the block
  /// if it is null. Returns what was set before.
  virtual Operation *setAnchor(Operation *op) {
    return std::exchange(anchor, op);
  }

  /// The value of the forward graph in the backward graph.
  Value getForward(Value value);

  /// Adds to the gradient of `value` for `user`, an op of the forward graph.
  void addValue(Value value, Value gradient, Operation *user);
  void addInto(Value value, GradientBuilder::AddFn build, Operation *user);
  bool hasGradient(Value value);
  /// Builds the sum of `base`, if it is not null, and of what was added to the
  /// gradient of `value`; null if that is nothing.
  Value takeGradient(Value value, Value base = {});

  /// Differentiates the ops of a block up to `last`, which may be null, the
  /// last one first.
  LogicalResult differentiate(Operation *last);

  /// The tensor that `op` makes of the index of a loop, if this is the scope of
  /// that loop or one in it; else null.
  virtual Value importIndex(FromScalarOp op) {
    return parent ? parent->importIndex(op) : Value();
  }
  /// The scope that collects the gradient of `value`.
  virtual Scope &getCollector(Value) { return *this; }
  /// `to` takes the place of `from` in the forward graph.
  virtual void replaceForward(Value from, Value to);

protected:
  /// Gradients are built in `backward`.
  Scope(GraphContext &context, Scope *parent, Block *backward)
      : context(context), parent(parent), backward(backward) {}

  /// Whether `value` is defined in the forward block or a region in it.
  virtual bool isOwn(Value value) const = 0;
  /// The value in the backward graph of an own value.
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

/// The scope of a function's block: forward values are the values themselves.
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

/// Differentiates ops with regions and calls; `scope` is where they are.
LogicalResult differentiateRegions(Operation *op, Scope &scope);
LogicalResult differentiateCall(CallOpInterface call, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H
