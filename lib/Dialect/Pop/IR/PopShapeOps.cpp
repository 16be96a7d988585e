//===- PopShapeOps.cpp - pop constants and data movement --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::StridedView;

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Adds a type that was inferred, if there is one.
static LogicalResult addType(SmallVectorImpl<Type> &types,
                             FailureOr<RankedTensorType> type) {
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult pop::detail::verifyReshape(Operation *op, ShapedType input,
                                         ShapedType result) {
  // c1
  if (input.getNumElements() != result.getNumElements())
    return op->emitOpError()
           << "expects `result` to have " << input.getNumElements()
           << " elements but got " << result.getNumElements();
  if (input.getElementType() != result.getElementType())
    return op->emitOpError()
           << "expects `result` of element type " << input.getElementType()
           << " but got " << result.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  return pop::detail::verifyReshape(*this, getInput().getType(), getType());
}

FailureOr<StridedView> ReshapeOp::getTileView(const StridedView &input) {
  return input.reshape(getType().getShape());
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType>
pop::detail::inferTranspose(InferError emitError, ShapedType input,
                            ArrayRef<int64_t> permutation) {
  // c1
  if (static_cast<int64_t>(permutation.size()) != input.getRank() ||
      !isPermutationVector(permutation))
    return emitError("expects `permutation` to be a permutation of ",
                     input.getRank(), " dimensions but got [", permutation,
                     "]");
  // c2
  return RankedTensorType::get(applyPermutation(input.getShape(), permutation),
                               input.getElementType());
}

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              Adaptor adaptor,
                              SmallVectorImpl<Type> &inferredReturnTypes) {
  return addType(inferredReturnTypes,
                 pop::detail::inferTranspose({location, getOperationName()},
                                             getTypeOf(adaptor.getInput()),
                                             adaptor.getPermutation()));
}

StridedView pop::detail::getTransposeView(const StridedView &input,
                                          ArrayRef<int64_t> permutation) {
  return {input.offset, applyPermutation(input.sizes, permutation),
          applyPermutation(input.strides, permutation)};
}

FailureOr<StridedView> TransposeOp::getTileView(const StridedView &input) {
  return pop::detail::getTransposeView(input, getPermutation());
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// Checks that a slice of one dimension stays inside its `extent` elements.
static LogicalResult checkSlice(InferError emitError, size_t dim, int64_t start,
                                int64_t size, int64_t step, int64_t extent) {
  if (size == 0)
    return success();
  std::optional<int64_t> last = llvm::checkedMul(size - 1, step);
  if (last)
    last = llvm::checkedAdd(start, *last);
  auto isInside = [&](int64_t index) { return index >= 0 && index < extent; };
  if (isInside(start) && last && isInside(*last))
    return success();
  return emitError("expects a slice inside the ", extent,
                   " elements of dimension ", dim, " but got start ", start,
                   ", size ", size, ", step ", step);
}

FailureOr<RankedTensorType> pop::detail::inferSlice(InferError emitError,
                                                    ShapedType input,
                                                    ArrayRef<int64_t> starts,
                                                    ArrayRef<int64_t> sizes,
                                                    ArrayRef<int64_t> steps) {
  size_t rank = input.getRank();
  // c1
  if (starts.size() != rank || sizes.size() != rank || steps.size() != rank)
    return emitError("expects `starts`, `sizes` and `steps` to have as many "
                     "values as there are dimensions (",
                     rank, ") but got ", starts.size(), ", ", sizes.size(),
                     " and ", steps.size());
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      return emitError("expects `sizes` not to be negative but got ", sizes[i]);
    if (steps[i] == 0)
      return emitError("expects `steps` other than 0 in dimension ", i);
  }
  // c2
  for (size_t i = 0; i < rank; ++i)
    if (failed(checkSlice(emitError, i, starts[i], sizes[i], steps[i],
                          input.getDimSize(i))))
      return failure();
  // c3
  return getTensorType(emitError, sizes, input.getElementType());
}

LogicalResult
SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                          Adaptor adaptor,
                          SmallVectorImpl<Type> &inferredReturnTypes) {
  return addType(inferredReturnTypes,
                 pop::detail::inferSlice(
                     {location, getOperationName()},
                     getTypeOf(adaptor.getInput()), adaptor.getStarts(),
                     adaptor.getSizes(), adaptor.getSteps()));
}

bool pop::detail::isWholeSlice(ShapedType input, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> steps) {
  // A slice of everything may still reverse a dimension.
  return input.getShape() == sizes &&
         llvm::all_of(llvm::zip_equal(sizes, steps), [](auto pair) {
           auto [size, step] = pair;
           return size <= 1 || step == 1;
         });
}

StridedView pop::detail::getSliceView(const StridedView &input,
                                      ArrayRef<int64_t> starts,
                                      ArrayRef<int64_t> sizes,
                                      ArrayRef<int64_t> steps) {
  StridedView view = {input.offset, llvm::to_vector(sizes), input.strides};
  for (auto [i, size] : llvm::enumerate(view.sizes)) {
    if (size > 0)
      view.offset += starts[i] * input.strides[i];
    // A step that is never taken may be too large to multiply with.
    if (size > 1)
      view.strides[i] *= steps[i];
  }
  return view;
}

