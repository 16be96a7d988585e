//===- PopUtils.cpp - Shapes, windows and combiners of pop ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

#include "PopDetail.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

bool mlir::pop::isNarrowFloat(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() < 32;
}

Type mlir::pop::getComputeType(Type type) {
  return isNarrowFloat(type) ? Float32Type::get(type.getContext()) : type;
}

bool mlir::pop::isAccumulatorType(Type operand, Type result) {
  return operand == result || getComputeType(operand) == result;
}

Type mlir::pop::getReduceType(ReduceKind kind, Type type) {
  bool accumulates = kind == ReduceKind::Sum || kind == ReduceKind::Prod ||
                     kind == ReduceKind::Mean;
  return accumulates ? getComputeType(type) : type;
}

static TypedAttr getFloatIdentity(ReduceKind kind, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  case ReduceKind::Prod:
    return FloatAttr::get(type, APFloat(semantics, 1));
  default:
    break;
  }
  // Types without infinity have a greatest number instead.
  bool negative = kind == ReduceKind::Max;
  return FloatAttr::get(type, APFloat::semanticsHasInf(semantics)
                                  ? APFloat::getInf(semantics, negative)
                                  : APFloat::getLargest(semantics, negative));
}

TypedAttr mlir::pop::getReduceIdentity(ReduceKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return getFloatIdentity(kind, floatType);
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return IntegerAttr::get(type, APInt::getZero(width));
  case ReduceKind::Prod:
  case ReduceKind::And:
    return IntegerAttr::get(type, APInt(width, 1));
  case ReduceKind::Max:
    return IntegerAttr::get(type, isUnsigned ? APInt::getMinValue(width)
                                             : APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return IntegerAttr::get(type, isUnsigned ? APInt::getMaxValue(width)
                                             : APInt::getSignedMaxValue(width));
  case ReduceKind::Mean:
    llvm_unreachable("`mean` is verified to have operands of floats");
  }
  llvm_unreachable("unknown kind of reduction");
}

TypedAttr mlir::pop::getEmptyReduction(ReduceKind kind, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (floatType && kind == ReduceKind::Sum)
    return FloatAttr::get(type,
                          APFloat::getZero(floatType.getFloatSemantics()));
  if (floatType && kind == ReduceKind::Mean)
    return FloatAttr::get(type, APFloat::getNaN(floatType.getFloatSemantics()));
  return getReduceIdentity(kind, type);
}

bool pop::detail::isRoundedOrNot(TypeRange inferred, TypeRange actual) {
  auto inferredType = cast<RankedTensorType>(inferred.front());
  auto actualType = dyn_cast<RankedTensorType>(actual.front());
  return actualType && actualType.getShape() == inferredType.getShape() &&
         actualType.getEncoding() == inferredType.getEncoding() &&
         isAccumulatorType(inferredType.getElementType(),
                           actualType.getElementType());
}

LogicalResult pop::detail::checkAccum(InferError emitError, AccumAttr accum,
                                      AccumOrder order) {
  if (accum && accum.getOrder() != order)
    return emitError("expects `accum` to be `", stringifyAccumOrder(order),
                     "` but got ", accum);
  return success();
}

SmallVector<ArrayRef<int64_t>>
pop::detail::getAdjacentAxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  auto isAdjacent = [&](int64_t axis, int64_t next) {
    return llvm::all_of(shape.slice(axis + 1, next - axis - 1),
                        [](int64_t size) { return size == 1; });
  };
  SmallVector<ArrayRef<int64_t>> groups;
  size_t begin = 0;
  for (size_t end = 1; end <= axes.size(); ++end)
    if (end == axes.size() || !isAdjacent(axes[end - 1], axes[end])) {
      groups.push_back(axes.slice(begin, end - begin));
      begin = end;
    }
  return groups;
}

SmallVector<int64_t> pop::detail::getStatisticAxes(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  axes.erase(axes.begin() + 1);
  return axes;
}

