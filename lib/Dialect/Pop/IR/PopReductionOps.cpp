//===- PopReductionOps.cpp - pop reductions, pools, norms -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

/// Maxima and minima are exact, so that they have no type to accumulate in
/// other than the operand's.
template <typename OpTy>
static LogicalResult checkResultType(OpTy op) {
  Type expected = op.getInput().getType().getElementType();
  Type found = op.getResult().getType().getElementType();
  if (found == expected || found == getReduceType(op.getKind(), expected))
    return success();
  return op.emitOpError() << "expects `result` of element type " << expected
                          << " but got " << found;
}

/// A mean of integers would have to be rounded in some way of its own.
static LogicalResult checkMean(InferError emitError, ReduceKind kind,
                               RankedTensorType input) {
  if (kind == ReduceKind::Mean && !isa<FloatType>(input.getElementType()))
    return emitError("expects floats for `mean` but got ",
                     input.getElementType());
  return success();
}

/// Checks that logical combiners, and no others, have elements of type i1.
static LogicalResult checkElementType(InferError emitError, ReduceKind kind,
                                      RankedTensorType input) {
  bool isLogical = kind == ReduceKind::And || kind == ReduceKind::Or;
  if (isLogical != input.getElementType().isInteger(1))
    return emitError("expects elements of ",
                     isLogical ? "type i1" : "a type other than i1", " for `",
                     stringifyReduceKind(kind), "` but got ",
                     input.getElementType());
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult pop::detail::checkAxes(InferError emitError,
                                     ArrayRef<int64_t> axes, int64_t rank) {
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank)
      return emitError("expects `axes` to be at least 0 and less than rank ",
                       rank, " but got ", axis);
    if (axis <= previous)
      return emitError("expects `axes` to ascend but got ", axis, " after ",
                       previous);
    previous = axis;
  }
  return success();
}

SmallVector<int64_t> pop::detail::getReducedShape(ArrayRef<int64_t> shape,
                                                  ArrayRef<int64_t> axes,
                                                  bool keepDims) {
  SmallVector<int64_t> reduced;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      reduced.push_back(size);
    else if (keepDims)
      reduced.push_back(1);
  return reduced;
}

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // c1
  if (failed(pop::detail::checkAxes(emitError, adaptor.getAxes(),
                                    input.getRank())))
    return failure();
  // c2
  ReduceKind kind = adaptor.getKind();
  if (failed(checkElementType(emitError, kind, input)) ||
      failed(checkMean(emitError, kind, input)))
    return failure();
  // c3
  SmallVector<int64_t> shape = pop::detail::getReducedShape(
      input.getShape(), adaptor.getAxes(), adaptor.getKeepDims());
  SmallVector<int64_t> reduced = llvm::map_to_vector(
      adaptor.getAxes(), [&](int64_t axis) { return input.getDimSize(axis); });
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, shape, input.getElementType());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  // c4
  return pop::detail::checkBlocks(
      emitError, adaptor.getAccumAttr(), computeProduct(reduced),
      pop::detail::getAdjacentAxes(input.getShape(), adaptor.getAxes()).size());
}

bool ReduceOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}

// c3
LogicalResult ReduceOp::verify() { return checkResultType(*this); }

//===----------------------------------------------------------------------===//
// ReduceBlocksOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceBlocksOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxis();
  // c1
  if (axis < 0 || axis >= input.getRank() || input.getDimSize(axis) == 0)
    return emitError("expects `axis` to be a dimension of ", input,
                     " that is not empty but got ", axis);
  // c2
  ReduceKind kind = adaptor.getKind();
  if (kind == ReduceKind::Mean)
    return emitError("expects a `kind` other than `mean`");
  if (failed(checkElementType(emitError, kind, input)))
    return failure();
  // c4
  AccumAttr accum = adaptor.getAccumAttr();
  if (failed(
          pop::detail::checkBlocks(emitError, accum, input.getDimSize(axis))))
    return failure();
  // c3
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = llvm::divideCeilSigned(shape[axis], accum.getBlock());
  FailureOr<RankedTensorType> type = getTensorType(
      emitError, shape, getReduceType(kind, input.getElementType()));
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceWindowOp and pools
//===----------------------------------------------------------------------===//

/// Infers the type of an op that slides windows over [N, C, spatial...];
/// `dims` receives the windows.
static FailureOr<RankedTensorType> inferWindows(InferError emitError,
                                                RankedTensorType input,
                                                const WindowAttrs &attrs,
                                                SmallVector<WindowDim> &dims,
                                                StringRef name = "input") {
  // c1
  if (input.getRank() < 3 || input.getRank() > 5)
    return emitError("expects `", name, "` of rank 3, 4 or 5 but got ", input);
  // c2, c3
  FailureOr<SmallVector<WindowDim>> windows =
      getWindowDims(emitError, input.getShape().drop_front(2), attrs);
  if (failed(windows))
    return failure();
  dims = *windows;
  SmallVector<int64_t> shape(input.getShape().take_front(2));
  for (const WindowDim &dim : dims)
    shape.push_back(dim.getNumWindows());
  return getTensorType(emitError, shape, input.getElementType());
}

