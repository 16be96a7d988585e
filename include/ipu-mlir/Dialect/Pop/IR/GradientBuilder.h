//===- GradientBuilder.h - Builder of gradients of an op --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder with which an op builds the gradients of its operands.
// docs/autodiff.md describes the differentiation of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H
#define IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include <functional>

namespace mlir::pop {

/// Returns the type of the gradient of a value of `type`: for a tensor of
/// floats, the type itself; for a ref, the type of its tensor. Returns null for
/// other types, which have no gradient.
RankedTensorType getGradientType(Type type);

/// A builder of the backward graph of one op of the forward graph. Its ops have
/// the location of that op and inherit its placement.
class GradientBuilder : public PlacedBuilder {
public:
  ~GradientBuilder() override = default;

  Location getLoc() const { return loc; }

  /// Returns the gradient of a result of the op, or null if it is zero.
  virtual Value getGradient(Value result) = 0;
  /// Returns the gradient of a result of the op; zeros if it is zero.
  Value getGradientOrZero(Value result);
  /// Returns whether the gradient of an operand of the op is needed.
  virtual bool isNeeded(Value operand) = 0;
  /// Returns the value in the backward graph of an operand or result of the op,
  /// or of another value that is visible where the op is.
  virtual Value getForward(Value value) = 0;

  /// Adds `gradient` to the gradient of `operand`. `gradient` may have the type
  /// of the gradient, a shape to which the operand broadcasts (it is then
  /// summed over the broadcast dimensions), or another float type (it is then
  /// cast). Null adds nothing.
  void add(Value operand, Value gradient);

  /// Builds the sum of a tensor and another value. The tensor is null if it is
  /// zero.
  using AddFn = std::function<Value(OpBuilder &, Value)>;
  /// Adds to the gradient of `operand`, through `build`. For gradients of only
  /// a part of the operand: `build` gets a tensor of the type of the gradient.
  virtual void addInto(Value operand, AddFn build) = 0;

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// Creates an op that infers the type of its result.
  template <typename OpT, typename... Args>
  Value build(Args &&...args) {
    return OpT::create(*this, loc, std::forward<Args>(args)...);
  }
  /// Returns a tensor of `type` all of whose elements are `value`.
  Value buildSplat(RankedTensorType type, double value);
  /// `value` in the element type of `like`, 0-d, for ops that broadcast.
  Value buildScalar(Value like, double value);
  Value buildReshape(Value input, ArrayRef<int64_t> shape);
  /// `input` with elements of `elementType`.
  Value buildCast(Value input, Type elementType);
  /// Sums over `axes`. With `keepDims`, these dimensions stay, with size 1.
  Value buildSum(Value input, ArrayRef<int64_t> axes, bool keepDims = false);

protected:
  /// Adds `gradient`, of the type of the gradient of `operand`.
  virtual void addValue(Value operand, Value gradient) = 0;

  /// Builds the gradients of `op` at `point`.
  GradientBuilder(Operation *op, InsertPoint point)
      : PlacedBuilder(op), loc(op->getLoc()) {
    restoreInsertionPoint(point);
  }

private:
  Location loc;
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_GRADIENTBUILDER_H
