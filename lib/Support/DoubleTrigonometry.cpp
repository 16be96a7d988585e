//===- DoubleTrigonometry.cpp - Sine and cosine of f64 ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are reduced by the algorithm of M. H. Payne and R. N. Hanek, Radian
// reduction for trigonometric functions, ACM SIGNUM Newsletter 18 (1983). Of
// the product with 2 / pi, the bits of multiples of 4 and the bits that are too
// small are not computed. Except for 0, no f64 is closer than 2^-62 to a
// multiple of pi / 2, so at least 75 of the 190 bits that remain after the bits
// of the quadrant are significant.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DoubleMath.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

static constexpr PairConstant kHalfPi = {0x1.921fb54442d18p+0,
                                         0x1.1a62633145c07p-54};

/// The bits of 2 / pi, after 64 that are 0.
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0,
    0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
    0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};

/// 1/2 has this biased exponent, which is the least that is reduced. Its last
/// bit is 2^-53, and the bits of 2 / pi from 2^53 on would matter.
static constexpr int64_t kLeastExponent = 1022;
static constexpr int64_t kStartOfLeast = 64 - 55;

SmallVector<Value> DoubleMath::getBitsOfTwoOverPi(Value exponent) {
  Value start = addInteger(exponent, integer(kStartOfLeast - kLeastExponent));
  // Four words from word number start / 64: skip 16 words or not, then 8, ...
  SmallVector<Value> words;
  for (uint64_t word : kTwoOverPi)
    words.push_back(integer(word));
  for (size_t step = 16; step > 0; step /= 2) {
    Value isSkipped = hasBits(start, 64 * step);
    for (size_t i = 0; i + step < words.size(); ++i)
      words[i] = select(isSkipped, words[i + step], words[i]);
    words.truncate(std::min(words.size(), step + 3));
  }

  Value shift = both(start, integer(63));
  Value complement = arith::SubIOp::create(b, integer(63), shift);
  SmallVector<Value> halves;
  for (int i : {2, 1, 0}) {
    Value next = shiftRight(shiftRight(words[i + 1], integer(1)), complement);
    Value word = either(shiftLeft(words[i], shift), next);
    halves.push_back(both(word, integer(0xFFFFFFFF)));
    halves.push_back(shiftRight(word, integer(32)));
  }
  return halves;
}

SmallVector<Value> DoubleMath::getQuarterTurns(Value x) {
  Value thirtyTwo = integer(32), mask = integer(0xFFFFFFFF);
  Value bits = toBits(x);
  Value mantissa = either(both(bits, integer((int64_t(1) << 52) - 1)),
                          integer(int64_t(1) << 52));
  std::array<Value, 2> halves = {both(mantissa, mask),
                                 shiftRight(mantissa, thirtyTwo)};
  SmallVector<Value> factor = getBitsOfTwoOverPi(shiftRight(bits, integer(52)));
  SmallVector<Value> digits(factor.size(), integer(0));
  for (auto [first, half] : llvm::enumerate(halves)) {
    Value carry = integer(0);
    for (size_t i = first; i < digits.size(); ++i) {
      Value term = arith::MulIOp::create(b, half, factor[i - first]);
      Value total = addInteger(term, addInteger(digits[i], carry));
      digits[i] = both(total, mask);
      carry = shiftRight(total, thirtyTwo);
    }
  }
  return digits;
}

DoubleMath::Turns DoubleMath::getTurns(Value x) {
  SmallVector<Value> digits = getQuarterTurns(x);
  // The nearest number of quarter turns; the last digit becomes signed.
  constexpr int64_t kHalf = int64_t(1) << 29;
  Value raised = addInteger(digits.back(), integer(kHalf));
  digits.back() =
      addInteger(both(raised, integer(2 * kHalf - 1)), integer(-kHalf));
  Pair turns = extend(real(0.0));
  for (auto [i, digit] : llvm::enumerate(digits)) {
    Value number = arith::SIToFPOp::create(b, b.getF64Type(), digit);
    number = mul(number, real(std::ldexp(1.0, 32 * static_cast<int>(i) - 190)));
    Pair next = sum(number, turns.hi);
    turns = {next.hi, add(next.lo, turns.lo)};
  }
  turns = sumOfOrdered(turns.hi, turns.lo);
  return {shiftRight(raised, integer(30)), mul(turns, real(kHalfPi))};
}

/// |x| = n * pi / 2 + r; series for r, chosen by n modulo 4.
Value DoubleMath::sin(Value x, bool isCosine) {
  Value magnitude = abs(x);
  Turns turns = getTurns(magnitude);
  Value isSmall = compare(Predicate::OLT, magnitude, real(0.5));
  Value n = select(isSmall, integer(0), turns.n);
  Pair r = select(isSmall, extend(magnitude), turns.r);

  SmallVector<PairConstant> ofSine, ofCosine;
  double factorial = 1;
  for (size_t i : llvm::seq<size_t>(0, 11)) {
    ofCosine.push_back(PairConstant::inverse(factorial));
    factorial *= 2 * i + 1;
    ofSine.push_back(PairConstant::inverse(factorial));
    factorial *= -static_cast<double>(2 * i + 2);
  }
  Pair square = mul(r, r);
  Pair sine = mul(series(square, ofSine, /*numPairs=*/4), r);
  Pair cosine = series(square, ofCosine, /*numPairs=*/4);

  Value y = selectQuadrant(n, sine.hi, cosine.hi, isCosine);
  if (!isCosine)
    y = mul(y, copySign(real(1.0), x));
  Value isFinite = compare(Predicate::OLT, magnitude, real(kInfinity));
  return select(isFinite, y, real(kNaN));
}
