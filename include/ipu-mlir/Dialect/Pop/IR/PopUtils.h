//===- PopUtils.h - Shapes, windows and combiners of pop --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that verifiers, type inference, codelets and decompositions share.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPUTILS_H
#define IPU_MLIR_DIALECT_POP_IR_POPUTILS_H

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::pop {

/// A function object that reports errors of type inference. The messages start
/// with the name of the op, as in messages of verifiers. Reports nothing if
/// there is no location.
struct InferError {
  std::optional<Location> location;
  StringRef opName;

  template <typename... Args>
  LogicalResult operator()(Args &&...args) const {
    return emitOptionalError(location, "'", opName, "' op ",
                             std::forward<Args>(args)...);
  }
};

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Returns whether `type` is a float with fewer bits than f32. Arithmetic on
/// such floats is done in f32 and rounded once.
bool isNarrowFloat(Type type);

/// Returns the type in which arithmetic on elements of `type` is done.
Type getComputeType(Type type);

/// Returns whether ops with operands of element type `operand` may have a
/// result of element type `result`. `result` may be the same type or, if
/// `operand` is a narrow float, f32.
bool isAccumulatorType(Type operand, Type result);

/// Sets `compute = f16` on all ops on f16 in `root` that may have it.
void setComputeF16(Operation *root);

/// Returns the type in which `kind` combines elements of `type`. This is `type`
/// itself for maxima and minima, because they are exact in every type.
Type getReduceType(ReduceKind kind, Type type);

/// Returns the neutral element of `kind`. The neutral element of a sum of
/// floats is -0, because -0 + x = x for all x. For a mean, returns the neutral
/// element of a sum.
TypedAttr getReduceIdentity(ReduceKind kind, Type type);

/// Returns the result of an empty reduction: +0 for a sum, NaN for a mean, and
/// the neutral element for other kinds.
TypedAttr getEmptyReduction(ReduceKind kind, Type type);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Returns `shape` with leading dimensions of size 1, such that it has `rank`
/// dimensions.
SmallVector<int64_t> padShape(ArrayRef<int64_t> shape, size_t rank);

/// Returns the shape to which `lhs` and `rhs` broadcast by the rules of numpy,
/// or an error if they do not broadcast.
FailureOr<SmallVector<int64_t>> broadcastShapes(InferError emitError,
                                                ArrayRef<int64_t> lhs,
                                                ArrayRef<int64_t> rhs);

/// Returns the tensor type with the given shape and element type. Fails, with
/// an error, if the type has too many elements.
FailureOr<RankedTensorType>
getTensorType(InferError emitError, ArrayRef<int64_t> shape, Type elementType);

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// One spatial dimension of a sliding window.
struct WindowDim {
  /// The size of the input, including the zeros that an input dilation inserts
  /// between elements.
  int64_t input = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padLow = 0;
  int64_t padHigh = 0;
  bool ceilMode = false;

  /// Returns the number of elements from the first to the last element of a
  /// window.
  int64_t getExtent() const { return dilation * (kernel - 1) + 1; }
  /// Returns the number of windows, which is the size of this dimension of the
  /// result.
  int64_t getNumWindows() const;
  /// Returns the number of positions after the input that windows read. With
  /// strides, it may be less than `padHigh`. With `ceilMode`, it may be more.
  int64_t getReadPadHigh() const;
  /// Returns the number of kernel positions of window `index` at which there is
  /// an element of the input or, with `countPads`, an element or padding.
  int64_t countPositions(int64_t index, bool countPads) const;
};

/// The attributes of an op with windows. Empty arrays stand for defaults.
struct WindowAttrs {
  ArrayRef<int64_t> kernel;
  ArrayRef<int64_t> strides;
  ArrayRef<int64_t> dilations;
  ArrayRef<int64_t> pads;
  bool ceilMode = false;
  ArrayRef<int64_t> inputDilations = {};
};

/// Returns a window for each spatial dimension of the input, whose sizes are
/// `spatial`. Fails, with an error, if attributes have the wrong length or
/// sign, or if a kernel does not fit the input.
FailureOr<SmallVector<WindowDim>> getWindowDims(InferError emitError,
                                                ArrayRef<int64_t> spatial,
                                                const WindowAttrs &attrs);

/// Returns a window for each spatial dimension of the input, whose sizes are
/// `spatial`. The attributes must be valid.
SmallVector<WindowDim> getWindowDims(ArrayRef<int64_t> spatial,
                                     const WindowAttrs &attrs);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_POPUTILS_H
