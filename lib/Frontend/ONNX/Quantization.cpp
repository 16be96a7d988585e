//===- Quantization.cpp - ONNX operators on quantised numbers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"

#include "Contractions.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::TensorProto;

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

static bool isScalar(Value x) { return getTensorType(x).getNumElements() == 1; }

Value ipu::onnx::getOptionalScalar(Node &node, size_t input) {
  Value x = node.getOptionalInput(input);
  if (!x)
    return {};
  node.require(isScalar(x), "expects input " + Twine(input) +
                                " to be a scalar but got " +
                                quote(x.getType()));
  return node.reshape(x, {});
}

Value ipu::onnx::getScalar(Node &node, size_t input) {
  node.getInput(input);
  return getOptionalScalar(node, input);
}

/// Returns a scale or zero point that has an element for each block of `axis`
/// of `x`, with its elements repeated.
static Value repeatBlocks(Node &node, Value parameter, Value x, int64_t axis,
                          int64_t blockSize) {
  SmallVector<int64_t> expected(getShape(x)), shape = expected;
  expected[axis] = llvm::divideCeil(expected[axis], blockSize);
  node.require(
      getShape(parameter) == ArrayRef<int64_t>(expected),
      "expects a scale and a zero point of shape " +
          quote(RankedTensorType::get(expected, getElement(parameter))) +
          " for blocks of " + Twine(blockSize) + " but got " +
          quote(parameter.getType()));
  SmallVector<int64_t> split = expected;
  split.insert(split.begin() + axis + 1, 1);
  Value blocks = node.reshape(parameter, split);
  split[axis + 1] = blockSize;
  blocks = node.expand(blocks, split);
  expected[axis] *= blockSize;
  // The last block may have fewer elements.
  return node.slice(node.reshape(blocks, expected), axis, 0, shape[axis]);
}

/// Returns a scale or zero point in a shape that broadcasts to `x`.
static Value alignParameter(Node &node, Value parameter, Value x,
                            int64_t blockSize) {
  if (isScalar(parameter))
    return node.reshape(parameter, {});
  int64_t axis = node.normalizeAxis(node.getInt("axis", 1), getRank(x));
  if (blockSize > 0)
    return repeatBlocks(node, parameter, x, axis, blockSize);
  node.require(getRank(parameter) == 1 &&
                   getDim(parameter, 0) == getDim(x, axis),
               "expects a scale and a zero point of " + Twine(getDim(x, axis)) +
                   " elements but got " + quote(parameter.getType()));
  SmallVector<int64_t> shape(getRank(x) - axis, 1);
  shape.front() = getDim(parameter, 0);
  return node.reshape(parameter, shape);
}

/// Sets the element type of a quantisation to that of operand `input`.
static void setElementType(Node &node, Quantization &result, size_t input) {
  int32_t narrow = node.getNarrowType(input);
  result.elementType =
      narrow ? narrow : getElementTypeNumber(getElement(node.getInput(input)));
}

Quantization ipu::onnx::getQuantization(Node &node, size_t input, Value x,
                                        int64_t blockSize) {
  node.require(blockSize >= 0 && blockSize < (1 << 30),
               "expects 'block_size' not to be negative but got " +
                   Twine(blockSize));
  Quantization result;
  result.scale = alignParameter(node, node.getInput(input), x, blockSize);
  node.require(isa<FloatType>(getElement(result.scale)),
               "expects a scale of floats but got " +
                   quote(result.scale.getType()));
  if (Value zeroPoint = node.getOptionalInput(input + 1)) {
    result.zeroPoint = alignParameter(node, zeroPoint, x, blockSize);
    setElementType(node, result, input + 1);
  }
  return result;
}

