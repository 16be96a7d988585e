//===- DoubleMath.cpp - Functions of f64 as arithmetic ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of addends of a series is the least number for which the remainder
// is less than 2^-64 of the result. The number of addends that are computed as
// pairs is the least number for which the rounding errors of the other addends
// are also less than this.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DoubleMath.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

static constexpr PairConstant kLn2 = {0x1.62e42fefa39efp-1,
                                      0x1.abc9e3b39803fp-56};

/// Below this magnitude, e^x - 1 and ln(1 + x) are computed as x and a tail.
static constexpr double kSmall = 1.0 / 256;

/// x + x^2 * tail, where the second addend is far below the first one. The sign
/// of 0 remains.
Value DoubleMath::addTail(Value x, Value tail) {
  Value y = fma(mul(x, x), tail, x);
  return copySign(y, x);
}

//===----------------------------------------------------------------------===//
// Exponential functions
//===----------------------------------------------------------------------===//

/// 2^n * e^r with n * ln(2) + r = x; a series for the latter.
DoubleMath::Power DoubleMath::getPower(Pair x) {
  // Beyond these bounds f64 is infinite or 0.
  constexpr double kBound = 800.0;
  Value isInside = compare(Predicate::OLT, abs(x.hi), real(kBound));
  x = {clamp(x.hi, -kBound, kBound), select(isInside, x.lo, real(0.0))};

  Value rounded = fma(x.hi, real(1 / kLn2.hi), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  // The first is exact: the bits that do not fit cancel.
  Pair r = sum(fma(n, real(-kLn2.hi), x.hi), fma(n, real(-kLn2.lo), x.lo));

  SmallVector<PairConstant> coefficients;
  double factorial = 1;
  for (size_t i : llvm::seq<size_t>(1, 18)) {
    coefficients.push_back(PairConstant::inverse(factorial));
    factorial *= i;
  }
  return {series(r, coefficients, /*numPairs=*/6),
          arith::SubIOp::create(b, toBits(rounded), integer(kRounderBits))};
}

/// x * 2^n, of which neither factor has to be an f64 that is no subnormal.
Value DoubleMath::scale(Value x, Value n) {
  Value half = arith::ShRSIOp::create(b, n, integer(1));
  Value rest = arith::SubIOp::create(b, n, half);
  return mul(mul(x, powerOfTwo(half)), powerOfTwo(rest));
}

DoubleMath::Pair DoubleMath::getSmallPower(Pair x) {
  Power power = getPower(x);
  return {scale(power.y.hi, power.n), scale(power.y.lo, power.n)};
}

Value DoubleMath::exp(Value x) {
  Power power = getPower(extend(x));
  return scale(power.y.hi, power.n);
}

/// e^x - 1, or a series where that cancels. The 1 does not matter to a result
/// that is near the greatest f64.
Value DoubleMath::expm1(Value x) {
  Power power = getPower(extend(x));
  Pair whole = {scale(power.y.hi, power.n), scale(power.y.lo, power.n)};
  Value y = add(whole, real(PairConstant{-1.0})).hi;
  Value isLarge = compare(Predicate::OGT, x, real(64.0));
  y = select(isLarge, whole.hi, y);

  Value tail = polynomial(x, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                              1.0 / 5040, 1.0 / 40320});
  Value isSmall = compare(Predicate::OLT, abs(x), real(kSmall));
  return select(isSmall, addTail(x, tail), y);
}

/// (1 - e^-2x) / (1 + e^-2x), or a series where that cancels.
Value DoubleMath::tanh(Value x) {
  Value magnitude = abs(x);
  Pair one = real(PairConstant{1.0});
  Pair power = getSmallPower(extend(mul(magnitude, real(-2.0))));
  Pair y = div(addOrdered(one, negate(power)), addOrdered(one, power));

  Value square = mul(magnitude, magnitude);
  Value tail = polynomial(square, {-1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835,
                                   -1382.0 / 155925, 21844.0 / 6081075});
  Value small = fma(mul(magnitude, square), tail, magnitude);
  Value isSmall = compare(Predicate::OLT, magnitude, real(1.0 / 32));
  return copySign(select(isSmall, small, y.hi), x);
}

/// e^-|x| does not overflow: for negative x, 1 / (1 + e^-x) = e^x / (1 + e^x).
Value DoubleMath::sigmoid(Value x) {
  Pair one = real(PairConstant{1.0});
  Pair power = getSmallPower(extend(negate(abs(x))));
  Value isNegative = compare(Predicate::OLT, x, real(0.0));
  return div(select(isNegative, power, one), addOrdered(one, power)).hi;
}

//===----------------------------------------------------------------------===//
// Logarithm and powers
//===----------------------------------------------------------------------===//

/// n * ln(2) + ln(m) with 2^n * m = x and m about 1; a series for the latter.
DoubleMath::Pair DoubleMath::getLog(Value x) {
  Value isSubnormal =
      compare(Predicate::OLT, x, real(std::numeric_limits<double>::min()));
  x = select(isSubnormal, mul(x, real(0x1p54)), x);
  Scaled scaled = splitExponent(x);
  Value n = sub(scaled.n, select(isSubnormal, real(54.0), real(0.0)));

  // ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
  Pair difference = extend(sub(scaled.m, real(1.0)));
  Pair s = div(difference, sum(scaled.m, real(1.0)));
  SmallVector<PairConstant> coefficients;
  for (size_t i : llvm::seq<size_t>(0, 14))
    coefficients.push_back(PairConstant::inverse(i + 0.5));
  Pair y = mul(s, series(mul(s, s), coefficients, /*numPairs=*/4));
  return add(mul(real(kLn2), extend(n)), y);
}

Value DoubleMath::log(Value x) { return selectLog(x, getLog(x).hi); }

/// The logarithm of the rounded sum 1 + x, and what the rest adds to it; or a
/// series, of which less is lost.
Value DoubleMath::log1p(Value x) {
  Pair one = sum(real(1.0), x);
  Pair y = add(getLog(one.hi), extend(div(one.lo, one.hi)));

  Value tail = polynomial(x, {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6,
                              1.0 / 7, -1.0 / 8, 1.0 / 9});
  Value isSmall = compare(Predicate::OLT, abs(x), real(kSmall));
  return select(isSmall, addTail(x, tail), selectLog(one.hi, y.hi));
}

/// e^(y ln|x|).
Value DoubleMath::pow(Value x, Value y) {
  Value magnitude = abs(x);
  Pair logarithm = getLog(magnitude);
  // ln(1) times infinity is no NaN here, and what is infinite has no rest.
  logarithm.hi = selectLog(magnitude, logarithm.hi);
  Pair exponent = product(y, logarithm.hi);
  exponent.lo = fma(y, logarithm.lo, exponent.lo);
  Value isOne = compare(Predicate::OEQ, magnitude, real(1.0));
  exponent = select(isOne, extend(real(0.0)), exponent);
  Power power = getPower(exponent);
  return selectPow(x, y, scale(power.y.hi, power.n));
}

/// A step of Newton's iteration, in which 1 - x y^2 is nearly exact.
Value DoubleMath::rsqrt(Value x) {
  Value y = div(real(1.0), math::SqrtOp::create(b, x));
  Pair root = product(x, y);
  Value negated = negate(y);
  Value error = fma(root.lo, negated, fma(root.hi, negated, real(1.0)));
  // Of 0 and infinity there is no error, and the first result is right.
  Value isNumber = compare(Predicate::ORD, error, error);
  return select(isNumber, fma(mul(y, real(0.5)), error, y), y);
}