LogicalResult pop::detail::checkBlocks(InferError emitError, AccumAttr accum,
                                       int64_t numPositions, size_t numDims) {
  if (failed(checkAccum(emitError, accum, AccumOrder::Blocked)))
    return failure();
  if (accum && (accum.getGroup() || accum.getKernel() || accum.getPartials()))
    return emitError(
        "expects `accum` without `group`, `kernel` and `partials` but got ",
        accum);
  if (accum && accum.getBlock() < 2 && numPositions > 1)
    return emitError("expects `block` of at least 2 for ", numPositions,
                     " positions but got ", accum);
  if (accum && accum.getBox() && numDims == 0)
    return emitError("expects `accum` without `box` but got ", accum);
  if (accum && accum.getBox() &&
      static_cast<size_t>(accum.getBox().size()) != numDims)
    return emitError("expects `box` with one size for each of ", numDims,
                     " groups of adjacent axes but got ", accum);
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> mlir::pop::padShape(ArrayRef<int64_t> shape, size_t rank) {
  SmallVector<int64_t> padded(rank - shape.size(), 1);
  llvm::append_range(padded, shape);
  return padded;
}

FailureOr<SmallVector<int64_t>>
mlir::pop::broadcastShapes(InferError emitError, ArrayRef<int64_t> lhs,
                           ArrayRef<int64_t> rhs) {
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> result = padShape(lhs, rank);
  for (auto [l, r] : llvm::zip_equal(result, padShape(rhs, rank))) {
    if (l != r && l != 1 && r != 1)
      return emitError("expects shapes that broadcast but got [", lhs,
                       "] and [", rhs, "]");
    l = l == 1 ? r : l;
  }
  return result;
}

FailureOr<RankedTensorType> mlir::pop::getTensorType(InferError emitError,
                                                     ArrayRef<int64_t> shape,
                                                     Type elementType) {
  if (!isPopShape(shape))
    return emitError(
        "expects a result of at most 2^56 elements but got shape [", shape,
        "]");
  return RankedTensorType::get(shape, elementType);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

int64_t WindowDim::getNumWindows() const {
  int64_t slack = padLow + input + padHigh - getExtent();
  int64_t windows = slack / stride + 1;
  if (!ceilMode || slack % stride == 0)
    return windows;
  // One more window covers the rest, if it starts on an input element.
  return windows * stride < padLow + input ? windows + 1 : windows;
}

int64_t WindowDim::getReadPadHigh() const {
  int64_t end = (getNumWindows() - 1) * stride + getExtent();
  return std::max<int64_t>(end - padLow - input, 0);
}

int64_t WindowDim::countPositions(int64_t index, bool countPads) const {
  int64_t first = index * stride - padLow;
  int64_t begin = countPads ? -padLow : 0;
  int64_t end = countPads ? input + padHigh : input;
  // Kernel position q lies at first + q * dilation.
  int64_t skipped =
      first < begin ? llvm::divideCeilSigned(begin - first, dilation) : 0;
  int64_t reached =
      first < end ? llvm::divideCeilSigned(end - first, dilation) : 0;
  return std::max<int64_t>(std::min(reached, kernel) - skipped, 0);
}

/// Checks that `values` are one for each spatial dimension, and positive.
static LogicalResult checkPerDim(InferError emitError, StringRef name,
                                 ArrayRef<int64_t> values, size_t numDims) {
  if (values.size() != numDims)
    return emitError("expects `", name,
                     "` to have as many values as there are spatial "
                     "dimensions (",
                     numDims, ") but got ", values.size());
  for (int64_t value : values)
    if (value < 1)
      return emitError("expects `", name, "` to be positive but got ", value);
  return success();
}

static LogicalResult checkWindowAttrs(InferError emitError, size_t numDims,
                                      const WindowAttrs &attrs) {
  if (failed(checkPerDim(emitError, "kernel", attrs.kernel, numDims)))
    return failure();
  if (!attrs.strides.empty() &&
      failed(checkPerDim(emitError, "strides", attrs.strides, numDims)))
    return failure();
  if (!attrs.dilations.empty() &&
      failed(checkPerDim(emitError, "dilations", attrs.dilations, numDims)))
    return failure();
  if (!attrs.inputDilations.empty() &&
      failed(checkPerDim(emitError, "input_dilations", attrs.inputDilations,
                         numDims)))
    return failure();
  if (attrs.pads.empty())
    return success();
  if (attrs.pads.size() != 2 * numDims)
    return emitError("expects `pads` to have ", 2 * numDims, " values but got ",
                     attrs.pads.size());
  for (int64_t value : attrs.pads)
    if (value < 0)
      return emitError("expects `pads` not to be negative but got ", value);
  return success();
}

SmallVector<WindowDim> mlir::pop::getWindowDims(ArrayRef<int64_t> spatial,
                                                const WindowAttrs &attrs) {
  SmallVector<WindowDim> dims;
  size_t numDims = spatial.size();
  for (size_t i = 0; i < numDims; ++i) {
    WindowDim &dim = dims.emplace_back();
    dim.input = spatial[i];
    if (!attrs.inputDilations.empty() && dim.input > 0)
      dim.input = attrs.inputDilations[i] * (dim.input - 1) + 1;
    dim.kernel = attrs.kernel[i];
    dim.stride = attrs.strides.empty() ? 1 : attrs.strides[i];
    dim.dilation = attrs.dilations.empty() ? 1 : attrs.dilations[i];
    dim.padLow = attrs.pads.empty() ? 0 : attrs.pads[i];
    dim.padHigh = attrs.pads.empty() ? 0 : attrs.pads[numDims + i];
    dim.ceilMode = attrs.ceilMode;
  }
  return dims;
}

/// Whatever stays below this is far from overflow in `WindowDim`'s arithmetic.
static constexpr int64_t kLimit = int64_t(1) << 58;

/// Checks that zeros between elements do not make dimensions too large.
static LogicalResult checkInputDilations(InferError emitError,
                                         ArrayRef<int64_t> spatial,
                                         ArrayRef<int64_t> dilations) {
  for (auto [i, dilation] : llvm::enumerate(dilations)) {
    std::optional<int64_t> last = llvm::checkedMul(dilation, spatial[i] - 1);
    if (!last || *last >= kLimit)
      return emitError(
          "expects spatial dimension ", i,
          " to have at most 2^58 elements after `input_dilations`");
  }
  return success();
}

FailureOr<SmallVector<WindowDim>>
mlir::pop::getWindowDims(InferError emitError, ArrayRef<int64_t> spatial,
                         const WindowAttrs &attrs) {
  if (failed(checkWindowAttrs(emitError, spatial.size(), attrs)) ||
      failed(checkInputDilations(emitError, spatial, attrs.inputDilations)))
    return failure();
  SmallVector<WindowDim> dims = getWindowDims(spatial, attrs);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> last =
        llvm::checkedMul(dim.dilation, dim.kernel - 1);
    std::optional<int64_t> padded = llvm::checkedAdd(dim.padLow, dim.padHigh);
    if (padded)
      padded = llvm::checkedAdd(*padded, dim.input);
    if (!padded || *padded > kLimit)
      return emitError("expects spatial dimension ", i,
                       " to have at most 2^58 elements after `pads`");
    if (!last || *last >= *padded)
      return emitError("expects a dilated kernel that fits the ", *padded,
                       " padded elements of spatial dimension ", i,
                       " but got kernel ", dim.kernel, " with dilation ",
                       dim.dilation);
  }
  return dims;
}
