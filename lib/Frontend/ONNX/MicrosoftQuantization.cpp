//===- MicrosoftQuantization.cpp - Quantised numbers of ONNX Runtime ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the domain com.microsoft on quantised numbers. Except for
// products, which have sums of integers, they compute in f32.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Contractions.h"
#include "Pooling.h"
#include "Quantization.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// Elementwise operators, pools and concatenations
//===----------------------------------------------------------------------===//

/// Returns the numbers of operand `input`, whose scale and zero point follow.
static Value getNumbers(Node &node, size_t input) {
  return dequantize(node, node.getInput(input),
                    getScalarQuantization(node, input + 1), node.getF32Type());
}

/// Sets the result to `y`, quantised by the scale that is operand `input` and
/// the zero point that follows it. Without the latter, the result has the type
/// of `like`.
static void setQuantized(Node &node, Value y, size_t input, Value like) {
  Quantization quantization = getScalarQuantization(node, input);
  if (!quantization.zeroPoint)
    quantization.elementType = getElementTypeNumber(getElement(like));
  node.setResult(quantize(node, y, quantization));
}

template <Value (pop::PopBuilder::*build)(Value, Value)>
static void importQLinearBinary(Node &node) {
  Value y = (node.*build)(getNumbers(node, 0), getNumbers(node, 3));
  setQuantized(node, y, 6, node.getInput(0));
}

/// Imports an operator whose operand 0 becomes numbers, and whose result is
/// quantised by operands 3 and 4.
template <Value (*build)(Node &node, Value x)>
static void importQLinearUnary(Node &node) {
  setQuantized(node, build(node, getNumbers(node, 0)), 3, node.getInput(0));
}

static Value buildSigmoid(Node &node, Value x) {
  return node.create<pop::SigmoidOp>({x});
}

static Value buildLeakyReluOfNode(Node &node, Value x) {
  return buildLeakyRelu(node, x, node.getFloat("alpha", 0.01f));
}

/// Before opset 13, Softmax is over all dimensions from the axis on.
static Value buildSoftmax(Node &node, Value x) {
  bool isOld = node.getInt("opset", 13) < 13;
  int64_t axis = node.getInt("axis", isOld ? 1 : -1);
  if (!isOld)
    return node.softmax(x, node.normalizeAxis(axis, getRank(x)));
  return onLastDims(node, x, axis, [&](Value matrix, int64_t last) {
    return node.softmax(matrix, last);
  });
}

/// Calls `build` with `x` in the form [N, C, spatial...]. With `channels_last`,
/// `x` is [N, spatial..., C].
static Value onChannels(Node &node, Value x,
                        function_ref<Value(Node &, Value)> build) {
  int64_t rank = getRank(x);
  node.require(rank >= 3, "expects an operand of rank 3 or more but got " +
                              quote(x.getType()));
  if (node.getInt("channels_last", 0) == 0)
    return build(node, x);
  SmallVector<int64_t> toFront = getAxesFrom(0, rank), toBack = toFront;
  std::rotate(toFront.begin() + 1, toFront.end() - 1, toFront.end());
  std::rotate(toBack.begin() + 1, toBack.begin() + 2, toBack.end());
  return node.transpose(build(node, node.transpose(x, toFront)), toBack);
}

static Value buildAveragePools(Node &node, Value x) {
  return onChannels(node, x, buildAveragePool);
}

static Value buildGlobalAveragePools(Node &node, Value x) {
  return onChannels(node, x, [](Node &node, Value x) {
    return node.mean(x, getAxesFrom(2, getRank(x)), /*keepDims=*/true);
  });
}

