//===- Activations.cpp - ONNX activation functions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds activation functions from pop ops. Where rounding the result of each
// op to a type narrower than f32 would lose too much, f32 is used inside.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"

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

Value ipu::onnx::scaleAndShift(Node &node, Value x, double a, double b) {
  Value scaled = node.mul(x, node.splatLike(a, x));
  return node.add(scaled, node.splatLike(b, x));
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
  Value isNegative = node.less(x, node.splatLike(0, x));
  return node.select(isNegative, node.mul(x, slope), x);
}

Value ipu::onnx::buildLeakyRelu(Node &node, Value x, double alpha) {
  return selectNegative(node, x, node.splatLike(alpha, x));
}

static void importLeakyRelu(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(buildLeakyRelu(node, x, node.getFloat("alpha", 0.01f)));
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

Value ipu::onnx::buildThresholdedRelu(Node &node, Value x, double alpha) {
  Value isAbove = node.less(node.splatLike(alpha, x), x);
  return node.select(isAbove, x, node.splatLike(0, x));
}

static void importThresholdedRelu(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(buildThresholdedRelu(node, x, node.getFloat("alpha", 1)));
}

Value ipu::onnx::buildElu(Node &node, Value x, double alpha, double scale) {
  Value zero = node.splatLike(0, x);
  Value isPositive = node.less(zero, x);
  Value negative = node.select(isPositive, zero, x);
  if (scale != 1)
    negative = node.div(negative, node.splatLike(scale, x));
  Value power = node.create<pop::Expm1Op>({negative});
  return node.select(isPositive, x, node.mul(power, node.splatLike(alpha, x)));
}

static void importElu(Node &node) {
  double alpha = node.getFloat("alpha", 1);
  node.setResult(buildWide(node, getFloatInput(node),
                           [&](Value x) { return buildElu(node, x, alpha); }));
}

static void importSelu(Node &node) {
  bool isOld = node.getOpset() < 6;
  float alpha = node.getFloat("alpha", isOld ? 1.6732f : 1.67326319f);
  float gamma = node.getFloat("gamma", isOld ? 1.0507f : 1.05070102f);
  node.setResult(buildWide(node, getFloatInput(node), [&](Value x) {
    return node.mul(buildElu(node, x, alpha), node.splatLike(gamma, x));
  }));
}

static void importCelu(Node &node) {
  Value x = getFloatInput(node);
  double alpha = node.getFloat("alpha", 1);
  // What x / alpha is rounded by matters to the exponential in the gradient, so
  // that the quotient is computed in f64 unless it is exact.
  int exponent;
  bool isExact = std::abs(std::frexp(alpha, &exponent)) == 0.5;
  bool isSingle = getElement(x).isF32();
  Type type = getElement(x);
  if (isSingle && !isExact)
    x = node.cast(x, node.getF64Type());
  Value y = buildWide(node, x, [&](Value wide) {
    return buildElu(node, wide, alpha, /*scale=*/alpha);
  });
  node.setResult(node.cast(y, type));
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
  Value isHigh = node.less(node.splatLike(lambda, x), x);
  Value high = node.select(isHigh, node.sub(x, biasValue), zero);
  Value isLow = node.less(x, node.splatLike(-lambda, x));
  node.setResult(node.select(isLow, node.add(x, biasValue), high));
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

Value ipu::onnx::buildHardSigmoid(Node &node, Value x, double alpha,
                                  double beta) {
  return clampToUnit(node, scaleAndShift(node, x, alpha, beta));
}

static void importHardSigmoid(Node &node) {
  Value x = getFloatInput(node);
  node.setResult(buildHardSigmoid(node, x, node.getFloat("alpha", 0.2f),
                                  node.getFloat("beta", 0.5f)));
}

/// Returns x where it is not below `low`, and `low` elsewhere. Unlike that of a
/// maximum, the gradient at `low` is not shared.
static Value boundBelow(Node &node, Value x, double low) {
  Value bound = node.splatLike(low, x);
  return node.select(node.less(x, bound), bound, x);
}

/// Builds x * clamp(x / 6 + 0.5). Below -3, the factor is 0. The bound changes
/// the product only for an infinite x, for which it would be NaN.
static void importHardSwish(Node &node) {
  node.setResult(buildWide(node, getFloatInput(node), [&](Value x) {
    Value share = clampToUnit(node, scaleAndShift(node, x, 1. / 6, 0.5));
    return node.mul(boundBelow(node, x, -3), share);
  }));
}

static Value negateMagnitude(Node &node, Value x) {
  return node.neg(node.abs(x));
}

Value ipu::onnx::buildSoftplus(Node &node, Value x) {
  Value tail = node.exp(negateMagnitude(node, x));
  Value high = node.max(x, node.splatLike(0, x));
  return node.add(high, node.create<pop::Log1pOp>({tail}));
}

Value ipu::onnx::buildSoftsign(Node &node, Value x) {
  Value one = node.splatLike(1, x);
  Value magnitude = node.abs(x);
  Value ratio = node.create<pop::ReciprocalOp>({node.add(magnitude, one)});
  Value large = node.mul(node.create<pop::SignOp>({x}), node.sub(one, ratio));
  Value isSmall = node.less(magnitude, one);
  Value small = node.select(isSmall, x, node.splatLike(0, x));
  return node.select(isSmall, node.mul(small, ratio), large);
}

/// Imports a function without parameters that is computed in f32 for narrower
/// floats.
template <Value (*build)(Node &, Value)>
static void importWide(Node &node) {
  node.setResult(buildWide(node, getFloatInput(node),
                           [&](Value x) { return build(node, x); }));
}

/// Builds x * tanh(ln(1 + e^x)). With n = e^-|x|, the tanh is n (1 - (n^2 + n)
/// / (n^2 + 2n + 2)) for negative x and 1 - 2n^2 / (2n^2 + 2n + 1) for others:
/// the slope of a tanh near 1 would cancel. Where n may be denormal although
/// the result is not, n is e^(44 - |x|), times e^-44 at the end. Above 64, the
/// result is x, and nothing is multiplied by x in the gradient. Below -800, the
/// result is 0 in all types. Bounds keep infinite x out of products.
static Value buildMish(Node &node, Value argument) {
  Value high = node.splatLike(64, argument);
  Value isLarge = node.less(high, argument);
  Value x = node.select(isLarge, high, boundBelow(node, argument, -800));
  Value one = node.splatLike(1, x);
  Value exponent = negateMagnitude(node, x);
  Value isNegative = node.less(x, node.splatLike(0, x));
  Value isFar = node.less(exponent, node.splatLike(-64, x));
  Value most = node.splatLike(44, x);
  Value shift = node.select(isFar, most, node.splatLike(0, x));
  Value factor = node.select(isFar, node.splatLike(std::exp(-44.0), x), one);
  Value power = node.exp(node.add(exponent, shift));
  Value n = node.mul(power, factor), square = node.mul(n, n);
  auto choose = [&](Value ofNegative, Value other) {
    return node.select(isNegative, ofNegative, other);
  };
  Value part = node.add(square, choose(n, square));
  Value ofPower = choose(n, node.add(n, n));
  Value rest = node.add(ofPower, choose(node.splatLike(2, x), one));
  Value share = node.sub(one, node.div(part, node.add(part, rest)));
  Value product = node.mul(node.mul(x, choose(power, one)), share);
  Value y = node.mul(product, choose(factor, one));
  return node.select(isLarge, argument, y);
}

static void importGelu(Node &node) {
  Value x = getFloatInput(node);
  std::string approximate = node.getString("approximate", "none");
  node.require(approximate == "none" || approximate == "tanh",
               "expects 'approximate' to be none or tanh but got '" +
                   approximate + "'");
  SmallVector<NamedAttribute> attrs;
  if (approximate == "tanh")
    attrs.push_back(node.attr("approximate", node.getUnitAttr()));
  node.setResult(node.create<pop::GeluOp>({x}, attrs));
}

/// Builds x * sigmoid(alpha * x). A factor 0 gives 0, also for infinite x.
static void importSwish(Node &node) {
  double alpha = node.getFloat("alpha", 1);
  node.setResult(buildWide(node, getFloatInput(node), [&](Value x) {
    Value slope =
        node.create<pop::SigmoidOp>({node.mul(x, node.splatLike(alpha, x))});
    Value zero = node.splatLike(0, x);
    return node.select(node.equal(slope, zero), zero, node.mul(x, slope));
  }));
}

ArrayRef<OpEntry> ipu::onnx::getActivationOps() {
  static const OpEntry kOps[] = {
      {"Celu", 12, 1, 1, 1, importCelu,
       "in f32 for narrower floats; in f64 for f32 if `alpha` is not a power "
       "of two"},
      {"Elu", 1, 1, 1, 1, importElu, "in f32 for narrower floats"},
      {"Gelu", 20, 1, 1, 1, importGelu, "`pop.gelu`, in both forms"},
      {"HardSigmoid", 1, 1, 1, 1, importHardSigmoid},
      {"HardSwish", 14, 1, 1, 1, importHardSwish, "in f32 for narrower floats"},
      {"LeakyRelu", 1, 1, 1, 1, importLeakyRelu},
      {"Mish", 18, 1, 1, 1, importWide<buildMish>,
       "in f32 for narrower floats"},
      {"PRelu", 1, 2, 2, 1, importPRelu},
      {"Relu", 1, 1, 1, 1, importUnary<pop::ReluOp>},
      {"Selu", 1, 1, 1, 1, importSelu, "in f32 for narrower floats"},
      {"Shrink", 9, 1, 1, 1, importShrink, "no unsigned integers"},
      {"Sigmoid", 1, 1, 1, 1, importUnary<pop::SigmoidOp>},
      {"Softplus", 1, 1, 1, 1, importWide<buildSoftplus>,
       "in f32 for narrower floats"},
      {"Softsign", 1, 1, 1, 1, importWide<buildSoftsign>,
       "in f32 for narrower floats"},
      {"Swish", 24, 1, 1, 1, importSwish, "in f32 for narrower floats"},
      {"Tanh", 1, 1, 1, 1, importUnary<pop::TanhOp>},
      {"ThresholdedRelu", 10, 1, 1, 1, importThresholdedRelu},
  };
  return kOps;
}
