//===- Activations.cpp - ONNX activation functions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds activation functions from pop ops. In types narrower than f32, the
// result of each op is rounded.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// Returns operand 0. Fails if its elements are not floats, because the
/// constants of these functions have fractions.
static Value getFloatInput(Node &node) {
  Value x = node.getInput(0);
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  return x;
}

static Value less(Node &node, Value a, Value b) {
  return node.create<pop::LessOp>({a, b});
}

/// Returns a * x + b.
static Value scaleAndShift(Node &node, Value x, double a, double b) {
  Value scaled = node.mul(x, node.splatLike(a, x));
  return node.add(scaled, node.splatLike(b, x));
}

/// Returns e^x - 1.
static Value expMinusOne(Node &node, Value x) {
  Value power = node.exp(x);
  return node.sub(power, node.splatLike(1, x));
}

static Value clampToUnit(Node &node, Value x) {
  Value low = node.min(x, node.splatLike(1, x));
  return node.max(low, node.splatLike(0, x));
}

//===----------------------------------------------------------------------===//
// Rectifiers
//===----------------------------------------------------------------------===//

template <typename OpTy>
static void importUnary(Node &node) {
  node.setResult(node.create<OpTy>({node.getInput(0)}));
}

/// Returns x * slope where x is negative, and x elsewhere.
static Value selectNegative(Node &node, Value x, Value slope) {
  Value isNegative = less(node, x, node.splatLike(0, x));
  return node.select(isNegative, node.mul(x, slope), x);
}

static void importLeakyRelu(Node &node) {
  Value x = getFloatInput(node);
  Value slope = node.splatLike(node.getFloat("alpha", 0.01f), x);
  node.setResult(selectNegative(node, x, slope));
}

static void importPRelu(Node &node) {
  Value x = node.getInput(0), slope = node.getInput(1);
  // Before opset 7, operands did not broadcast: the slope had one element, or
  // one element for each channel.
  if (node.getOpset() < 7 && getRank(slope) == 1 && getRank(x) > 2 &&
      getDim(slope, 0) != 1) {
    SmallVector<int64_t> shape(getRank(x) - 1, 1);
    shape.front() = getDim(slope, 0);
    slope = node.reshape(slope, shape);
  }
  Value y = selectNegative(node, x, slope);
  node.require(getShape(y) == getShape(x),
               "expects a slope that broadcasts to " + quote(x.getType()) +
                   " but got " + quote(slope.getType()));
  node.setResult(y);
}

static void importThresholdedRelu(Node &node) {
  Value x = getFloatInput(node);
  Value alpha = node.splatLike(node.getFloat("alpha", 1), x);
  Value isAbove = less(node, alpha, x);
  node.setResult(node.select(isAbove, x, node.splatLike(0, x)));
}

/// Returns x where x is positive, and alpha * (e^x - 1) elsewhere.
static Value buildElu(Node &node, Value x, double alpha) {
  Value power = expMinusOne(node, x);
  Value negative = node.mul(power, node.splatLike(alpha, x));
  return node.select(less(node, node.splatLike(0, x), x), x, negative);
}

static void importElu(Node &node) {
  node.setResult(
      buildElu(node, getFloatInput(node), node.getFloat("alpha", 1)));
}

static void importSelu(Node &node) {
  bool isOld = node.getOpset() < 6;
  Value x = getFloatInput(node);
  float alpha = node.getFloat("alpha", isOld ? 1.6732f : 1.67326319f);
  float gamma = node.getFloat("gamma", isOld ? 1.0507f : 1.05070102f);
  Value elu = buildElu(node, x, alpha);
  node.setResult(node.mul(elu, node.splatLike(gamma, x)));
}

static void importCelu(Node &node) {
  Value x = getFloatInput(node), zero = node.splatLike(0, x);
  float alpha = node.getFloat("alpha", 1);
  Value scaled = node.div(x, node.splatLike(alpha, x));
  Value power = expMinusOne(node, scaled);
  Value negative = node.mul(power, node.splatLike(alpha, x));
  Value high = node.max(x, zero);
  node.setResult(node.add(high, node.min(negative, zero)));
}

