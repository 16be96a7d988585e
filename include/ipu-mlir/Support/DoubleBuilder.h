//===- DoubleBuilder.h - Builder of f64 arithmetic --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds arithmetic that several math functions of f64 use.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DOUBLEBUILDER_H
#define IPU_MLIR_SUPPORT_DOUBLEBUILDER_H

#include "ipu-mlir/Support/FloatBuilder.h"

#include <limits>

namespace mlir::ipu {

class DoubleBuilder : public FloatBuilder {
public:
  DoubleBuilder(OpBuilder &builder, Location loc)
      : FloatBuilder(builder, loc, builder.getF64Type()) {}

protected:
  /// The double 1.5 * 2^52, whose unit in the last place is 1. If a number is
  /// added to this double, the number is rounded to an integer, and this
  /// integer is in the low bits of the sum.
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr int64_t kRounderBits = 0x4338000000000000;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  Value hasBits(Value x, int64_t bits) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 both(x, integer(bits)), integer(0));
  }
  /// Returns 2^`exponent`, which must not be subnormal.
  Value powerOfTwo(Value exponent) {
    Value biased = addInteger(exponent, integer(1023));
    return fromBits(shiftLeft(biased, integer(52)));
  }

  /// A number in the form 2^n * m with m from sqrt(1/2) to sqrt(2).
  struct Scaled {
    Value m, n;
  };
  /// Returns `x` in the form 2^n * m. `x` must be positive, finite and not
  /// subnormal.
  Scaled splitExponent(Value x);

  /// Returns the logarithm of `x`. If `x` is positive and finite, returns `y`,
  /// which must then be the logarithm. For other `x`, returns the result that
  /// IEEE 754 defines.
  Value selectLog(Value x, Value y);

  /// Returns pow(x, y) with the sign and the special cases of IEEE 754. `power`
  /// is |x|^y.
  Value selectPow(Value x, Value y, Value power);

  /// Returns the sine of n * pi / 2 + r or, with `isCosine`, the cosine.
  /// `sine` and `cosine` are the sine and the cosine of r.
  Value selectQuadrant(Value n, Value sine, Value cosine, bool isCosine);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DOUBLEBUILDER_H
