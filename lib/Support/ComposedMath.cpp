//===- ComposedMath.cpp - Functions of other functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/ComposedMath.h"

using namespace mlir;
using namespace mlir::ipu;

static constexpr double kLn2 = 0.69314718055994530942;
/// 1 / sqrt(2 pi).
static constexpr double kNormalFactor = 0.39894228040143267794;

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

template <typename Base>
std::pair<Value, Value> ComposedMath<Base>::getHalfPowers(Value x) {
  Value half = mul(x, real(0.5));
  return {Base::expm1(half), Base::expm1(negate(half))};
}

/// 2 sinh(x/2) cosh(x/2): the addends of the former have opposite signs.
template <typename Base>
Value ComposedMath<Base>::sinh(Value x) {
  auto [power, inverse] = getHalfPowers(x);
  Value sum = add(add(power, inverse), real(2.0));
  Value y = mul(sub(power, inverse), mul(sum, real(0.5)));
  // Of -0 the difference is 0.
  return copySign(y, x);
}

/// 1 + 2 sinh(x/2)^2.
template <typename Base>
Value ComposedMath<Base>::cosh(Value x) {
  auto [power, inverse] = getHalfPowers(x);
  Value twice = sub(power, inverse);
  return fma(mul(twice, real(0.5)), twice, real(1.0));
}

template <typename Base>
Value ComposedMath<Base>::logOfTwice(Value x) {
  return add(Base::log(x), real(kLn2));
}

/// Above this bound, x^2 + 1 and x^2 - 1 are x^2 when rounded, which may
/// overflow.
static constexpr double kLarge = 0x1p28;

/// ln(x + sqrt(x^2 + 1)) for positive x. sqrt(x^2 + 1) - 1 does not cancel as
/// x^2 / (1 + sqrt(x^2 + 1)).
template <typename Base>
Value ComposedMath<Base>::asinh(Value x) {
  Value magnitude = abs(x), one = real(1.0);
  Value square = mul(magnitude, magnitude);
  Value root = math::SqrtOp::create(this->b, add(square, one));
  Value small = Base::log1p(add(magnitude, div(square, add(one, root))));
  Value isLarge = compare(Predicate::OGT, magnitude, real(kLarge));
  return copySign(select(isLarge, logOfTwice(magnitude), small), x);
}

/// ln(x + sqrt(x^2 - 1)), with t = x - 1.
template <typename Base>
Value ComposedMath<Base>::acosh(Value x) {
  Value t = sub(x, real(1.0));
  Value root = math::SqrtOp::create(this->b, mul(t, add(t, real(2.0))));
  Value small = Base::log1p(add(t, root));
  Value isLarge = compare(Predicate::OGT, x, real(kLarge));
  Value y = select(isLarge, logOfTwice(x), small);
  return select(compare(Predicate::OLT, t, real(0.0)), real(Base::kNaN), y);
}

/// ln((1 + x) / (1 - x)) / 2 for positive x.
template <typename Base>
Value ComposedMath<Base>::atanh(Value x) {
  Value magnitude = abs(x);
  Value twice = add(magnitude, magnitude);
  Value quotient = div(twice, sub(real(1.0), magnitude));
  return copySign(mul(Base::log1p(quotient), real(0.5)), x);
}

//===----------------------------------------------------------------------===//
// Gaussian error linear units
//===----------------------------------------------------------------------===//

/// Coefficients of t = (x - 5) / (x + 5) in the polynomial that is (1 + x)
/// e^(x^2 / 2) (1 - Phi(x)) at the 26 Chebyshev nodes of t from -1 to 1, where
/// Phi is the normal distribution function. Its relative error is less than
/// 2^-56.
static constexpr double kTail[] = {
    0.46151582985003775,    -0.09155228183400893,    0.031030368425962844,
    0.010002352385218169,   -0.02640104296626704,    0.024536963244023977,
    -0.015170415403285136,  0.006522000662851702,    -0.0016760723371271953,
    7.791636859943436e-06,  0.0001823341028652302,   -5.3607776185922885e-05,
    -9.89594540430633e-06,  9.060454824802869e-06,   -7.070806925560122e-08,
    -1.308816747382997e-06, 1.2845077470793602e-07,  1.982898587868785e-07,
    -2.688493832599391e-08, -3.292828921044043e-08,  4.024418974135144e-09,
    5.643277119252282e-09,  -4.3346022158581036e-10, -8.332241825792283e-10,
    2.5208288739575455e-11, 7.225746688000291e-11};

/// Beyond these bounds, the weight is 0.
template <typename Base>
Value ComposedMath<Base>::clampNormal(Value x) {
  return clamp(x, -64.0, 64.0);
}

template <typename Base>
typename ComposedMath<Base>::Tail ComposedMath<Base>::getTail(Value x) {
  Value magnitude = abs(x);
  // What the square is rounded by matters to its exponential.
  Value square = mul(x, x);
  Value rest = fma(x, x, negate(square));
  Value power = Base::exp(mul(square, real(-0.5)));
  Value weight = fma(mul(power, real(-0.5)), rest, power);
  Value t = div(sub(magnitude, real(5.0)), add(magnitude, real(5.0)));
  Value scaled = div(polynomial(t, kTail), add(magnitude, real(1.0)));
  return {weight, mul(weight, scaled)};
}

template <typename Base>
Value ComposedMath<Base>::gelu(Value x) {
  Value bounded = clampNormal(x);
  Tail tail = getTail(bounded);
  Value isNegative = compare(Predicate::OLT, x, real(0.0));
  return select(isNegative, mul(bounded, tail.share),
                mul(x, sub(real(1.0), tail.share)));
}

/// Phi(x) + x Phi'(x).
template <typename Base>
Value ComposedMath<Base>::geluSlope(Value x) {
  x = clampNormal(x);
  Tail tail = getTail(x);
  Value isNegative = compare(Predicate::OLT, x, real(0.0));
  Value share = select(isNegative, tail.share, sub(real(1.0), tail.share));
  return fma(mul(x, real(kNormalFactor)), tail.weight, share);
}

/// v = x (kLinear + kCubic x^2).
static constexpr double kLinear = 1.5957691216057308;
static constexpr double kCubic = kLinear * 0.044715;

template <typename Base>
std::pair<Value, Value> ComposedMath<Base>::getGates(Value x) {
  Value one = real(1.0);
  Value factor = fma(mul(x, x), real(kCubic), real(kLinear));
  Value power = Base::exp(negate(abs(mul(x, factor))));
  Value divisor = add(one, power);
  Value greater = div(one, divisor), less = div(power, divisor);
  Value isNegative = compare(Predicate::OLT, x, real(0.0));
  return {select(isNegative, less, greater), select(isNegative, greater, less)};
}

template <typename Base>
Value ComposedMath<Base>::tanhGelu(Value x) {
  Value bounded = clampNormal(x);
  Value gate = getGates(bounded).first;
  Value isNegative = compare(Predicate::OLT, x, real(0.0));
  return mul(select(isNegative, bounded, x), gate);
}

template <typename Base>
Value ComposedMath<Base>::tanhGeluSlope(Value x) {
  x = clampNormal(x);
  auto [gate, rest] = getGates(x);
  Value slope = fma(mul(x, x), real(3 * kCubic), real(kLinear));
  return fma(mul(mul(x, slope), rest), gate, gate);
}

template class mlir::ipu::ComposedMath<DoubleMath>;
template class mlir::ipu::ComposedMath<WideMath>;
