//===- JitFloat8.cpp - Conversions of eight-bit floats --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions consist of ops on f32 and i32 that also exist for vectors. If
// the magnitude bits of an eight-bit float are shifted to the exponent and
// mantissa of f32, they represent the number times a power of two, which
// depends on the bias of the format.
//
//===----------------------------------------------------------------------===//

#include "../../Support/ScalarValues.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::ipu;
using llvm::APFloat;

namespace {
/// What sets one format apart from the others.
struct Format8 {
  explicit Format8(Type type) : kind(getScalarKind(type)) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type).getFloatSemantics();
    mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
    bias = 1 - APFloat::semanticsMinExponent(semantics);
    largest = APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    overflow = encodeScalar(kind, infinity);
    signedOverflow =
        encodeScalar(kind, -infinity) != encodeScalar(kind, infinity);
    nan = encodeScalar(kind, std::numeric_limits<double>::quiet_NaN());
    hasInfinity = APFloat::semanticsHasInf(semantics);
    hasMinusZero = encodeScalar(kind, -0.0) != 0;
  }

  /// The bits of 2^exponent in f32.
  static int64_t getPower(int exponent) {
    return static_cast<int64_t>(exponent + 127) << 23;
  }

  ScalarKind kind;
  int mantissaBits;
  int bias;
  int64_t largest, overflow, nan;
  bool signedOverflow, hasInfinity, hasMinusZero;
};

/// Builds one conversion.
struct Float8Builder {
  ImplicitLocOpBuilder &b;
  Format8 format;
  Type i32 = b.getI32Type();
  Type f32 = b.getF32Type();

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value mask(Value bits, int64_t ones) {
    return arith::AndIOp::create(b, bits, constant(ones));
  }
  Value merge(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, lhs, rhs);
  }
  Value shiftLeft(Value bits, int64_t by) {
    return arith::ShLIOp::create(b, bits, constant(by));
  }
  Value shiftRight(Value bits, int64_t by) {
    return arith::ShRUIOp::create(b, bits, constant(by));
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
  Value compare(arith::CmpIPredicate predicate, Value bits, int64_t value) {
    return arith::CmpIOp::create(b, predicate, bits, constant(value));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  Value toFloat(Value bits) { return arith::BitcastOp::create(b, f32, bits); }
  Value toBits(Value value) { return arith::BitcastOp::create(b, i32, value); }

  Value widen(Value value);
  Value narrow(Value value, Type type);
  Value roundMagnitude(Value magnitude);
};
} // namespace

Value Float8Builder::widen(Value value) {
  using arith::CmpIPredicate;
  Value bits = arith::BitcastOp::create(b, b.getI8Type(), value);
  bits = arith::ExtUIOp::create(b, i32, bits);
  Value magnitude = mask(bits, 0x7F);
  Value shifted = shiftLeft(magnitude, 23 - format.mantissaBits);
  // Exact, of denormal numbers as well.
  Value wide = toBits(arith::MulFOp::create(
      b, toFloat(shifted),
      toFloat(constant(Format8::getPower(127 - format.bias)))));
  if (format.hasInfinity)
    // Infinity and NaNs follow: their exponents have all bits set.
    wide = select(compare(CmpIPredicate::ugt, magnitude, format.largest),
                  merge(shifted, constant(0x7F800000)), wide);
  else if (format.hasMinusZero)
    wide = select(compare(CmpIPredicate::ugt, magnitude, format.largest),
                  constant(0x7FC00000), wide);
  else
    wide = select(compare(CmpIPredicate::eq, bits, format.nan),
                  constant(0x7FC00000), wide);
  return toFloat(merge(wide, shiftLeft(mask(bits, 0x80), 24)));
}

/// The bits, without a limit above, that a positive f32 rounds to.
Value Float8Builder::roundMagnitude(Value magnitude) {
  // To nearest even, by adding just less than half.
  int shift = 23 - format.mantissaBits;
  Value odd = mask(shiftRight(magnitude, shift), 1);
  Value normal = add(add(magnitude, odd), constant((1 << (shift - 1)) - 1));
  normal = arith::SubIOp::create(
      b, shiftRight(normal, shift),
      constant((127 - format.bias) << format.mantissaBits));
  // The sum with a number whose last bit is worth the least denormal number.
  int64_t unit = Format8::getPower(23 + 1 - format.bias - format.mantissaBits);
  Value sum =
      arith::AddFOp::create(b, toFloat(magnitude), toFloat(constant(unit)));
  Value denormal = arith::SubIOp::create(b, toBits(sum), constant(unit));
  Value isDenormal = compare(arith::CmpIPredicate::ult, magnitude,
                             Format8::getPower(1 - format.bias));
  return select(isDenormal, denormal, normal);
}

Value Float8Builder::narrow(Value value, Type type) {
  using arith::CmpIPredicate;
  Value bits = toBits(value);
  Value magnitude = mask(bits, 0x7FFFFFFF);
  Value sign = mask(shiftRight(bits, 24), 0x80);
  Value rounded = roundMagnitude(magnitude);
  Value number = merge(rounded, sign);
  if (!format.hasMinusZero)
    number = select(compare(CmpIPredicate::eq, rounded, 0), rounded, number);
  Value overflow = constant(format.overflow);
  if (format.signedOverflow)
    overflow = merge(overflow, sign);
  Value result = select(compare(CmpIPredicate::ugt, rounded, format.largest),
                        overflow, number);
  result = select(compare(CmpIPredicate::ugt, magnitude, 0x7F800000),
                  constant(format.nan), result);
  Value truncated = arith::TruncIOp::create(b, b.getI8Type(), result);
  return arith::BitcastOp::create(b, type, truncated);
}

bool mlir::ipu::hasBuiltConversions(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.getWidth() != 8)
    return false;
  // A format without zero and sign is another thing.
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  return APFloat::semanticsHasZero(semantics) &&
         APFloat::semanticsHasSignedRepr(semantics);
}

Value mlir::ipu::buildFloat8ToF32(ImplicitLocOpBuilder &b, Value value) {
  return Float8Builder{b, Format8(value.getType())}.widen(value);
}

Value mlir::ipu::buildF32ToFloat8(ImplicitLocOpBuilder &b, Value value,
                                  Type type) {
  return Float8Builder{b, Format8(type)}.narrow(value, type);
}
