//===- Casts.cpp - ONNX casts ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts to types that pop does not have compute the numbers of these types in
// the wider types that hold them.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ipu::onnx;

static bool isF8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Limits the elements of `x` to the range from -limit to limit. A NaN stays as
/// it is.
static Value clampMagnitude(Node &node, Value x, double limit) {
  x = node.min(x, node.splatLike(limit, x));
  return node.max(x, node.splatLike(-limit, x));
}

/// Limits the elements of `x` to the finite numbers of `type`. Infinities
/// become the greatest numbers.
static Value saturate(Node &node, Value x, FloatType type) {
  // The limit of one f8 type may not be a number of another one.
  if (isF8(getElement(x)))
    x = node.widen(x);
  return clampMagnitude(
      node, x, APFloat::getLargest(type.getFloatSemantics()).convertToDouble());
}

/// Returns the low `width` bits of `x` as integers in 8 bits. The other bits
/// are dropped, as in all casts of integers to narrower ones.
static Value truncateInteger(Node &node, Value x, int64_t width, Type type) {
  if (isa<FloatType>(getElement(x)))
    x = node.cast(x, node.getI32Type());
  x = node.cast(x, type);
  if (type.isUnsignedInteger())
    return node.create<pop::AndOp>(
        {x, node.splatLike(static_cast<double>((1 << width) - 1), x)});
  Value shift = node.splatLike(static_cast<double>(8 - width), x);
  x = node.create<pop::ShiftLeftOp>({x, shift});
  return node.create<pop::ShiftRightArithmeticOp>({x, shift});
}

/// Rounds `x` to the nearest numbers of float4e2m1, which are multiples of 0.5
/// up to 2, of 1 up to 4 and of 2 up to 6. The type has no NaN, for which 0
/// stands.
static Value roundToFloat4(Node &node, Value x) {
  x = node.cast(x, node.getF32Type());
  Value isNan = node.create<pop::IsNanOp>({x});
  x = clampMagnitude(node, node.select(isNan, node.splatLike(0, x), x), 6);
  Value magnitude = node.abs(x), step = node.splatLike(2, x);
  for (double smaller : {1.0, 0.5}) {
    Value isBelow = node.less(magnitude, node.splatLike(4 * smaller, x));
    step = node.select(isBelow, node.splatLike(smaller, x), step);
  }
  Value quotient = node.create<pop::RoundOp>({node.div(x, step)});
  return node.mul(quotient, step);
}

/// The exponents of the least and the greatest number of float8e8m0.
static constexpr int64_t kMinExponent = -127, kMaxExponent = 127;

/// Returns the greatest power of two in float8e8m0 that is not greater than a
/// magnitude, or the least power.
static Value roundDownToPower(Node &node, Value x) {
  // The logarithm may be wrong next to a power of two, so that the table has
  // the power for the logarithm, which is then compared with x.
  SmallVector<double> powers;
  for (int64_t i = kMinExponent - 1; i <= kMaxExponent + 1; ++i)
    powers.push_back(std::ldexp(1.0, static_cast<int>(i)));
  auto type = RankedTensorType::get(static_cast<int64_t>(powers.size()),
                                    node.getF64Type());
  Value table = node.constant(DenseElementsAttr::get(type, ArrayRef(powers)));
  Value least = node.splatLike(powers[1], x);
  x = node.max(x, least);
  Value log = node.log(x);
  log = node.mul(log, node.splatLike(1 / std::log(2.0), x));
  Value index = node.cast(node.create<pop::RoundOp>({log}), node.getI32Type());
  index = node.add(index, node.splatLike(1 - kMinExponent, index));
  Value power = node.create<pop::GatherOp>({table, index},
                                           node.attr("batch_dims", int64_t(0)));
  Value half = node.mul(power, node.splatLike(0.5, x));
  power = node.select(node.less(x, power), half, power);
  return node.max(power, least);
}

/// Rounds the magnitude of `x` to powers of two by the attribute `round_mode`:
/// up, down or nearest. The results beyond the greatest power are this power
/// or, without `saturates`, NaN. So are infinities and NaNs.
static Value roundToFloat8E8M0(Node &node, Value x, bool saturates,
                               StringRef roundMode) {
  node.require(roundMode == "up" || roundMode == "down" ||
                   roundMode == "nearest",
               "expects 'round_mode' to be up, down or nearest but got '" +
                   roundMode + "'");
  x = node.abs(node.cast(x, node.getF64Type()));
  Value power = roundDownToPower(node, x);
  Value next = node.add(power, power);
  if (roundMode == "nearest") {
    Value middle = node.mul(power, node.splatLike(1.5, x));
    power = node.select(node.less(x, middle), power, next);
  } else if (roundMode == "up")
    power = node.select(node.less(power, x), next, power);
  Value greatest = node.splatLike(std::ldexp(1.0, kMaxExponent), x);
  Value nan = node.splatLike(std::numeric_limits<double>::quiet_NaN(), x);
  power = node.select(node.less(greatest, power), saturates ? greatest : nan,
                      power);
  Value finite =
      node.less(x, node.splatLike(std::numeric_limits<double>::infinity(), x));
  return node.select(finite, power, nan);
}

Value ipu::onnx::castToElementType(Node &node, Value x, int32_t elementType,
                                   bool saturates, StringRef roundMode) {
  Type type = getElementType(elementType, node.getContext());
  if (!type)
    node.unsupported("casts to type " + getElementTypeName(elementType));
  switch (elementType) {
  case kUint2:
  case kInt2:
    return truncateInteger(node, x, 2, type);
  case kUint4:
  case kInt4:
    return truncateInteger(node, x, 4, type);
  case kFloat4E2M1:
    return node.cast(roundToFloat4(node, x), type);
  case kFloat8E8M0:
    return node.cast(roundToFloat8E8M0(node, x, saturates, roundMode), type);
  default:
    break;
  }
  if (isF8(type) && saturates && !getElement(x).isInteger(1))
    x = saturate(node, x, cast<FloatType>(type));
  return node.cast(x, type);
}

static void castTo(Node &node, int32_t elementType) {
  Value x = node.getInput(0);
  // Elements that have the type already stay as they are.
  if (!isNarrow(elementType) || elementType != node.getNarrowType(0))
    x = castToElementType(node, x, elementType, node.getInt("saturate", 1) != 0,
                          node.getString("round_mode", "up"));
  node.setResult(x);
  node.setResultType(elementType);
}

static void importCast(Node &node) {
  if (node.getOpset() < 6)
    node.unsupported("casts to a type that is given as a string");
  castTo(node, node.getElementTypeNumber("to", node.getInt("to")));
}

static void importCastLike(Node &node) {
  int32_t narrow = node.getNarrowType(1);
  castTo(node,
         narrow ? narrow : getElementTypeNumber(getElement(node.getInput(1))));
}

ArrayRef<OpEntry> ipu::onnx::getCastOps() {
  static const OpEntry kOps[] = {
      {"Cast", 6, 1, 1, 1, importCast,
       "no strings; for f8 types, `saturate` also limits infinities and "
       "integers; a NaN becomes 0 in float4e2m1"},
      {"CastLike", 15, 2, 2, 1, importCastLike, "as `Cast`"},
  };
  return kOps;
}
