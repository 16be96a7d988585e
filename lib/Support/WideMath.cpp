//===- WideMath.cpp - Functions of f32 as arithmetic on f64 -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/WideMath.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

static constexpr double kLn2 = 0.69314718055994530942;

/// Below this magnitude, few addends of the series of e^x - 1 and ln(1 + x) are
/// as exact as 43 bits.
static constexpr double kSmall = 1.0 / 1024;

/// 2^n * e^r with n * ln(2) + r = x; a series for the latter.
Value WideMath::exp(Value x) {
  // Beyond these bounds f32 is infinite or 0.
  x = clamp(x, -160.0, 160.0);
  Value rounded = fma(x, real(1 / kLn2), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  Value r = fma(n, real(-kLn2), x);
  Value y =
      polynomial(r, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                     1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800});
  return mul(y, powerOfTwo(toBits(rounded)));
}

/// e^x - 1, or a series where that cancels.
Value WideMath::expm1(Value x) {
  Value series = mul(x, polynomial(x, {1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24}));
  Value isSmall = compare(Predicate::OLT, abs(x), real(kSmall));
  return select(isSmall, series, sub(exp(x), real(1.0)));
}

/// n * ln(2) + ln(m) with 2^n * m = x and m about 1; a series for the latter.
Value WideMath::log(Value x) {
  auto [m, n] = splitExponent(x);
  // ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
  Value s = div(sub(m, real(1.0)), add(m, real(1.0)));
  Value series =
      polynomial(mul(s, s), {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11,
                             2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21});
  return selectLog(x, fma(n, real(kLn2), mul(s, series)));
}

/// ln(1 + x), or a series where the sum loses much of x.
Value WideMath::log1p(Value x) {
  Value series =
      mul(x, polynomial(x, {1.0, -1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5}));
  Value isSmall = compare(Predicate::OLT, abs(x), real(kSmall));
  return select(isSmall, series, log(add(real(1.0), x)));
}

/// (e^2x - 1) / (e^2x + 1), or a series where that cancels.
Value WideMath::tanh(Value x) {
  Value power = exp(add(x, x));
  Value y = div(sub(power, real(1.0)), add(power, real(1.0)));
  Value series =
      mul(x, polynomial(mul(x, x), {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315}));
  return select(compare(Predicate::OLT, abs(x), real(1.0 / 64)), series, y);
}

/// e^(y ln|x|).
Value WideMath::pow(Value x, Value y) {
  Value magnitude = abs(x);
  // ln(1) times infinity is no NaN here.
  Value product = select(compare(Predicate::OEQ, magnitude, real(1.0)),
                         real(0.0), mul(y, log(magnitude)));
  return selectPow(x, y, exp(product));
}

/// The quarter turns in x, modulo 4, for any x of f32: as a rounded number and
/// what it lacks.
PairBuilder::Pair WideMath::getTurns(Value x) {
  // 2 / pi in pieces of 29 bits, whose products with 24 bits are exact. So are
  // the multiples of 4 that are taken away from the products.
  constexpr int64_t kPieces[] = {341782637, 423170132, 352195499, 488592205,
                                 461485765, 90590992,  478285810};
  Pair turns;
  int exponent = 0;
  for (int64_t piece : kPieces) {
    exponent -= 29;
    Value product =
        mul(x, real(std::ldexp(static_cast<double>(piece), exponent)));
    Value whole = math::RoundEvenOp::create(b, mul(product, real(0.25)));
    product = fma(whole, real(-4.0), product);
    if (!turns.hi) {
      turns = extend(product);
      continue;
    }
    Pair next = sum(turns.hi, product);
    turns = {next.hi, add(turns.lo, next.lo)};
  }
  return turns;
}

/// x = n * pi / 2 + r; series for r, chosen by n modulo 4.
Value WideMath::sin(Value x, bool isCosine) {
  constexpr double kHalfPi = 1.5707963267948966192;
  constexpr double kHalfPiRest = 6.1232339957367660359e-17;
  Value rounded = fma(x, real(1 / kHalfPi), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  // The first is exact: the bits that do not fit cancel.
  Value r = fma(n, real(-kHalfPi), x);
  r = fma(n, real(-kHalfPiRest), r);

  // Where n is not exact, turns are counted modulo 4 from the start.
  auto [turns, rest] = getTurns(x);
  Value roundedTurns = add(turns, real(kRounder));
  Value part = add(sub(turns, sub(roundedTurns, real(kRounder))), rest);
  Value isLarge = compare(Predicate::OGT, abs(x), real(std::ldexp(1.0, 40)));
  rounded = select(isLarge, roundedTurns, rounded);
  r = select(isLarge, mul(part, real(kHalfPi)), r);

  Value square = mul(r, r);
  Value sine = mul(
      r, polynomial(square, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040,
                             1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800}));
  Value cosine =
      polynomial(square, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
                          -1.0 / 3628800, 1.0 / 479001600});

  return selectQuadrant(toBits(rounded), sine, cosine, isCosine);
}
