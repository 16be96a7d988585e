//===- FloatBuilder.h - Builder of float arithmetic -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds float arithmetic from operations whose results IEEE 754 defines bit
// for bit.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_FLOATBUILDER_H
#define IPU_MLIR_SUPPORT_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::ipu {

class FloatBuilder {
public:
  /// Builds arithmetic on `type`, f32 or f64.
  FloatBuilder(OpBuilder &builder, Location loc, FloatType type)
      : b(loc, builder), type(type),
        bitsType(builder.getIntegerType(type.getWidth())) {}

protected:
  using Predicate = arith::CmpFPredicate;

  Value real(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(bitsType, value));
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
  /// Returns `x` limited to [`least`, `greatest`], or NaN if `x` is NaN.
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
  Value toBits(Value x) { return arith::BitcastOp::create(b, bitsType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value addInteger(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value shiftLeft(Value x, Value bits) {
    return arith::ShLIOp::create(b, x, bits);
  }
  /// Shifts to the right and fills the upper bits, including the sign bit, with
  /// zeros.
  Value shiftRight(Value x, Value bits) {
    return arith::ShRUIOp::create(b, x, bits);
  }

  /// Returns the sum of coefficients[i] * x^i.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value y = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      y = fma(y, x, real(coefficient));
    return y;
  }

  ImplicitLocOpBuilder b;

private:
  FloatType type;
  Type bitsType;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_FLOATBUILDER_H