static void importQLinearConcat(Node &node) {
  node.require((node.getNumInputs() - 2) % 3 == 0,
               "expects an operand, a scale and a zero point for each part but "
               "got " +
                   Twine(node.getNumInputs()) + " inputs");
  SmallVector<Value> parts;
  for (size_t i = 2; i < node.getNumInputs(); i += 3)
    parts.push_back(getNumbers(node, i));
  int64_t axis = node.normalizeAxis(node.getInt("axis"), getRank(parts[0]));
  setQuantized(node, node.concat(parts, axis), 0, node.getInput(2));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Scales sums of integers to numbers, and adds the bias, operand `biasInput`,
/// if there is one.
static Value scaleSums(Node &node, Value sums, Value scale, size_t biasInput) {
  Value y = node.mul(node.cast(sums, node.getF32Type()), scale);
  if (Value bias = node.getOptionalInput(biasInput))
    y = node.add(y, bias);
  return y;
}

/// Returns a scale that is a scalar, or has an element for each column.
static Value getColumnScale(Node &node, size_t input) {
  Value scale = node.getInput(input);
  return getTensorType(scale).getNumElements() == 1 ? node.reshape(scale, {})
                                                    : scale;
}

static void importMatMulIntegerToFloat(Node &node) {
  Value sums = multiplyIntegers(node, node.getInput(0), node.getInput(1), 4, 5);
  Value scale = node.mul(getScalar(node, 2), getColumnScale(node, 3));
  node.setResult(scaleSums(node, sums, scale, 6));
}

static void importDynamicQuantizeMatMul(Node &node) {
  DynamicQuantization a = quantizeDynamically(node, node.getInput(0));
  Value left = subtractZeroPoint(node, a.value, a.quantization.zeroPoint);
  Value zeroPoint = node.getOptionalInput(3);
  if (zeroPoint && getTensorType(zeroPoint).getNumElements() == 1)
    zeroPoint = node.reshape(zeroPoint, {});
  Value right = subtractZeroPoint(node, node.getInput(1), zeroPoint);
  Value sums = multiplyMatrices(node, left, right);
  Value scale = node.mul(a.quantization.scale, getColumnScale(node, 2));
  node.setResult(scaleSums(node, sums, scale, 4));
}

/// Unpacks integers of `bits` from the last dimension of `x`. The first integer
/// of a byte is in its lowest bits.
static Value unpackIntegers(Node &node, Value x, int64_t bits) {
  int64_t count = 8 / bits, last = getRank(x);
  SmallVector<int64_t> shape(getShape(x)), joined = shape;
  shape.push_back(1);
  joined.back() *= count;
  Value bytes = node.reshape(x, shape);
  SmallVector<Value> parts;
  Value mask = node.splatLike(static_cast<double>((1 << bits) - 1), x);
  for (int64_t i = 0; i < count; ++i) {
    Value shift = node.splatLike(static_cast<double>(i * bits), x);
    Value part = node.create<pop::ShiftRightLogicalOp>({bytes, shift});
    parts.push_back(node.create<pop::AndOp>({part, mask}));
  }
  return node.reshape(node.concat(parts, last), joined);
}

/// Returns the zero points of the blocks of MatMulNBits, [N, blocks], as f32.
static Value getBlockZeroPoints(Node &node, int64_t rows, int64_t numBlocks,
                                int64_t bits) {
  Value zeroPoints = node.getOptionalInput(3);
  Type wide = node.getF32Type();
  if (!zeroPoints)
    return node.splat(static_cast<double>(1 << (bits - 1)), wide);
  int64_t packed = llvm::divideCeil(numBlocks * bits, 8);
  bool isPacked = getElement(zeroPoints).isUnsignedInteger(8);
  int64_t columns = isPacked ? packed : numBlocks;
  node.require(getTensorType(zeroPoints).getNumElements() == rows * columns,
               "expects zero points of " + Twine(rows * columns) +
                   " elements but got " + quote(zeroPoints.getType()));
  zeroPoints = node.reshape(zeroPoints, {rows, columns});
  if (isPacked)
    zeroPoints =
        node.slice(unpackIntegers(node, zeroPoints, bits), 1, 0, numBlocks);
  return node.reshape(node.cast(zeroPoints, wide), {rows, numBlocks, 1});
}

static void importMatMulNBits(Node &node) {
  int64_t inner = node.getInt("K"), columns = node.getInt("N");
  int64_t bits = node.getInt("bits", 4), size = node.getInt("block_size");
  if (bits != 2 && bits != 4 && bits != 8)
    node.unsupported("integers of " + Twine(bits) + " bits");
  if (node.hasInput(4))
    node.unsupported("an order of groups (input 4)");
  node.require(inner > 0 && columns > 0 && size > 0 && size * bits % 8 == 0 &&
                   std::max({inner, columns, size}) < (int64_t(1) << 30),
               "expects K, N and a size of blocks that are positive, and "
               "blocks of whole bytes");
  int64_t numBlocks = llvm::divideCeil(inner, size);
  Value weights = node.getInput(1), scales = node.getInput(2);
  int64_t numBytes = columns * numBlocks * (size * bits / 8);
  node.require(getElement(weights).isUnsignedInteger(8) &&
                   getTensorType(weights).getNumElements() == numBytes,
               "expects " + Twine(numBytes) + " bytes of weights but got " +
                   quote(weights.getType()));
  node.require(getTensorType(scales).getNumElements() == columns * numBlocks,
               "expects " + Twine(columns * numBlocks) + " scales but got " +
                   quote(scales.getType()));
  Type wide = node.getF32Type(), type = getElement(node.getInput(0));
  weights = node.reshape(weights, {columns, numBlocks, size * bits / 8});
  weights = node.cast(unpackIntegers(node, weights, bits), wide);
  weights =
      node.sub(weights, getBlockZeroPoints(node, columns, numBlocks, bits));
  weights = node.mul(
      weights, node.reshape(node.cast(scales, wide), {columns, numBlocks, 1}));
  weights = node.reshape(weights, {columns, numBlocks * size});
  weights = node.cast(node.slice(weights, 1, 0, inner), type);
  Value y =
      multiplyMatrices(node, node.getInput(0), node.transpose(weights, {1, 0}));
  if (Value bias = node.getOptionalInput(5))
    y = node.add(y, bias);
  node.setResult(y);
}

ArrayRef<OpEntry> ipu::onnx::getMicrosoftQuantizationOps() {
  static const OpEntry kOps[] = {
      {"DequantizeLinear", 1, 2, 3, 1, importDequantizeLinear,
       "as in the domain of ONNX", "axis block_size"},
      {"DynamicQuantizeMatMul", 1, 3, 5, 1, importDynamicQuantizeMatMul,
       "as `DynamicQuantizeLinear` and `MatMulInteger`"},
      {"MatMulIntegerToFloat", 1, 4, 7, 1, importMatMulIntegerToFloat,
       "as `MatMulInteger`"},
      {"MatMulNBits", 1, 3, 6, 1, importMatMulNBits,
       "integers of 2, 4 and 8 bits, which are dequantised; no order of "
       "groups; `accuracy_level` has no effect",
       "K N accuracy_level bits block_size weight_prepacked"},
      {"QLinearAdd", 1, 7, 8, 1, importQLinearBinary<&pop::PopBuilder::add>,
       "in f32"},
      {"QLinearAveragePool", 1, 4, 5, 1, importQLinearUnary<buildAveragePools>,
       "in f32",
       "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads "
       "strides"},
      {"QLinearConcat", 1, 5, -1, 1, importQLinearConcat, "in f32", "axis"},
      {"QLinearGlobalAveragePool", 1, 4, 5, 1,
       importQLinearUnary<buildGlobalAveragePools>, "in f32", "channels_last"},
      {"QLinearLeakyRelu", 1, 4, 5, 1, importQLinearUnary<buildLeakyReluOfNode>,
       "in f32", "alpha"},
      {"QLinearMul", 1, 7, 8, 1, importQLinearBinary<&pop::PopBuilder::mul>,
       "in f32"},
      {"QLinearSigmoid", 1, 4, 5, 1, importQLinearUnary<buildSigmoid>,
       "in f32"},
      {"QLinearSoftmax", 1, 4, 5, 1, importQLinearUnary<buildSoftmax>, "in f32",
       "axis opset"},
      {"QuantizeLinear", 1, 2, 3, 1, importQuantizeLinear,
       "as in the domain of ONNX", "axis block_size saturate"},
  };
  return kOps;
}
