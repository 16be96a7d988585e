//===- DoubleMath.h - Functions of f64 as arithmetic ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DOUBLEMATH_H
#define IPU_MLIR_SUPPORT_DOUBLEMATH_H

#include "ipu-mlir/Support/PairBuilder.h"

namespace mlir::ipu {

/// Builds math functions of f64 as arithmetic on pairs of f64. The result is
/// rounded once, except that subnormal results are rounded twice. The results
/// are correctly rounded, with rare exceptions. The functions are defined for
/// all f64.
class DoubleMath : public PairBuilder {
public:
  using PairBuilder::PairBuilder;

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value sigmoid(Value x);
  Value erf(Value x);
  Value pow(Value x, Value y);
  Value rsqrt(Value x);
  /// Builds the sine of x or, with `isCosine`, of x + pi / 2.
  Value sin(Value x, bool isCosine);

private:
  /// A number y * 2^n with y between 1/2 and 2.
  struct Power {
    Pair y;
    Value n; // an integer
  };
  /// Returns e^x. If e^x overflows (underflows), returns any number that also
  /// overflows (underflows).
  Power getPower(Pair x);
  Value scale(Value x, Value n);
  Value addTail(Value x, Value tail);
  /// Returns e^x for x <= 0.
  Pair getSmallPower(Pair x);
  /// Returns the logarithm of a positive finite number.
  Pair getLog(Value x);
  Value getErfSeries(Value x);
  /// Returns 1 - erf(x) for x from 1 to 6.
  Pair getErfComplement(Value x);

  /// The reduction of x modulo 2 pi: x is n * pi / 2 + r plus a multiple of 2
  /// pi.
  struct Turns {
    Value n; // an integer
    Pair r;
  };
  /// Returns the reduction of a finite x of at least 1/2.
  Turns getTurns(Value x);
  /// Returns x / (pi / 2) modulo 4, as a fixed-point number with 190 bits after
  /// the point. The number has 6 digits of 32 bits, and the lowest digit is
  /// first. `x` must be finite and at least 1/2.
  SmallVector<Value> getQuarterTurns(Value x);
  /// Returns 192 bits of 2 / pi as digits of 32 bits. The first of these bits
  /// is the first bit of 2 / pi that affects the reduction of a number with the
  /// biased exponent `exponent`.
  SmallVector<Value> getBitsOfTwoOverPi(Value exponent);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DOUBLEMATH_H