FailureOr<StridedView> SliceOp::getTileView(const StridedView &input) {
  return pop::detail::getSliceView(input, getStarts(), getSizes(), getSteps());
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // c1
  bool broadcasts = input.getRank() <= result.getRank();
  if (broadcasts)
    for (auto [from, to] : llvm::zip_equal(
             padShape(input.getShape(), result.getRank()), result.getShape()))
      broadcasts &= from == 1 || from == to;
  if (!broadcasts)
    return emitOpError() << "expects `result` of a shape that ["
                         << input.getShape() << "] broadcasts to but got ["
                         << result.getShape() << "]";
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expects `result` of element type "
                         << input.getElementType() << " but got "
                         << result.getElementType();
  return success();
}

FailureOr<StridedView> StopGradientOp::getTileView(const StridedView &input) {
  return input;
}

FailureOr<StridedView> ExpandOp::getTileView(const StridedView &input) {
  ArrayRef<int64_t> shape = getType().getShape();
  StridedView view = {input.offset, llvm::to_vector(shape),
                      SmallVector<int64_t>(shape.size(), 0)};
  size_t added = shape.size() - input.sizes.size();
  for (auto [i, size] : llvm::enumerate(input.sizes))
    if (size == shape[added + i])
      view.strides[added + i] = input.strides[i];
  return view;
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

/// Checks that `type` is like `first` but for `axis`.
static LogicalResult checkConcatOperand(InferError emitError,
                                        RankedTensorType first,
                                        RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> expected(first.getShape());
  expected[axis] = type.getDimSize(axis);
  if (ArrayRef<int64_t>(expected) == type.getShape())
    return success();
  return emitError("expects shapes that are equal except in dimension ", axis,
                   " but got ", first, " and ", type);
}

LogicalResult
ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  ValueRange inputs = adaptor.getInputs();
  // c1
  if (inputs.empty())
    return emitError("expects at least one operand but got none");
  RankedTensorType first = getTypeOf(inputs.front());
  if (first.getRank() == 0)
    return emitError("expects operands of rank 1 or more but got ", first);
  for (Value input : inputs.drop_front())
    if (RankedTensorType type = getTypeOf(input);
        type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitError("expects operands of one rank and element type but got ",
                       first, " and ", type);
  // c2
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitError("expects `axis` to be at least 0 and less than rank ",
                     first.getRank(), " but got ", axis);
  // c3
  std::optional<int64_t> size = 0;
  for (Value input : inputs) {
    if (failed(checkConcatOperand(emitError, first, getTypeOf(input), axis)))
      return failure();
    if (size)
      size = llvm::checkedAdd(*size, getTypeOf(input).getDimSize(axis));
  }
  // c4
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = size.value_or(std::numeric_limits<int64_t>::max());
  return addType(inferredReturnTypes,
                 getTensorType(emitError, shape, first.getElementType()));
}

SmallVector<ipu::TileMove> ConcatOp::getTileMoves() {
  SmallVector<ipu::TileMove> moves;
  SmallVector<int64_t> offsets(getType().getRank(), 0);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    moves.push_back({static_cast<unsigned>(i), offsets});
    offsets[getAxis()] += getTypeOf(input).getDimSize(getAxis());
  }
  return moves;
}

TypedAttr ConcatOp::getTileFill() { return {}; }

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

LogicalResult
PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                        Adaptor adaptor,
                        SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  RankedTensorType input = getTypeOf(adaptor.getInput());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  size_t rank = input.getRank();
  // c1
  if (low.size() != rank || high.size() != rank)
    return emitError("expects `low` and `high` to have as many values as "
                     "there are dimensions (",
                     rank, ") but got ", low.size(), " and ", high.size());
  for (int64_t value : llvm::concat<const int64_t>(low, high))
    if (value < 0)
      return emitError("expects `low` and `high` not to be negative but got ",
                       value);
  // c2
  Type valueType = adaptor.getValue().getType();
  if (valueType != input.getElementType())
    return emitError("expects `value` of type ", input.getElementType(),
                     " but got ", valueType);
  // c3
  SmallVector<int64_t> shape;
  for (auto [size, before, after] :
       llvm::zip_equal(input.getShape(), low, high)) {
    std::optional<int64_t> sum = llvm::checkedAdd(before, after);
    if (sum)
      sum = llvm::checkedAdd(*sum, size);
    shape.push_back(sum.value_or(std::numeric_limits<int64_t>::max()));
  }
  return addType(inferredReturnTypes,
                 getTensorType(emitError, shape, input.getElementType()));
}

SmallVector<ipu::TileMove> PadOp::getTileMoves() {
  return {{0, llvm::to_vector(getLow())}};
}

TypedAttr PadOp::getTileFill() {
  return getType() == getInput().getType() ? TypedAttr() : getValue();
}

//===----------------------------------------------------------------------===//
// ExpectCloseOp
//===----------------------------------------------------------------------===//

LogicalResult ExpectCloseOp::verify() {
  // c2
  if (!(getRtol().convertToDouble() >= 0) ||
      !(getAtol().convertToDouble() >= 0))
    return emitOpError() << "expects `rtol` and `atol` not to be negative but "
                            "got "
                         << getRtolAttr() << " and " << getAtolAttr();
  return success();
}
