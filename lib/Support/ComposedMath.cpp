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
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// For c = 0, 1/2 or 1, the inverse tangent of c plus that of t = (less - c *
/// more) / (more + c * less). The former is a constant, and the series of the
/// latter converges fast, because |t| is less than 1/4. Both differences are
/// rounded once.
template <typename Base>
Value ComposedMath<Base>::getSmallAngle(Value less, Value more) {
  Value zero = real(0.0);
  Value c = zero, angle = zero, rest = zero;
  struct Center {
    double c, start, angle, rest;
  };
  for (auto [center, start, ofCenter, restOfCenter] :
       {Center{0.5, 0.25, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        Center{1.0, 0.75, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}) {
    Value isBeyond = compare(Predicate::OGE, less, mul(more, real(start)));
    c = select(isBeyond, real(center), c);
    angle = select(isBeyond, real(ofCenter), angle);
    rest = select(isBeyond, real(restOfCenter), rest);
  }
  Value t = div(fma(negate(c), more, less), fma(c, less, more));
  Value square = mul(t, t);
  Value tail = polynomial(square, {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9,
                                   -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17,
                                   -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25});
  Value cube = mul(square, t);
  return add(angle, add(t, fma(cube, tail, rest)));
}

/// The angle of the point to the nearest axis, added to that of the axis.
template <typename Base>
Value ComposedMath<Base>::atan2(Value y, Value x) {
  constexpr double kPi = 0x1.921fb54442d18p1, kPiRest = 0x1.1a62633145c07p-53;
  Value width = abs(x), height = abs(y), zero = real(0.0);
  Value isSteep = compare(Predicate::OGT, height, width);
  Value more = select(isSteep, height, width);
  Value less = select(isSteep, width, height);
  // Points at infinity are at multiples of pi / 4.
  Value isFar = compare(Predicate::OEQ, more, real(Base::kInfinity));
  Value isDiagonal = compare(Predicate::OEQ, less, more);
  less = select(isFar, select(isDiagonal, real(1.0), zero), less);
  more = select(isFar, real(1.0), more);
  // Multiples of neither number overflow or lose digits.
  Value scale = select(compare(Predicate::OGT, more, real(0x1p1000)),
                       real(0x1p-100), real(1.0));
  scale = select(compare(Predicate::OLT, more, real(0x1p-800)), real(0x1p200),
                 scale);
  less = mul(less, scale);
  more = mul(more, scale);
  Value isOrigin = compare(Predicate::OEQ, more, zero);
  more = select(isOrigin, real(1.0), more);

  // The nearest axis is at 0, pi / 2 or pi.
  auto isNegative = [&](Value value) {
    return compare(Predicate::OLT, copySign(real(1.0), value), zero);
  };
  Value isLeft = isNegative(x);
  auto selectAxis = [&](double pi) {
    return select(isSteep, real(pi / 2), select(isLeft, real(pi), zero));
  };
  Value angle = getSmallAngle(less, more);
  Value isBefore = arith::XOrIOp::create(this->b, isSteep, isLeft);
  angle = select(isBefore, negate(angle), angle);
  angle = add(selectAxis(kPi), add(angle, selectAxis(kPiRest)));
  angle = select(isNegative(y), negate(angle), angle);
  return select(compare(Predicate::UNO, x, y), real(Base::kNaN), angle);
}

template <typename Base>
Value ComposedMath<Base>::atan(Value x) {
  return atan2(x, real(1.0));
}

/// Neither factor cancels.
template <typename Base>
Value ComposedMath<Base>::getOtherLeg(Value x) {
  Value one = real(1.0);
  return math::SqrtOp::create(this->b, mul(sub(one, x), add(one, x)));
}

template <typename Base>
Value ComposedMath<Base>::asin(Value x) {
  return atan2(x, getOtherLeg(x));
}

template <typename Base>
Value ComposedMath<Base>::acos(Value x) {
  return atan2(getOtherLeg(x), x);
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
