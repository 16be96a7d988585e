//===- GradientBuilder.h - Builder of gradients of an op --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder with which an op creates the ops that compute the gradients of
// its operands. docs/autodiff.md describes the differentiation of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H
#define IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include <functional>

namespace mlir::pop {

/// Returns the type of the gradient of a value of `type`: for a tensor of
/// floats, the type itself; for a ref, the type of its tensor. Returns null for
/// other types, because their values have no gradient.
RankedTensorType getGradientType(Type type);

/// A builder that creates, in the backward graph, the ops for one op of the
/// forward graph. The created ops get the location and the placement of the
/// forward op.
class GradientBuilder : public PopBuilder {
public:
  /// Returns the gradient of a result of the op, or null if the gradient is
  /// zero.
  virtual Value getGradient(Value result) = 0;
  /// Returns the gradient of a result of the op. If the gradient is zero,
  /// returns a tensor of zeros instead of null.
  Value getGradientOrZero(Value result);
  /// Returns whether the gradient of an operand of the op is needed.
  virtual bool isNeeded(Value operand) = 0;
  /// Returns the value of the backward graph that equals `value`. `value` is an
  /// operand or result of the op, or another value that is visible at the op.
  virtual Value getForward(Value value) = 0;

  /// Adds `gradient` to the gradient of `operand`. If `operand` broadcasts to
  /// the shape of `gradient`, `gradient` is first summed over the broadcast
  /// dimensions. If the float types differ, `gradient` is first cast. Does
  /// nothing if `gradient` is null.
  void addGradient(Value operand, Value gradient);

  /// A function that builds the sum of its argument, which is a tensor, and of
  /// another value. The argument is null if the tensor is zero.
  using AddFn = std::function<Value(OpBuilder &, Value)>;
  /// Adds to the gradient of `operand` by calling `build`. addInto() is for ops
  /// that contribute only to a part of the gradient. `build` gets the sum
  /// of all earlier contributions, which has the type of the gradient, and adds
  /// to a part of this sum.
  virtual void addInto(Value operand, AddFn build) = 0;

protected:
  /// Adds `gradient` to the gradient of `operand`. Both have the same type.
  virtual void addValue(Value operand, Value gradient) = 0;

  /// Creates a builder that inserts the gradients of `op` at `point`.
  GradientBuilder(Operation *op, InsertPoint point) : PopBuilder(op) {
    restoreInsertionPoint(point);
  }
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H
