//===- DoubleBuilder.cpp - Builder of f64 arithmetic ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DoubleBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

DoubleBuilder::Scaled DoubleBuilder::splitExponent(Value x) {
  // The bits of sqrt(1/2): m is between that and twice as much.
  constexpr int64_t kLeast = 0x3FE6A09E667F3BCD;
  Value bits = toBits(x);
  Value offset = arith::SubIOp::create(b, bits, integer(kLeast));
  Value exponent = arith::ShRSIOp::create(b, offset, integer(52));
  Value shifted = shiftLeft(exponent, integer(52));
  Value m = fromBits(arith::SubIOp::create(b, bits, shifted));
  Value rounded = addInteger(exponent, integer(kRounderBits));
  return {m, sub(fromBits(rounded), real(kRounder))};
}

Value DoubleBuilder::selectLog(Value x, Value y) {
  Value zero = real(0.0);
  // Infinity and NaN give themselves.
  y = select(compare(Predicate::OLT, x, real(kInfinity)), y, x);
  y = select(compare(Predicate::OLT, x, zero), real(kNaN), y);
  return select(compare(Predicate::OEQ, x, zero), real(-kInfinity), y);
}

Value DoubleBuilder::selectPow(Value x, Value y, Value power) {
  Value zero = real(0.0), one = real(1.0);
  Value half = mul(y, real(0.5));
  Value isInteger = compare(Predicate::OEQ, floor(y), y);
  Value isHalf = compare(Predicate::UNE, floor(half), half);
  Value sign = copySign(one, x);
  Value isNegative =
      both(compare(Predicate::OLT, sign, zero), both(isInteger, isHalf));
  Value result = select(isNegative, negate(power), power);

  // A negative number has a power if the exponent is an integer or infinite.
  Value isBelow = both(compare(Predicate::OLT, x, zero),
                       compare(Predicate::OGT, x, real(-kInfinity)));
  Value isFraction = compare(Predicate::ONE, floor(y), y);
  Value isNaN =
      either(both(isBelow, isFraction), compare(Predicate::UNO, x, y));
  result = select(isNaN, real(kNaN), result);
  return select(
      either(compare(Predicate::OEQ, x, one), compare(Predicate::OEQ, y, zero)),
      one, result);
}

Value DoubleBuilder::selectQuadrant(Value n, Value sine, Value cosine,
                                    bool isCosine) {
  if (isCosine)
    n = addInteger(n, integer(1));
  Value y = select(hasBits(n, 1), cosine, sine);
  return select(hasBits(n, 2), negate(y), y);
}
