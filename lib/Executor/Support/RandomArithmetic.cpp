//===- RandomArithmetic.cpp - Random numbers as arith ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomArithmetic.h"

#include "ipu-mlir/Executor/Support/RandomBits.h"

using namespace mlir;
using namespace mlir::ipu;

std::array<Value, 4> mlir::ipu::buildPhilox(ImplicitLocOpBuilder &b,
                                            std::array<Value, 2> key,
                                            std::array<Value, 4> counter) {
  Words w32(b, 32), w64(b, 64);
  Value even = w64.get(0xD2511F53), odd = w64.get(0xCD9E8D57);
  Value steps[2] = {w32.get(0x9E3779B9), w32.get(0xBB67AE85)};
  for (int round = 0; round < 10; ++round) {
    Value evens = w64.mul(w64.get(counter[0]), even);
    Value odds = w64.mul(w64.get(counter[2]), odd);
    auto mix = [&](Value product, Value word, Value keyWord) {
      Value high = w32.get(w64.shr(product, 32));
      return w32.bitXOr(w32.bitXOr(high, word), keyWord);
    };
    counter = {mix(odds, counter[1], key[0]), w32.get(odds),
               mix(evens, counter[3], key[1]), w32.get(evens)};
    for (int i = 0; i < 2; ++i)
      key[i] = w32.add(key[i], steps[i]);
  }
  return counter;
}

StreamDraw mlir::ipu::buildStreamDraw(ImplicitLocOpBuilder &b, Value s0,
                                      Value s1) {
  Words w(b, 64);
  Value x = w.bitXOr(s0, s1), a = w.bitAnd(s0, s1);
  Value once = w.rotl(a, 1), twice = w.rotl(a, 2);
  Value drawn = w.bitXOr(x, w.bitOr(once, twice));
  Value next = w.bitXOr(w.rotl(s0, 55), x);
  return {drawn, w.bitXOr(next, w.shl(x, 14)), w.rotl(x, 36)};
}

/// On 64 bits; roundStochastic() says why.
Value mlir::ipu::buildRounding(ImplicitLocOpBuilder &b, RoundStochasticOp op) {
  Words w(b, 64);
  auto type = cast<FloatType>(op.getInput().getType());
  RoundedFormat format = getRoundedFormat(op.getType());
  unsigned width = type.getWidth();
  unsigned mantissaBits = type.getFPMantissaWidth() - 1;
  int64_t bias = width == 64 ? 1023 : 127;
  uint64_t signBit = uint64_t(1) << (width - 1);
  uint64_t implicitBit = uint64_t(1) << mantissaBits;
  Value zero = w.get(uint64_t(0)), one = w.get(1);
  Value bits = w.get(
      arith::BitcastOp::create(b, b.getIntegerType(width), op.getInput()));
  Value magnitude = w.bitAnd(bits, w.get(signBit - 1));
  Value exponent = w.shr(magnitude, mantissaBits);
  Value significand = w.bitAnd(magnitude, w.get(implicitBit - 1));
  significand = w.select(w.isEqual(exponent, zero), significand,
                         w.bitOr(significand, w.get(implicitBit)));
  Value above = w.sub(w.maxSigned(exponent, one),
                      w.get(static_cast<uint64_t>(bias + format.minExponent)));
  Value dropped = w.add(w.maxSigned(w.sub(zero, above), zero),
                        w.get(mantissaBits - format.mantissaBits));
  Value whole = w.shr(significand, dropped);
  Value rest = w.sub(significand, w.shl(whole, dropped));
  Value threshold = width == 64 ? w.shr(rest, w.sub(dropped, w.get(32)))
                                : w.shr(w.shl(rest, 32), dropped);
  Value isUp = w.isLess(w.get(op.getBits()), threshold);
  Value result =
      w.add(w.add(w.shl(w.maxSigned(above, zero), format.mantissaBits), whole),
            w.get(isUp));

  Value largest = w.get(format.largest), nan = w.get(format.nan);
  Value sign = w.shl(w.shr(bits, width - 1), format.width - 1);
  Value overflows = w.isLess(largest, result);
  bool clips = op.getOverflow() == RoundingOverflow::Clip;
  if (clips)
    result = w.select(overflows, largest, result);
  Value withSign = w.bitOr(sign, result);
  if (!format.hasNegativeZero)
    withSign = w.select(w.isEqual(result, zero), zero, withSign);
  if (!clips)
    withSign = w.select(overflows, nan, withSign);
  Value infinity =
      w.get(((uint64_t(1) << (width - 1 - mantissaBits)) - 1) << mantissaBits);
  Value infinite = format.infinity == format.nan
                       ? nan
                       : w.bitOr(sign, w.get(format.infinity));
  withSign = w.select(w.isEqual(magnitude, infinity), infinite, withSign);
  withSign = w.select(w.isLess(infinity, magnitude), nan, withSign);
  return arith::BitcastOp::create(b, op.getType(),
                                  Words(b, format.width).get(withSign));
}