Quantization ipu::onnx::getScalarQuantization(Node &node, size_t input) {
  Quantization result;
  result.scale = getScalar(node, input);
  node.require(isa<FloatType>(getElement(result.scale)),
               "expects a scale of floats but got " +
                   quote(result.scale.getType()));
  result.zeroPoint = getOptionalScalar(node, input + 1);
  if (result.zeroPoint)
    setElementType(node, result, input + 1);
  return result;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value ipu::onnx::subtractZeroPoint(Node &node, Value x, Value zeroPoint) {
  x = node.cast(x, node.getI32Type());
  return zeroPoint ? node.sub(x, node.cast(zeroPoint, node.getI32Type())) : x;
}

Value ipu::onnx::dequantize(Node &node, Value x,
                            const Quantization &quantization, Type type) {
  Type wide = node.getF32Type();
  // The zero point of floats is always 0.
  Value y = isa<FloatType>(getElement(x))
                ? x
                : subtractZeroPoint(node, x, quantization.zeroPoint);
  y = node.cast(y, wide);
  y = node.mul(y, node.cast(quantization.scale, wide));
  return node.cast(y, type);
}

Value ipu::onnx::quantizeQuotients(Node &node, Value quotients,
                                   const Quantization &quantization,
                                   bool saturates) {
  int32_t elementType = quantization.elementType;
  std::optional<IntegerRange> range = getIntegerRange(elementType);
  if (!range)
    return castToElementType(node, quotients, elementType, saturates);
  Value y = node.create<pop::RoundOp>({node.widen(quotients)});
  if (quantization.zeroPoint)
    y = node.add(y, node.cast(quantization.zeroPoint, getElement(y)));
  y = node.max(y, node.splatLike(static_cast<double>(range->low), y));
  y = node.min(y, node.splatLike(static_cast<double>(range->high), y));
  return node.cast(y, getElementType(elementType, node.getContext()));
}

/// Returns the quotients of `x` and a scale, which are computed in `type`.
static Value divide(Node &node, Value x, Value scale, Type type) {
  x = node.cast(x, type);
  return node.div(x, node.cast(scale, type));
}

Value ipu::onnx::quantize(Node &node, Value x,
                          const Quantization &quantization) {
  Value quotients = divide(node, x, quantization.scale, node.getF32Type());
  return quantizeQuotients(node, quotients, quantization);
}

/// Returns the number of the type that the attribute `name` selects, or 0 if it
/// selects none.
static int32_t getOptionalType(Node &node, StringRef name) {
  return node.getInt(name, 0) == 0 ? 0 : node.getElementTypeNumber(name, 0);
}

static void requireResultShape(Node &node, Value y, Value x) {
  node.require(getShape(y) == getShape(x),
               "expects a scale and a zero point that broadcast to " +
                   quote(x.getType()) + " but got a result of type " +
                   quote(y.getType()));
}

void ipu::onnx::importQuantizeLinear(Node &node) {
  Value x = node.getInput(0);
  Quantization quantization =
      getQuantization(node, 1, x, node.getInt("block_size", 0));
  if (int32_t type = getOptionalType(node, "output_dtype")) {
    node.require(!quantization.zeroPoint || quantization.elementType == type,
                 "expects 'output_dtype' to be the type of the zero point, " +
                     getElementTypeName(quantization.elementType) +
                     ", but got " + getElementTypeName(type));
    quantization.elementType = type;
  }
  Type precision = node.getF32Type();
  if (getOptionalType(node, "precision"))
    precision = getPrecision(node, "precision");
  Value quotients = divide(node, x, quantization.scale, precision);
  Value y = quantizeQuotients(node, quotients, quantization,
                              node.getInt("saturate", 1) != 0);
  requireResultShape(node, y, x);
  node.setResult(y);
  node.setResultType(quantization.elementType);
}

void ipu::onnx::importDequantizeLinear(Node &node) {
  Value x = node.getInput(0);
  Quantization quantization =
      getQuantization(node, 1, x, node.getInt("block_size", 0));
  if (quantization.zeroPoint)
    node.require(getElement(quantization.zeroPoint) == getElement(x),
                 "expects a zero point of the type of the operand but got " +
                     quote(quantization.zeroPoint.getType()) + " and " +
                     quote(x.getType()));
  Type type = getElement(quantization.scale);
  int32_t number = getOptionalType(node, "output_dtype");
  if (number)
    type = getPrecision(node, "output_dtype");
  Value y = dequantize(node, x, quantization, type);
  requireResultShape(node, y, x);
  node.setResult(y);
  node.setResultType(number);
}

DynamicQuantization ipu::onnx::quantizeDynamically(Node &node, Value x) {
  node.require(getElement(x).isF32(),
               "expects an operand of type float but got " +
                   quote(x.getType()));
  Value zero = node.splatLike(0, x);
  SmallVector<int64_t> axes = getAxesFrom(0, getRank(x));
  auto getExtreme = [&](pop::ReduceKind kind) {
    return axes.empty() ? x : node.reduce(kind, x, axes);
  };
  Value low = node.min(getExtreme(pop::ReduceKind::Min), zero);
  Value high = node.max(getExtreme(pop::ReduceKind::Max), zero);
  Value most = node.splatLike(255, x);
  Value scale = node.div(node.sub(high, low), most);
  scale = node.select(node.equal(low, high), node.splatLike(1, x), scale);
  Value zeroPoint = node.div(node.sub(zero, low), scale);
  zeroPoint = node.min(node.max(zeroPoint, zero), most);
  zeroPoint = node.cast(node.create<pop::RoundOp>({zeroPoint}),
                        getElementType(TensorProto::UINT8, node.getContext()));
  Quantization quantization{scale, zeroPoint, TensorProto::UINT8};
  return {quantize(node, x, quantization), quantization};
}

static void importDynamicQuantizeLinear(Node &node) {
  DynamicQuantization y = quantizeDynamically(node, node.getInput(0));
  node.setResult(0, y.value);
  node.setResult(1, y.quantization.scale);
  node.setResult(2, y.quantization.zeroPoint);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns a parameter of the rows of a matrix, or null. A vector has an
/// element for each row.
static Value getRowParameter(Node &node, size_t input, Value matrix) {
  Value x = node.getOptionalInput(input);
  if (!x || isScalar(x))
    return getOptionalScalar(node, input);
  return getRank(x) == 1 && getRank(matrix) > 1
             ? node.reshape(x, {getDim(x, 0), 1})
             : x;
}

/// Returns a parameter of the columns of a matrix, or null.
static Value getColumnParameter(Node &node, size_t input) {
  Value x = node.getOptionalInput(input);
  return !x || isScalar(x) ? getOptionalScalar(node, input) : x;
}

Value ipu::onnx::multiplyIntegers(Node &node, Value a, Value b,
                                  size_t firstZeroPoint,
                                  size_t secondZeroPoint) {
  Value left =
      subtractZeroPoint(node, a, getRowParameter(node, firstZeroPoint, a));
  Value right =
      subtractZeroPoint(node, b, getColumnParameter(node, secondZeroPoint));
  node.require(getShape(left) == getShape(a) && getShape(right) == getShape(b),
               "expects zero points that broadcast to the operands");
  return multiplyMatrices(node, left, right);
}

static void importMatMulInteger(Node &node) {
  node.setResult(
      multiplyIntegers(node, node.getInput(0), node.getInput(1), 2, 3));
}

/// Multiplies sums of integers by the scales of their factors, and quantises
/// the results.
static Value requantize(Node &node, Value sums, Value scale,
                        const Quantization &quantization) {
  Type wide = node.getF32Type();
  Value factor = node.div(scale, node.cast(quantization.scale, wide));
  Value quotients = node.mul(node.cast(sums, wide), factor);
  return quantizeQuotients(node, quotients, quantization);
}

static void importQLinearMatMul(Node &node) {
  Type wide = node.getF32Type();
  Value a = node.getInput(0), b = node.getInput(3);
  Value sums = multiplyIntegers(node, a, b, 2, 5);
  for (size_t i : {1, 4, 6, 7})
    node.getInput(i);
  Value scale = node.cast(getRowParameter(node, 1, a), wide);
  scale = node.mul(scale, node.cast(getColumnParameter(node, 4), wide));
  Quantization quantization{getRowParameter(node, 6, a),
                            getRowParameter(node, 7, a)};
  setElementType(node, quantization, 7);
  node.setResult(requantize(node, sums, scale, quantization));
  requireResultShape(node, node.getResults().front(), sums);
}

/// Returns a parameter of the channels that `weights` compute, or null.
static Value getChannelParameter(Node &node, size_t input, Value weights) {
  Value x = node.getOptionalInput(input);
  if (!x || isScalar(x))
    return getOptionalScalar(node, input);
  node.require(getRank(x) == 1 && getDim(x, 0) == getDim(weights, 0),
               "expects input " + Twine(input) + " to be a scalar or " +
                   Twine(getDim(weights, 0)) + " elements but got " +
                   quote(x.getType()));
  return x;
}

/// Returns the convolution of integers minus their zero points.
static Value convolveIntegers(Node &node, Value x, Value weights,
                              size_t zeroPoint, size_t weightZeroPoint) {
  node.require(getRank(weights) >= 1,
               "expects weights of rank 3 or more but got " +
                   quote(weights.getType()));
  x = subtractZeroPoint(node, x, getOptionalScalar(node, zeroPoint));
  Value offset = getChannelParameter(node, weightZeroPoint, weights);
  if (offset && getRank(offset) == 1) {
    SmallVector<int64_t> shape(getRank(weights), 1);
    shape.front() = getDim(offset, 0);
    offset = node.reshape(offset, shape);
  }
  return convolve(node, x, subtractZeroPoint(node, weights, offset));
}

static void importConvInteger(Node &node) {
  node.setResult(
      convolveIntegers(node, node.getInput(0), node.getInput(1), 2, 3));
}

static void importQLinearConv(Node &node) {
  Value weights = node.getInput(3);
  Value sums = convolveIntegers(node, node.getInput(0), weights, 2, 5);
  auto align = [&](Value x) {
    return getRank(x) == 0 ? x : alignToChannels(node, x, sums);
  };
  if (Value bias = node.getOptionalInput(8))
    sums = node.add(sums, alignToChannels(node, bias, sums));
  Type wide = node.getF32Type();
  node.getInput(4);
  Value scale = node.cast(getScalar(node, 1), wide);
  Value weightScale = align(getChannelParameter(node, 4, weights));
  scale = node.mul(scale, node.cast(weightScale, wide));
  node.setResult(requantize(node, sums, scale, getScalarQuantization(node, 6)));
}

ArrayRef<OpEntry> ipu::onnx::getQuantizationOps() {
  static const OpEntry kOps[] = {
      {"ConvInteger", 10, 2, 4, 1, importConvInteger, "sums in int32"},
      {"DequantizeLinear", 10, 2, 3, 1, importDequantizeLinear,
       "in f32; per tensor, per axis and in blocks; the zero point of floats "
       "is ignored"},
      {"DynamicQuantizeLinear", 11, 1, 1, 3, importDynamicQuantizeLinear,
       "the scale of zeros is 1, as in ONNX Runtime"},
      {"MatMulInteger", 10, 2, 4, 1, importMatMulInteger, "sums in int32"},
      {"QLinearConv", 10, 8, 9, 1, importQLinearConv,
       "sums in int32, which are scaled in f32"},
      {"QLinearMatMul", 10, 8, 8, 1, importQLinearMatMul, "as `QLinearConv`"},
      {"QuantizeLinear", 10, 2, 3, 1, importQuantizeLinear,
       "as `DequantizeLinear`; without `precision`, the quotient is in f32"},
  };
  return kOps;
}
