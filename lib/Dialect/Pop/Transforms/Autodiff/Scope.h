//===- Scope.h - Differentiation of a block ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scope differentiates a block of the forward graph. It determines where
// gradients are built, collects the gradients, and provides values of the
// forward graph to the backward graph. The forward graph may execute a block of
// a region many times, or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H

#include "Activity.h"
#include "ipu-mlir/Dialect/Pop/IR/GradientBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AutodiffOptions.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::pop {

/// A function that computes gradients of another function, the forward
/// function, and the meaning of its arguments and results for the forward
/// function.
struct BackwardGraph {
  struct Input {
    GraphValueAttr value;
    /// Whether the argument is the gradient of `value`. If not, it is `value`
    /// itself.
    bool isGradient;
  };

  func::FuncOp function;
  SmallVector<Input> inputs;
  SmallVector<GraphValueAttr> outputs;
  /// This flag is set if the function draws random bits of the forward function
  /// again. It draws the right ones if no advance (`pop.advance_draws`) is
  /// executed between the call of the forward function and the call of this
  /// function.
  bool drawsAgain = false;
};

/// The state that the scopes of one function share.
struct GraphContext {
  /// Values of the forward graph whose gradients are needed.
  llvm::DenseSet<Value> active;
  /// The refs to variables, by the names of the variables. They are defined in
  /// the block of the function.
  llvm::DenseMap<StringAttr, Value> variables;
  /// The location and the name of an op that writes the tensor of a ref or a
  /// variable.
  struct Writer {
    Location loc;
    OperationName name;
  };
  llvm::DenseMap<Value, Writer> writers;
  /// For each variable, an op that writes it in any differentiated function.
  /// The backward graph is executed after all of these functions.
  llvm::DenseMap<StringAttr, Writer> writtenVariables;
  /// A function that returns the backward graph of the callee of a call, or
  /// null if the callee has no backward graph.
  std::function<const BackwardGraph *(CallOpInterface)> getBackwardGraph;
  RegionValues regionValues = RegionValues::Stash;
  /// This flag is set if ops of the program have pipeline stages.
  bool isStaged = false;
  /// A call of a forward function, and the call of its backward graph, which
  /// draws the random bits of the forward function again.
  struct DrawsAgain {
    CallOpInterface forward;
    func::CallOp backward;
  };
  SmallVector<DrawsAgain> drawsAgain;
  /// The op that first contributed to the gradient of a value, and the result
  /// of this op from whose gradient the contribution was computed. The op may
  /// be replaced later, so its location and name are stored.
  struct User {
    Location loc;
    OperationName name;
    Value result;
  };
  llvm::DenseMap<Value, User> firstUsers;
  bool hasFailed = false;

  /// Returns an op that writes the tensor to which `ref` refers, or null if
  /// there is none.
  const Writer *findWriter(Value ref) const;

  /// Returns the refs to variables whose gradients the backward graph of the
  /// callee of `call` returns.
  SmallVector<Value> getVariablesOf(CallOpInterface call) const;

  /// Removes `op` from its block and replaces its results by `replacements`.
  /// `op` is not erased before `eraseRetired` is called, so that values which
  /// were already returned to callers stay valid. `eraseRetired` replaces these
  /// values.
  void retire(Operation *op, ValueRange replacements);
  void eraseRetired();

private:
  SmallVector<std::pair<Operation *, SmallVector<Value>>> retired;
};

/// Returns whether `op` can be executed again with the same results and without
/// other effects. Regions and callees of `op` are not considered.
bool isRepeatable(Operation *op, const GraphContext &context);

class Scope {
public:
  virtual ~Scope() = default;

  GraphContext &getContext() { return context; }
  Scope *getParent() { return parent; }
  bool isActive(Value value) const { return context.active.contains(value); }

  /// Returns the insertion point of the next ops of the backward graph.
  virtual OpBuilder::InsertPoint getInsertPoint() const;
  /// Sets the op before which the next ops of the backward graph are inserted.
  /// Null means the end of the block. Returns the previous op.
  virtual Operation *setAnchor(Operation *op) {
    return std::exchange(anchor, op);
  }

  /// Returns the value of the backward graph that equals `value`, a value of
  /// the forward graph.
  Value getForward(Value value);

  /// Adds a contribution to the gradient of `value`. The contribution is
  /// computed from the gradients of `user`, an op of the forward graph.
  void addValue(Value value, Value gradient, Operation *user);
  void addInto(Value value, GradientBuilder::AddFn build, Operation *user);
  bool hasGradient(Value value);
  /// Builds the gradient of `value`: the sum of `base`, which may be null, and
  /// of all contributions. Removes the contributions from the scope. Returns
  /// `base` if there are no contributions.
  Value takeGradient(Value value, Value base = {});

  /// Differentiates the ops of a block up to `last`, which may be null, in
  /// reverse order.
  LogicalResult differentiate(Operation *last);

  /// Returns the value of the backward graph that equals the tensor which `op`
  /// creates from the index of a loop. Returns null if this scope is neither
  /// the scope of the loop nor nested in it.
  virtual Value importIndex(FromScalarOp op) {
    return parent ? parent->importIndex(op) : Value();
  }
  /// Returns the scope that collects the gradient of `value`.
  virtual Scope &getCollector(Value) { return *this; }
  /// Records that `to` replaces `from` in the forward graph.
  virtual void replaceForward(Value from, Value to);

protected:
  /// Creates a scope that builds gradients in the block `backward`.
  Scope(GraphContext &context, Scope *parent, Block *backward)
      : context(context), parent(parent), backward(backward) {}

  /// Returns whether `value` is an own value of the scope: a value that is
  /// defined in the differentiated block or in a region of its ops.
  virtual bool isOwn(Value value) const = 0;
  /// Returns the value of the backward graph that equals `value`, an own value
  /// of the scope.
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

/// The scope of the block of a function. The backward graph can use the values
/// of the forward graph directly.
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

/// Differentiate an op with regions, or a call, in `scope`.
LogicalResult differentiateRegions(Operation *op, Scope &scope);
LogicalResult differentiateCall(CallOpInterface call, Scope &scope);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_SCOPE_H