LogicalResult ReduceWindowOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  SmallVector<WindowDim> dims;
  FailureOr<RankedTensorType> type = inferWindows(
      emitError, cast<RankedTensorType>(adaptor.getInput().getType()),
      {adaptor.getKernel(), adaptor.getStrides(), adaptor.getDilations(), {}},
      dims);
  if (failed(type))
    return failure();
  // c4
  ReduceKind kind = adaptor.getKind();
  if (kind == ReduceKind::And || kind == ReduceKind::Or)
    return emitError("expects `kind` to be `sum`, `prod`, `max`, `min` or "
                     "`mean` but got `",
                     stringifyReduceKind(kind), "`");
  if (failed(checkMean(emitError, kind,
                       cast<RankedTensorType>(adaptor.getInput().getType()))))
    return failure();
  // c5
  inferredReturnTypes.push_back(*type);
  // c6
  return pop::detail::checkAccum(emitError, adaptor.getAccumAttr(),
                                 AccumOrder::Chain);
}

bool ReduceWindowOp::isCompatibleReturnTypes(TypeRange inferred,
                                             TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}

// c5
LogicalResult ReduceWindowOp::verify() { return checkResultType(*this); }

FailureOr<RankedTensorType> pop::detail::inferPool(InferError emitError,
                                                   RankedTensorType input,
                                                   const WindowAttrs &attrs,
                                                   StringRef name) {
  SmallVector<WindowDim> dims;
  FailureOr<RankedTensorType> type =
      inferWindows(emitError, input, attrs, dims, name);
  if (failed(type))
    return failure();
  // c4
  for (const WindowDim &dim : dims)
    if (int64_t pad = std::max(dim.padLow, dim.padHigh); pad >= dim.getExtent())
      return emitError("expects `pads` to be less than the dilated kernel of ",
                       dim.getExtent(), " but got ", pad);
  return type;
}

/// Infers the type of a pool from what all pools have.
template <typename Adaptor>
static LogicalResult inferPoolOp(InferError emitError, Adaptor adaptor,
                                 SmallVectorImpl<Type> &inferredTypes) {
  FailureOr<RankedTensorType> type = pop::detail::inferPool(
      emitError, cast<RankedTensorType>(adaptor.getInput().getType()),
      {adaptor.getKernel(), adaptor.getStrides(), adaptor.getDilations(),
       adaptor.getPads(), adaptor.getCeilMode()});
  if (failed(type))
    return failure();
  // c5
  inferredTypes.push_back(*type);
  return success();
}

LogicalResult
MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            Adaptor adaptor,
                            SmallVectorImpl<Type> &inferredReturnTypes) {
  return inferPoolOp({location, getOperationName()}, adaptor,
                     inferredReturnTypes);
}

LogicalResult
AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            Adaptor adaptor,
                            SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  if (failed(inferPoolOp(emitError, adaptor, inferredReturnTypes)))
    return failure();
  // c6
  return pop::detail::checkAccum(emitError, adaptor.getAccumAttr(),
                                 AccumOrder::Chain);
}

//===----------------------------------------------------------------------===//
// SoftmaxOp and batch normalisation
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  int64_t rank = getInput().getType().getRank();
  int64_t axis = getAxis();
  // c1
  if (axis < 0 || axis >= rank)
    return emitOpError()
           << "expects `axis` to be at least 0 and less than rank " << rank
           << " but got " << axis;
  // c2
  return pop::detail::checkBlocks({getLoc(), getOperationName()},
                                  getAccumAttr(),
                                  getInput().getType().getDimSize(axis));
}

/// Checks what batch normalisations have in common.
template <typename OpTy>
static LogicalResult verifyBatchNorm(OpTy op) {
  constexpr StringLiteral names = "`scale`, `bias`, `mean` and `variance`";
  RankedTensorType input = op.getInput().getType();
  RankedTensorType statistic = op.getScale().getType();
  // c1
  if (input.getRank() < 2)
    return op.emitOpError()
           << "expects `input` of rank 2 or more but got " << input;
  // c2
  if (statistic.getShape() != input.getShape().slice(1, 1))
    return op.emitOpError() << "expects " << names << " of shape ["
                            << input.getDimSize(1) << "] but got " << statistic;
  // c3
  if (!isAccumulatorType(input.getElementType(), statistic.getElementType()))
    return op.emitOpError() << "expects " << names << " of element type "
                            << getComputeType(input.getElementType())
                            << " but got " << statistic.getElementType();
  // c4
  if (!(op.getEpsilon().convertToFloat() >= 0))
    return op.emitOpError() << "expects `epsilon` not to be negative but got "
                            << op.getEpsilonAttr();
  return success();
}

LogicalResult BatchNormOp::verify() {
  // c1 to c4
  return verifyBatchNorm(*this);
}

LogicalResult BatchNormTrainingOp::verify() {
  // c1 to c4
  if (failed(verifyBatchNorm(*this)))
    return failure();
  // c5
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  SmallVector<int64_t> axes = pop::detail::getStatisticAxes(shape);
  return pop::detail::checkBlocks(
      {getLoc(), getOperationName()}, getAccumAttr(),
      computeProduct(shape) / std::max<int64_t>(shape[1], 1),
      pop::detail::getAdjacentAxes(shape, axes).size());
}
