//===- DoubleMath.h - Functions of f64 as arithmetic ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DOUBLEMATH_H
#define IPU_MLIR_SUPPORT_DOUBLEMATH_H

#include "ipu-mlir/Support/PairBuilder.h"

namespace mlir::ipu {

/// Builds functions of f64 as arithmetic on pairs of f64, which is rounded
/// once: the results are the correctly rounded ones with rare exceptions. Only
/// subnormal ones are rounded twice. They are defined for all f64.
class DoubleMath : public PairBuilder {
public:
  using PairBuilder::PairBuilder;

  Value exp(Value x);
  Value log(Value x);
  Value tanh(Value x);
  Value sigmoid(Value x);
  Value erf(Value x);
  Value pow(Value x, Value y);
  Value rsqrt(Value x);
  /// The sine of x, or of x + pi / 2.
  Value sin(Value x, bool isCosine);

private:
  /// y * 2^n with y between 1/2 and 2.
  struct Power {
    Pair y;
    Value n; // an integer
  };
  /// e^x, or what has overflowed or underflowed if that does.
  Power getPower(Pair x);
  Value scale(Value x, Value n);
  /// e^x of x that is not above 0.
  Pair getSmallPower(Pair x);
  /// The logarithm of a positive finite number.
  Pair getLog(Value x);
  Value getErfSeries(Value x);
  /// 1 - erf(x) of x from 1 to 6.
  Pair getErfComplement(Value x);

  /// What x is apart from multiples of 2 pi: n * pi / 2 + r.
  struct Turns {
    Value n; // an integer
    Pair r;
  };
  /// Of finite x from 1/2.
  Turns getTurns(Value x);
  /// The quarter turns in such an x modulo 4, times 2^190, as 6 digits of 32
  /// bits, the lowest first.
  SmallVector<Value> getQuarterTurns(Value x);
  /// 192 bits of 2 / pi from the first that matters for numbers with this
  /// biased exponent, as such digits.
  SmallVector<Value> getBitsOfTwoOverPi(Value exponent);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DOUBLEMATH_H
