//===- DoubleBuilder.h - Builds arithmetic on f64 ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What functions are made of: operations that IEEE 754 defines to the bit, and
// pieces that functions share.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DOUBLEBUILDER_H
#define IPU_MLIR_SUPPORT_DOUBLEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

namespace mlir::ipu {

class DoubleBuilder {
public:
  DoubleBuilder(OpBuilder &builder, Location loc) : b(loc, builder) {}

protected:
  using Predicate = arith::CmpFPredicate;

  /// A double of this size has a unit of 1 in the last place: adding it rounds
  /// to an integer, which then is in the low bits.
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr int64_t kRounderBits = 0x4338000000000000;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  Value real(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// NaN if `x` is.
  Value clamp(Value x, double least, double greatest) {
    x = arith::MaximumFOp::create(b, x, real(least));
    return arith::MinimumFOp::create(b, x, real(greatest));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, b.getI64Type(), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, b.getF64Type(), x);
  }
  Value addInteger(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value shiftLeft(Value x, Value bits) {
    return arith::ShLIOp::create(b, x, bits);
  }
  /// Moves zeros in, also where the sign was.
  Value shiftRight(Value x, Value bits) {
    return arith::ShRUIOp::create(b, x, bits);
  }
  Value hasBits(Value x, int64_t bits) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 both(x, integer(bits)), integer(0));
  }
  /// 2^`exponent`, which is no subnormal.
  Value powerOfTwo(Value exponent) {
    Value biased = addInteger(exponent, integer(1023));
    return fromBits(shiftLeft(biased, integer(52)));
  }

  /// The sum of coefficients[i] * x^i.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  /// A number as 2^n * m with m from sqrt(1/2) to sqrt(2).
  struct Scaled {
    Value m, n;
  };
  /// `x` is above 0, finite and no subnormal.
  Scaled splitExponent(Value x);

  /// `y`, what a logarithm of a positive finite `x` is; for others what IEEE
  /// 754 says.
  Value selectLog(Value x, Value y);

  /// |x|^y with the sign and the exceptions of IEEE 754's pow(x, y).
  Value selectPow(Value x, Value y, Value power);

  /// The sine or cosine of n * pi / 2 + r from those of r.
  Value selectQuadrant(Value n, Value sine, Value cosine, bool isCosine);

  ImplicitLocOpBuilder b;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DOUBLEBUILDER_H
