//===- PopBuilder.h - Builder of pop ops ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder of pop ops for front ends, gradients, optimizers, decompositions
// and transforms.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPBUILDER_H
#define IPU_MLIR_DIALECT_POP_IR_POPBUILDER_H

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

namespace mlir::pop {

/// A builder with functions for frequent pop ops. Other ops, of any dialect,
/// are built with `create<OpT>(...)`, and all get the location of the builder
/// unless they are created with another one.
///
/// The builder inserts ops at the insertion point of the builder from which it
/// is constructed, and notifies the listener of this builder. It therefore
/// works with the rewriters of patterns and of dialect conversions. It must not
/// outlive the listener.
///
/// Operands of arithmetic broadcast to each other, and their element types must
/// be equal. A function that changes the shape or the elements of a tensor
/// returns its operand if there is nothing to change; it then builds no op.
class PopBuilder : public ImplicitLocOpBuilder {
public:
  /// Creates a builder of ops at the insertion point of `b` with location
  /// `loc`.
  PopBuilder(const OpBuilder &b, Location loc) : ImplicitLocOpBuilder(loc, b) {}
  /// Creates a builder of ops at the insertion point of `b`. The ops have the
  /// location of `source` and inherit its placement.
  PopBuilder(const OpBuilder &b, Operation *source);
  /// Creates a builder of ops before `source`. The ops have the location of
  /// `source` and inherit its placement.
  explicit PopBuilder(Operation *source);
  PopBuilder(const PopBuilder &) = delete;
  PopBuilder &operator=(const PopBuilder &) = delete;
  virtual ~PopBuilder() = default;

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  Value constant(ElementsAttr value);
  /// Builds a tensor of `shape` whose elements all equal `value`. By default,
  /// this is a 0-d tensor, which broadcasts to any shape.
  Value splat(TypedAttr value, ArrayRef<int64_t> shape = {});
  /// Builds a tensor of `shape` whose elements all equal `value`, converted to
  /// `elementType`. Floats are rounded to the nearest number. Integers lose
  /// their fraction, and values outside of the range of the type become the
  /// nearest integer of the type.
  Value splat(const APFloat &value, Type elementType,
              ArrayRef<int64_t> shape = {});
  Value splat(double value, Type elementType, ArrayRef<int64_t> shape = {}) {
    return splat(APFloat(value), elementType, shape);
  }
  Value zeros(RankedTensorType type);
  /// Builds a 0-d tensor with the element `value` in the element type of
  /// `like`.
  Value splatLike(double value, Value like);
  /// Builds a tensor of `rank` with the numbers 0 to `count` - 1 along
  /// dimension `axis`. The other dimensions have size 1.
  Value iota(int64_t count, Type elementType, int64_t axis = 0,
             int64_t rank = 1);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value max(Value a, Value b);
  Value min(Value a, Value b);
  Value neg(Value x);
  Value abs(Value x);
  Value exp(Value x);
  Value log(Value x);
  Value sqrt(Value x);
  /// Build comparisons. The elements of the results are `i1`.
  Value equal(Value a, Value b);
  Value less(Value a, Value b);
  Value greater(Value a, Value b);
  /// Builds a tensor of the elements of `a` where `condition` is true, and of
  /// `b` elsewhere.
  Value select(Value condition, Value a, Value b);
  /// Builds a tensor of the elements of `x` where `condition` is true, and of 0
  /// elsewhere.
  Value mask(Value condition, Value x);

  //===--------------------------------------------------------------------===//
  // Element types
  //===--------------------------------------------------------------------===//

  /// Casts the elements of `x` to `elementType`.
  Value cast(Value x, Type elementType);
  /// Casts the elements of `x` to the type in which ops on them compute
  /// (getComputeType). The result of several ops on wide elements is rounded
  /// once if only their result is cast back.
  Value widen(Value x);

  //===--------------------------------------------------------------------===//
  // Shapes
  //===--------------------------------------------------------------------===//

  Value reshape(Value x, ArrayRef<int64_t> shape);
  /// Broadcasts `x` to `shape`.
  Value expand(Value x, ArrayRef<int64_t> shape);
  /// Dimension i of the result is dimension permutation[i] of `x`.
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  /// Builds the slice of `x` with the positions starts[i] + j * steps[i], for j
  /// < sizes[i], of each dimension i.
  Value slice(Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> steps);
  /// Builds such a slice of dimension `axis`.
  Value slice(Value x, int64_t axis, int64_t start, int64_t size,
              int64_t step = 1);
  /// Concatenates `values` along dimension `axis`.
  Value concat(ValueRange values, int64_t axis);
  /// Adds low[i] elements before and high[i] elements after the elements of
  /// each dimension i of `x`. The elements are `value` or, if it is null, 0.
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
            TypedAttr value = {});

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  /// Builds a reduction over `axes` in the order `order`, which may be null.
  /// With `keepDims`, the result keeps these dimensions with size 1. The
  /// element type of the result is `elementType` or, if it is null, that of
  /// `x`.
  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes,
               bool keepDims = false, AccumAttr order = {},
               Type elementType = {});
  Value sum(Value x, ArrayRef<int64_t> axes, bool keepDims = false) {
    return reduce(ReduceKind::Sum, x, axes, keepDims);
  }
  /// Builds the sum of all elements of `x`, a 0-d tensor.
  Value sumOfAll(Value x, AccumAttr order = {});
  /// Builds the mean over `axes`. The mean of floats is rounded once, and the
  /// mean of integers is the quotient of their sum and number.
  Value mean(Value x, ArrayRef<int64_t> axes, bool keepDims);
  Value softmax(Value x, int64_t axis);

protected:
  /// Builds the op with one result that `state` describes, and returns the
  /// result or a value that equals it. If the result type of `state` is null,
  /// the type is inferred. By default, an error of the inference is fatal, and
  /// the op is not verified: the caller knows that its operands are valid.
  ///
  /// The functions above call this function for each op. A front end whose
  /// input is not verified can override it in order to report errors, and may
  /// leave it by an exception.
  virtual Value buildOp(OperationState &state);

private:
  /// Sets the placement of inserted ops, and notifies the listener of another
  /// builder.
  struct Placer : RewriterBase::ForwardingListener {
    Placer(OpBuilder::Listener *listener, Operation *source)
        : ForwardingListener(listener), source(source) {}
    void notifyOperationInserted(Operation *op, InsertPoint previous) override;

    Operation *source;
  };

  /// Describes an op of type OpT and calls buildOp(). If `type` is null, it is
  /// inferred.
  template <typename OpT, typename... Args>
  Value build(Type type, Args &&...args);

  /// Null unless ops inherit a placement.
  std::optional<Placer> placer;
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_POPBUILDER_H
