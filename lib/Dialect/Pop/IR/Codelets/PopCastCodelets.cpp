//===- PopCastCodelets.cpp - Codelets of casts ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "PopScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::pop;
using namespace mlir::pop::detail;

/// Rounds a float towards zero to an integer of type `to`; saturates.
static Value buildFloatToInt(OpBuilder &b, Location loc, Value x,
                             IntegerType to) {
  using arith::CmpFPredicate;
  unsigned width = to.getWidth();
  bool isUi = to.isUnsigned();
  Type signless = b.getIntegerType(width);
  // Both bounds are powers of two (or 0), thus exact in f32 and f64. The
  // comparisons are false for NaN.
  Value low = buildNumber(b, loc, x.getType(),
                          isUi ? 0.0 : -std::ldexp(1.0, width - 1));
  Value high = buildNumber(b, loc, x.getType(),
                           std::ldexp(1.0, isUi ? width : width - 1));
  Value aboveLow = arith::CmpFOp::create(b, loc, CmpFPredicate::OGT, x, low);
  Value belowHigh = arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, x, high);
  Value isInside = arith::AndIOp::create(b, loc, aboveLow, belowHigh);
  // The conversion is undefined outside of the bounds.
  Value zero = buildNumber(b, loc, x.getType(), 0);
  Value inside = arith::SelectOp::create(b, loc, isInside, x, zero);
  Value y;
  if (isUi)
    y = arith::FPToUIOp::create(b, loc, signless, inside);
  else
    y = arith::FPToSIOp::create(b, loc, signless, inside);
  auto buildBound = [&](const APInt &bound) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(signless, bound));
  };
  Value least = buildBound(isUi ? APInt::getMinValue(width)
                                : APInt::getSignedMinValue(width));
  Value greatest = buildBound(isUi ? APInt::getMaxValue(width)
                                   : APInt::getSignedMaxValue(width));
  Value isHigh = arith::CmpFOp::create(b, loc, CmpFPredicate::OGE, x, high);
  Value isLow = arith::CmpFOp::create(b, loc, CmpFPredicate::OLE, x, low);
  y = arith::SelectOp::create(b, loc, isHigh, greatest, y);
  return arith::SelectOp::create(b, loc, isLow, least, y);
}

/// Clears the bits of `x` below `bit`, and sets `bit` if one of them was set,
/// where the magnitude of `x` is at least 2^`from`. Nothing that rounds further
/// above sees a difference: this is rounding to odd.
static Value buildStickyBit(OpBuilder &b, Location loc, Value x, bool isUi,
                            unsigned from, unsigned bit) {
  using arith::CmpIPredicate;
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto buildInt = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value low = buildInt(APInt::getLowBitsSet(width, bit));
  Value high = buildInt(APInt::getHighBitsSet(width, width - bit));
  Value zero = buildInt(APInt::getZero(width));
  Value unit = buildInt(APInt::getOneBitSet(width, bit));
  Value lost = arith::AndIOp::create(b, loc, x, low);
  Value isExact = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, lost, zero);
  Value sticky = arith::SelectOp::create(b, loc, isExact, zero, unit);
  Value kept = arith::AndIOp::create(b, loc, x, high);
  Value rounded = arith::OrIOp::create(b, loc, kept, sticky);

  Value bound = buildInt(APInt::getOneBitSet(width, from));
  Value isLarge = arith::CmpIOp::create(
      b, loc, isUi ? CmpIPredicate::uge : CmpIPredicate::sge, x, bound);
  if (!isUi) {
    Value minusBound = buildInt(-APInt::getOneBitSet(width, from));
    Value isSmall =
        arith::CmpIOp::create(b, loc, CmpIPredicate::sle, x, minusBound);
    isLarge = arith::OrIOp::create(b, loc, isLarge, isSmall);
  }
  return arith::SelectOp::create(b, loc, isLarge, rounded, x);
}

/// Rounds an integer of pop type `from` to the float type `to`. For narrow
/// floats the result is f32, with bits that make the second rounding right.
static Value buildIntToFloat(OpBuilder &b, Location loc, Value x,
                             IntegerType from, FloatType to) {
  bool isUi = from.isUnsigned() || from.getWidth() == 1;
  Type computeType = getComputeType(to);
  if (computeType != to) {
    // Brings integers down to the 24 bits that f32 holds. Each step keeps 13
    // or more bits, two more than the widest narrow float has.
    if (from.getWidth() >= 32)
      x = buildStickyBit(b, loc, x, isUi, /*from=*/24, /*bit=*/12);
    if (from.getWidth() == 64) {
      x = buildStickyBit(b, loc, x, isUi, /*from=*/36, /*bit=*/22);
      x = buildStickyBit(b, loc, x, isUi, /*from=*/46, /*bit=*/32);
      x = buildStickyBit(b, loc, x, isUi, /*from=*/56, /*bit=*/42);
    }
  }
  if (isUi)
    return arith::UIToFPOp::create(b, loc, computeType, x);
  return arith::SIToFPOp::create(b, loc, computeType, x);
}

static Value buildIntToInt(OpBuilder &b, Location loc, Value x,
                           IntegerType from, IntegerType to) {
  Type signless = b.getIntegerType(to.getWidth());
  if (to.getWidth() == from.getWidth())
    return x;
  if (to.getWidth() < from.getWidth())
    return arith::TruncIOp::create(b, loc, signless, x);
  if (from.isUnsigned() || from.getWidth() == 1)
    return arith::ExtUIOp::create(b, loc, signless, x);
  return arith::ExtSIOp::create(b, loc, signless, x);
}

Value CastOp::buildScalar(OpBuilder &b, Location loc, ValueRange args) {
  Value x = args[0];
  Type from = getInput().getType().getElementType();
  Type to = getType().getElementType();
  if (to.isInteger(1)) {
    Value zero = buildNumber(b, loc, x.getType(), 0);
    if (isFloat(x))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
  }
  auto fromInt = dyn_cast<IntegerType>(from);
  auto toInt = dyn_cast<IntegerType>(to);
  if (fromInt && toInt)
    return buildIntToInt(b, loc, x, fromInt, toInt);
  if (fromInt)
    return buildIntToFloat(b, loc, x, fromInt, cast<FloatType>(to));
  if (toInt)
    return buildFloatToInt(b, loc, x, toInt);
  // Narrowing is the rounding that the codelet ends with.
  auto toFloat = cast<FloatType>(to);
  if (toFloat.getWidth() <= cast<FloatType>(x.getType()).getWidth())
    return x;
  return arith::ExtFOp::create(b, loc, to, x);
}
