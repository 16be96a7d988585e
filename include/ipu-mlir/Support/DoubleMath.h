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
/// once. The results are correctly rounded, with rare exceptions. Only
/// subnormal results are rounded twice. The functions are defined for all f64.
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
  /// e^x. If it overflows or underflows, a number that does so too.
  Power getPower(Pair x);
  Value scale(Value x, Value n);
  /// e^x for x <= 0.
  Pair getSmallPower(Pair x);
  /// The logarithm of a positive finite number.
  Pair getLog(Value x);
  Value getErfSeries(Value x);
  /// 1 - erf(x) for x from 1 to 6.
  Pair getErfComplement(Value x);

  /// The reduction of x modulo 2 pi: x is n * pi / 2 + r.
  struct Turns {
    Value n; // an integer
    Pair r;
  };
  /// For finite x of at least 1/2.
  Turns getTurns(Value x);
  /// The quarter turns in such an x modulo 4, times 2^190, as 6 digits of 32
  /// bits, the lowest digit first.
  SmallVector<Value> getQuarterTurns(Value x);
  /// 192 bits of 2 / pi as such digits, from the first bit that matters for
  /// numbers with this biased exponent.
  SmallVector<Value> getBitsOfTwoOverPi(Value exponent);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DOUBLEMATH_H