static void importShrink(Node &node) {
  Value x = node.getInput(0), zero = node.splatLike(0, x);
  float lambda = node.getFloat("lambd", 0.5f), bias = node.getFloat("bias", 0);
  if (!isa<FloatType>(getElement(x)) &&
      (lambda != std::floor(lambda) || bias != std::floor(bias)))
    node.unsupported("fractions with integer operands");
  if (getElement(x).isUnsignedInteger())
    node.unsupported("unsigned operands");
  Value biasValue = node.splatLike(bias, x);
  Value isHigh = less(node, node.splatLike(lambda, x), x);
  Value high = node.select(isHigh, node.sub(x, biasValue), zero);
  Value isLow = less(node, x, node.splatLike(-lambda, x));
  node.setResult(node.select(isLow, node.add(x, biasValue), high));
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

static void importHardSigmoid(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(
      clampToUnit(node, scaleAndShift(node, x, node.getFloat("alpha", 0.2f),
                                      node.getFloat("beta", 0.5f))));
}

static void importHardSwish(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(
      node.mul(x, clampToUnit(node, scaleAndShift(node, x, 1. / 6, 0.5))));
}

/// Returns ln(1 + e^x), computed as max(x, 0) + ln(1 + e^-|x|), which does not
/// overflow.
static Value buildSoftplus(Node &node, Value x) {
  Value magnitude = node.create<pop::AbsOp>({x});
  Value tail = node.exp(node.create<pop::NegOp>({magnitude}));
  Value high = node.max(x, node.splatLike(0, x));
  return node.add(high, node.log(node.add(tail, node.splatLike(1, x))));
}

static void importSoftplus(Node &node) {
  node.setResult(buildSoftplus(node, getFloatInput(node)));
}

static void importSoftsign(Node &node) {
  Value x = getFloatInput(node);
  Value magnitude = node.create<pop::AbsOp>({x});
  node.setResult(node.div(x, node.add(magnitude, node.splatLike(1, x))));
}

static void importMish(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(
      node.mul(x, node.create<pop::TanhOp>({buildSoftplus(node, x)})));
}

static void importGelu(Node &node) {
  Value x = getFloatInput(node), inner;
  std::string approximate = node.getString("approximate", "none");
  if (approximate == "tanh") {
    Value cube = node.mul(node.mul(x, x), x);
    Value sum = node.add(x, node.mul(cube, node.splatLike(0.044715, x)));
    inner = node.create<pop::TanhOp>(
        {node.mul(sum, node.splatLike(std::sqrt(2 / M_PI), x))});
  } else {
    node.require(approximate == "none", "expects 'approximate' to be none or "
                                        "tanh but got '" +
                                            approximate + "'");
    inner =
        node.create<pop::ErfOp>({node.mul(x, node.splatLike(M_SQRT1_2, x))});
  }
  Value half = node.mul(x, node.splatLike(0.5, x));
  node.setResult(node.mul(half, node.add(inner, node.splatLike(1, x))));
}

ArrayRef<OpEntry> ipu::onnx::getActivationOps() {
  static const OpEntry kOps[] = {
      {"Celu", 12, 1, 1, 1, importCelu},
      {"Elu", 1, 1, 1, 1, importElu},
      {"Gelu", 20, 1, 1, 1, importGelu},
      {"HardSigmoid", 1, 1, 1, 1, importHardSigmoid},
      {"HardSwish", 14, 1, 1, 1, importHardSwish},
      {"LeakyRelu", 1, 1, 1, 1, importLeakyRelu},
      {"Mish", 18, 1, 1, 1, importMish},
      {"PRelu", 1, 2, 2, 1, importPRelu},
      {"Relu", 1, 1, 1, 1, importUnary<pop::ReluOp>},
      {"Selu", 1, 1, 1, 1, importSelu},
      {"Shrink", 9, 1, 1, 1, importShrink},
      {"Sigmoid", 1, 1, 1, 1, importUnary<pop::SigmoidOp>},
      {"Softplus", 1, 1, 1, 1, importSoftplus},
      {"Softsign", 1, 1, 1, 1, importSoftsign},
      {"Tanh", 1, 1, 1, 1, importUnary<pop::TanhOp>},
      {"ThresholdedRelu", 10, 1, 1, 1, importThresholdedRelu},
  };
  return kOps;
}
