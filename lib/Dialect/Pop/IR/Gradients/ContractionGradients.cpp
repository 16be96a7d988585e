//===- ContractionGradients.cpp - Of matmul and convolution -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are computed of operands of the gradient's element type, and not
// rounded before they are summed over what was broadcast.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pop;
using pop::detail::getTypeOf;

/// The forward value of `operand` in the element type of `dy`.
static Value buildOperand(GradientBuilder &b, Value operand, Value dy) {
  return b.buildCast(b.getForward(operand), getTypeOf(dy).getElementType());
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

static Value buildMatrixTranspose(GradientBuilder &b, Value matrices) {
  SmallVector<int64_t> permutation(getTypeOf(matrices).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return b.build<TransposeOp>(matrices, permutation);
}

/// The product of matrices of which one has all batch dimensions, which is not
/// rounded.
static Value buildProduct(GradientBuilder &b, Value lhs, Value rhs) {
  ArrayRef<int64_t> lhsShape = getTypeOf(lhs).getShape();
  ArrayRef<int64_t> rhsShape = getTypeOf(rhs).getShape();
  size_t rank = std::max(lhsShape.size(), rhsShape.size());
  SmallVector<int64_t> shape = padShape(lhsShape, rank);
  for (auto [size, other] : llvm::zip_equal(shape, padShape(rhsShape, rank)))
    size = size == 1 ? other : size;
  shape[rank - 2] = lhsShape[lhsShape.size() - 2];
  shape[rank - 1] = rhsShape.back();
  Type type = getComputeType(getTypeOf(lhs).getElementType());
  return MatmulOp::create(b, b.getLoc(), RankedTensorType::get(shape, type),
                          lhs, rhs, /*acc=*/Value(), AccumAttr());
}

/// `matrices` as one, its rows being those of all.
static Value buildOneMatrix(GradientBuilder &b, Value matrices) {
  ArrayRef<int64_t> shape = getTypeOf(matrices).getShape();
  return b.buildReshape(matrices,
                        {computeProduct(shape.drop_back()), shape.back()});
}

static Value buildRhsGradient(GradientBuilder &b, MatmulOp op, Value dy) {
  Value lhs = buildOperand(b, op.getLhs(), dy);
  RankedTensorType rhs = op.getRhs().getType();
  if (pop::detail::getBatch(rhs) != 1 ||
      pop::detail::getBatch(getTypeOf(dy)) == 1)
    return buildProduct(b, buildMatrixTranspose(b, lhs), dy);
  // The sum over the batch is a part of the product.
  lhs = buildMatrixTranspose(b, buildOneMatrix(b, lhs));
  return b.buildReshape(buildProduct(b, lhs, buildOneMatrix(b, dy)),
                        rhs.getShape());
}

LogicalResult MatmulOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (getAcc())
    b.add(getAcc(), dy);
  if (b.isNeeded(getLhs()))
    b.add(getLhs(),
          buildProduct(b, dy,
                       buildMatrixTranspose(b, buildOperand(b, getRhs(), dy))));
  if (b.isNeeded(getRhs()))
    b.add(getRhs(), buildRhsGradient(b, *this, dy));
  return success();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// `tensor`, with its first two dimensions as the three of `split`, these
/// permuted by `permutation`, and two of them joined to `joined`.
static Value buildRegrouped(GradientBuilder &b, Value tensor,
                            ArrayRef<int64_t> split,
                            ArrayRef<int64_t> permutation,
                            ArrayRef<int64_t> joined) {
  ArrayRef<int64_t> spatial = getTypeOf(tensor).getShape().drop_front(2);
  SmallVector<int64_t> shape(split), order(permutation), result(joined);
  llvm::append_range(shape, spatial);
  llvm::append_range(result, spatial);
  for (size_t i = 0; i < spatial.size(); ++i)
    order.push_back(order.size());
  Value transposed = pop::detail::buildTranspose(
      b, b.getLoc(), b.buildReshape(tensor, shape), order);
  return b.buildReshape(transposed, result);
}

static Value buildExchanged(GradientBuilder &b, Value tensor) {
  SmallVector<int64_t> order(getTypeOf(tensor).getRank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  return pop::detail::buildTranspose(b, b.getLoc(), tensor, order);
}

namespace {
/// A convolution that is a gradient, and the slice of its spatial dimensions
/// that has what it is the gradient of.
struct ConvGradient {
  SmallVector<int64_t> strides, dilations, inputDilations, low, high;
  SmallVector<int64_t> starts = {0, 0}, steps = {1, 1};

  Value build(GradientBuilder &b, ConvOp op, Value input, Value weights,
              ArrayRef<int64_t> shape) const;
};
} // namespace

/// `values`, or none if all are `value`, which none stands for.
static ArrayRef<int64_t> getUnless(ArrayRef<int64_t> values, int64_t value) {
  bool isDefault = llvm::all_of(values, [&](int64_t v) { return v == value; });
  return isDefault ? ArrayRef<int64_t>() : values;
}

Value ConvGradient::build(GradientBuilder &b, ConvOp op, Value input,
                          Value weights, ArrayRef<int64_t> shape) const {
  RankedTensorType inputType = getTypeOf(input);
  RankedTensorType weightsType = getTypeOf(weights);
  SmallVector<int64_t> pads = low;
  llvm::append_range(pads, high);
  SmallVector<WindowDim> windows =
      getWindowDims(inputType.getShape().drop_front(2),
                    {weightsType.getShape().drop_front(2), strides, dilations,
                     pads, /*ceilMode=*/false, inputDilations});
  SmallVector<int64_t> sizes = {inputType.getDimSize(0),
                                weightsType.getDimSize(0)};
  for (const WindowDim &window : windows)
    sizes.push_back(window.getNumWindows());
  auto type =
      RankedTensorType::get(sizes, getComputeType(inputType.getElementType()));
  Value result =
      ConvOp::create(b, b.getLoc(), type, input, weights, /*acc=*/Value(),
                     getUnless(strides, 1), getUnless(dilations, 1),
                     getUnless(inputDilations, 1), getUnless(pads, 0),
                     op.getGroups(), AccumAttr());
  sizes.resize(2);
  llvm::append_range(sizes, shape.drop_front(2));
  return pop::detail::buildSlice(b, result, starts, sizes, steps);
}

/// The gradient of the input: with zeros between its elements as strides say,
/// `dy` is convolved with the flipped weights.
static Value buildInputGradient(GradientBuilder &b, ConvOp op, Value dy) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> weights = op.getWeights().getType().getShape();
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  ConvGradient conv;
  SmallVector<int64_t> flipStarts = {0, 0}, flipSteps = {1, 1};
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t dilation =
        op.getInputDilations().empty() ? 1 : op.getInputDilations()[i];
    int64_t reach = window.stride * (window.getNumWindows() - 1) + 1;
    int64_t low = window.getExtent() - 1 - window.padLow;
    // A stride starts at the first result, which a negative pad would cut off.
    conv.strides.push_back(low < 0 ? 1 : dilation);
    conv.steps.push_back(low < 0 ? dilation : 1);
    conv.starts.push_back(std::max<int64_t>(-low, 0));
    conv.dilations.push_back(window.dilation);
    conv.inputDilations.push_back(window.stride);
    conv.low.push_back(std::max<int64_t>(low, 0));
    conv.high.push_back(
        std::max<int64_t>(window.input + window.padLow - reach, 0));
    flipStarts.push_back(window.kernel - 1);
    flipSteps.push_back(-1);
  }
  int64_t groups = op.getGroups(), outputs = weights[0] / groups;
  Value flipped =
      b.build<SliceOp>(buildOperand(b, op.getWeights(), dy), flipStarts,
                       SmallVector<int64_t>(weights), flipSteps);
  Value exchanged = buildRegrouped(b, flipped, {groups, outputs, weights[1]},
                                   {0, 2, 1}, {groups * weights[1], outputs});
  return conv.build(b, op, dy, exchanged, input);
}

/// The gradient of the weights: the batch is what is summed over, and the
/// channels are the batch.
static Value buildWeightsGradient(GradientBuilder &b, ConvOp op, Value dy) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> weights = op.getWeights().getType().getShape();
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  ConvGradient conv;
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t reach = window.stride * (window.getNumWindows() - 1) + 1;
    conv.strides.push_back(window.dilation);
    conv.dilations.push_back(window.stride);
    conv.inputDilations.push_back(
        op.getInputDilations().empty() ? 1 : op.getInputDilations()[i]);
    conv.low.push_back(window.padLow);
    conv.high.push_back(std::max<int64_t>(
        window.getExtent() - 1 + reach - window.input - window.padLow, 0));
    conv.starts.push_back(0);
    conv.steps.push_back(1);
  }
  int64_t groups = op.getGroups();
  Value regrouped = buildRegrouped(b, buildOperand(b, op.getInput(), dy),
                                   {input[0], groups, weights[1]}, {2, 1, 0},
                                   {weights[1], groups * input[0]});
  return buildExchanged(
      b, conv.build(b, op, regrouped, buildExchanged(b, dy), weights));
}

/// Checks that the tensors that gradients are computed in can exist.
static LogicalResult checkGradients(ConvOp op) {
  SmallVector<int64_t> shape(op.getInput().getType().getShape().take_front(2));
  shape[1] = std::max(shape[1], op.getWeights().getType().getDimSize(0));
  shape[0] = std::max(shape[0], op.getWeights().getType().getDimSize(1));
  for (const WindowDim &window : pop::detail::getWindows(op))
    shape.push_back(window.padLow + window.input + window.padHigh +
                    window.getExtent());
  return pop::detail::checkGradientShape(op, shape);
}

LogicalResult ConvOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (getAcc())
    b.add(getAcc(), dy);
  // Where there are no products, there are no gradients of their operands.
  if (getInput().getType().getNumElements() == 0 ||
      getType().getNumElements() == 0)
    return success();
  if (failed(checkGradients(*this)))
    return failure();
  if (b.isNeeded(getInput()))
    b.add(getInput(), buildInputGradient(b, *this, dy));
  if (b.isNeeded(getWeights()))
    b.add(getWeights(), buildWeightsGradient(b, *this, dy));
  return success();
}
