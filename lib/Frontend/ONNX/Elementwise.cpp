//===- Elementwise.cpp - ONNX arithmetic, comparisons and logic -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

static bool isFloat(Value x) { return isa<FloatType>(getElement(x)); }
static bool isBool(Value x) { return getElement(x).isInteger(1); }

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// Returns the second operand in a shape that broadcasts to the first operand.
/// Opsets before 7 broadcast only if an attribute requests it, and may align
/// the second shape at any dimension; the function adds dimensions for this.
static Value getBroadcastRhs(Node &node) {
  Value lhs = node.getInput(0), rhs = node.getInput(1);
  if (node.getOpset() >= 7)
    return rhs;
  if (node.getInt("broadcast", 0) == 0) {
    node.require(getShape(lhs) == getShape(rhs),
                 "expects operands of equal shapes in opset " +
                     Twine(node.getOpset()) + " without 'broadcast' but got " +
                     quote(lhs.getType()) + " and " + quote(rhs.getType()));
    return rhs;
  }
  if (!node.hasAttr("axis"))
    return rhs;
  int64_t rank = getRank(rhs);
  int64_t axis = node.normalizeAxis(node.getInt("axis"), getRank(lhs), true);
  node.require(axis + rank <= getRank(lhs),
               "expects the second operand to fit the first one at axis " +
                   Twine(axis) + " but got ranks " + Twine(getRank(lhs)) +
                   " and " + Twine(rank));
  SmallVector<int64_t> shape(getShape(rhs));
  shape.append(getRank(lhs) - axis - rank, 1);
  return node.reshape(rhs, shape);
}

template <typename OpTy>
static void importBinary(Node &node) {
  node.setResult(node.create<OpTy>({node.getInput(0), getBroadcastRhs(node)}));
}

/// Fails for a constant quotient of integers, such as a size that is computed
/// from a shape, with a divisor of 0. The device would return a number.
static void checkDivisor(Node &node) {
  DenseElementsAttr dividend, divisor;
  if (isFloat(node.getInput(1)) ||
      !matchPattern(node.getInput(0), m_Constant(&dividend)) ||
      !matchPattern(node.getInput(1), m_Constant(&divisor)))
    return;
  if (dividend.getNumElements() == 0)
    return;
  node.require(llvm::none_of(divisor.getValues<APInt>(),
                             [](const APInt &value) { return value.isZero(); }),
               "divides a constant by 0");
}

static void importDiv(Node &node) {
  checkDivisor(node);
  importBinary<pop::DivOp>(node);
}

template <typename OpTy>
static void importLogic(Node &node) {
  node.require(isBool(node.getInput(0)) && isBool(node.getInput(1)),
               "expects operands of type bool but got " +
                   quote(node.getInput(0).getType()) + " and " +
                   quote(node.getInput(1).getType()));
  importBinary<OpTy>(node);
}

/// Fails if operand 0 does not consist of integers of more than one bit.
static void requireIntegers(Node &node) {
  Value x = node.getInput(0);
  node.require(!isFloat(x) && !isBool(x),
               "expects integer operands but got " + quote(x.getType()));
}

template <typename OpTy>
static void importBitwise(Node &node) {
  requireIntegers(node);
  importBinary<OpTy>(node);
}

static void importBitwiseNot(Node &node) {
  requireIntegers(node);
  node.setResult(node.create<pop::NotOp>({node.getInput(0)}));
}

static void importBitShift(Node &node) {
  Value x = node.getInput(0), count = node.getInput(1);
  std::string direction = node.getString("direction", "");
  if (direction == "LEFT")
    return node.setResult(node.create<pop::ShiftLeftOp>({x, count}));
  node.require(direction == "RIGHT",
               "expects 'direction' to be 'LEFT' or 'RIGHT' but got '" +
                   direction + "'");
  node.setResult(node.create<pop::ShiftRightLogicalOp>({x, count}));
}

static void importMod(Node &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  bool isFmod = node.getInt("fmod", 0) != 0;
  node.require(isFmod || !isFloat(a),
               "expects 'fmod' to be 1 for float operands but got 0");
  checkDivisor(node);
  Value rem = node.create<pop::RemOp>({a, b});
  if (isFmod || getElement(a).isUnsignedInteger())
    return node.setResult(rem);
  // As in Python, the result has the sign of the divisor.
  Value zero = node.splatLike(0, a);
  Value isWrong =
      node.create<pop::XorOp>({node.less(rem, zero), node.less(b, zero)});
  isWrong = node.create<pop::AndOp>(
      {isWrong, node.create<pop::NotEqualOp>({rem, zero})});
  node.setResult(node.select(isWrong, node.add(rem, b), rem));
}

/// Returns the exponent if it is a constant whose elements are all the same
/// integer from 1 to 4. Otherwise returns std::nullopt.
static std::optional<int64_t> getSmallExponent(Node &node) {
  DenseElementsAttr value = node.findConstant(1);
  if (!value || !value.isSplat())
    return std::nullopt;
  Attribute element = value.getSplatValue<Attribute>();
  for (int64_t n = 1; n <= 4; ++n) {
    if (auto number = dyn_cast<FloatAttr>(element))
      if (number.getValue().isExactlyValue(static_cast<double>(n)))
        return n;
    if (auto number = dyn_cast<IntegerAttr>(element))
      if (number.getValue() == static_cast<uint64_t>(n))
        return n;
  }
  return std::nullopt;
}

/// Returns the number of low bits of an integer exponent that decide about the
/// power. Of a negative exponent, this is only bit 0.
static unsigned countExponentBits(Node &node, Value exponent) {
  auto type = cast<IntegerType>(getElement(exponent));
  unsigned width = type.getWidth();
  unsigned limit =
      type.isUnsigned() ? std::min(width, 63u) : std::max(width - 1, 1u);
  DenseElementsAttr value = node.findConstant(1);
  if (!value)
    return limit;
  unsigned count = 1;
  for (const APInt &element : value.getValues<APInt>())
    if (type.isUnsigned() || element.isNonNegative())
      count = std::max(count, element.getActiveBits());
  return std::min(count, limit);
}

/// Returns whether an integer exponent may be negative.
static bool mayBeNegative(Node &node, Value exponent) {
  if (getElement(exponent).isUnsignedInteger())
    return false;
  DenseElementsAttr value = node.findConstant(1);
  return !value || llvm::any_of(value.getValues<APInt>(),
                                std::mem_fn(&APInt::isNegative));
}

static Value isOdd(Node &node, Value x) {
  Value lowBit = node.create<pop::AndOp>({x, node.splatLike(1, x)});
  return node.create<pop::NotEqualOp>({lowBit, node.splatLike(0, x)});
}

/// Returns base^exponent for integers: the product of base^(2^i) for each bit i
/// that is set in the exponent. Overflows wrap around. With a negative
/// exponent, the powers of 1 and -1 are exact, and all others are 0.
static Value buildIntegerPower(Node &node, Value base, Value exponent) {
  // The exponent keeps its type, because a narrower one would lose high bits.
  Type type = getElement(exponent);
  unsigned bits = countExponentBits(node, exponent);
  Value zero = node.splatLike(0, exponent);
  Value one = node.splatLike(1, base), square = base, result;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value mask = node.splat(std::ldexp(1.0, bit), type);
    Value isSet = node.create<pop::NotEqualOp>(
        {node.create<pop::AndOp>({exponent, mask}), zero});
    Value factor = node.select(isSet, square, one);
    result = result ? node.mul(result, factor) : factor;
    if (bit + 1 < bits)
      square = node.mul(square, square);
  }
  if (!mayBeNegative(node, exponent))
    return result;
  // The product is the power of 1 or -1 also if the sign bit is left out.
  Value isUnit = node.equal(base, one);
  if (!getElement(base).isUnsignedInteger())
    isUnit = node.create<pop::OrOp>(
        {isUnit, node.equal(base, node.splatLike(-1, base))});
  Value isDefined = node.create<pop::OrOp>(
      {isUnit, node.create<pop::GreaterEqualOp>({exponent, zero})});
  return node.mask(isDefined, result);
}

/// Returns whether `type` represents all values that the exponent may have.
static bool isExactIn(Node &node, Value exponent, Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  auto integer = cast<IntegerType>(getElement(exponent));
  bool isSigned = !integer.isUnsigned();
  if (DenseElementsAttr value = node.findConstant(1))
    return llvm::all_of(value.getValues<APInt>(), [&](const APInt &element) {
      APFloat number(semantics);
      return number.convertFromAPInt(element, isSigned,
                                     APFloat::rmNearestTiesToEven) ==
             APFloat::opOK;
    });
  return integer.getWidth() - isSigned <=
         APFloat::semanticsPrecision(semantics);
}

/// Returns the type in which a power with a float operand is computed. A double
/// represents all results of usual integers.
static Type getPowerType(Node &node, Value base, Value exponent) {
  if (!isFloat(base))
    return node.getF64Type();
  Type type = getElement(base), other = getElement(exponent);
  if (!isFloat(exponent))
    return isExactIn(node, exponent, type) ? type : pop::getComputeType(type);
  return other.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth() ? other
                                                                      : type;
}

/// Builds a power with a float operand, in a type that may be wider than the
/// base.
static Value buildFloatPower(Node &node, Value base, Value exponent) {
  Type type = getPowerType(node, base, exponent);
  base = node.cast(base, type);
  Value power = node.create<pop::PowOp>({base, node.cast(exponent, type)});
  if (isFloat(exponent) || isExactIn(node, exponent, type))
    return power;
  // A large odd exponent is rounded to an even one, which loses the sign.
  Value zero = node.splatLike(0, base);
  Value isNegative =
      node.create<pop::AndOp>({isOdd(node, exponent), node.less(base, zero)});
  Value hasWrongSign =
      node.create<pop::AndOp>({isNegative, node.greater(power, zero)});
  return node.select(hasWrongSign, node.neg(power), power);
}

static void importPow(Node &node) {
  Value base = node.getInput(0), exponent = getBroadcastRhs(node);
  std::optional<int64_t> small = getSmallExponent(node);
  if (small && getRank(exponent) <= getRank(base) &&
      getTensorType(exponent).getNumElements() == 1) {
    Value result = base;
    for (int64_t i = 1; i < *small; ++i)
      result = node.mul(result, base);
    return node.setResult(result);
  }
  if (!isFloat(base) && !isFloat(exponent))
    return node.setResult(buildIntegerPower(node, base, exponent));
  node.setResult(
      node.cast(buildFloatPower(node, base, exponent), getElement(base)));
}

//===----------------------------------------------------------------------===//
// Variadic
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value foldInputs(Node &node, ArrayRef<Value> inputs) {
  Value result = inputs.front();
  for (Value input : inputs.drop_front())
    result = node.create<OpTy>({result, input});
  return result;
}

template <typename OpTy>
static void importVariadic(Node &node) {
  node.setResult(foldInputs<OpTy>(node, node.getAllInputs()));
}

/// Returns the sum of all operands, which is rounded once.
static Value sumInputs(Node &node, ArrayRef<Value> inputs) {
  if (inputs.size() > 2)
    return node.create<pop::SumOp>(inputs);
  return foldInputs<pop::AddOp>(node, inputs);
}

static void importSum(Node &node) {
  node.setResult(sumInputs(node, node.getAllInputs()));
}

static void importMean(Node &node) {
  SmallVector<Value> inputs = node.getAllInputs();
  Type type = getElement(inputs.front());
  for (Value &input : inputs)
    input = node.cast(input, pop::getComputeType(type));
  Value sum = sumInputs(node, inputs);
  Value count = node.splatLike(static_cast<double>(inputs.size()), sum);
  node.setResult(node.cast(node.div(sum, count), type));
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

template <typename OpTy>
static void importUnary(Node &node) {
  node.setResult(node.create<OpTy>({node.getInput(0)}));
}

static void importNot(Node &node) {
  node.require(isBool(node.getInput(0)),
               "expects an operand of type bool but got " +
                   quote(node.getInput(0).getType()));
  importUnary<pop::NotOp>(node);
}

static void importIsInf(Node &node) {
  Value x = node.getInput(0);
  bool negative = node.getInt("detect_negative", 1) != 0;
  bool positive = node.getInt("detect_positive", 1) != 0;
  if (negative && positive)
    return importUnary<pop::IsInfOp>(node);
  if (!negative && !positive)
    return node.setResult(node.splat(0, node.getI1Type(), getShape(x)));
  double infinity = std::numeric_limits<double>::infinity();
  node.setResult(node.create<pop::EqualOp>(
      {x, node.splatLike(positive ? infinity : -infinity, x)}));
}

static void importTan(Node &node) {
  node.setResult(buildWide(node, node.getInput(0), [&](Value x) {
    Value sin = node.create<pop::SinOp>({x});
    return node.div(sin, node.create<pop::CosOp>({x}));
  }));
}

//===----------------------------------------------------------------------===//
// Select, clip
//===----------------------------------------------------------------------===//

static void importWhere(Node &node) {
  node.setResult(
      node.select(node.getInput(0), node.getInput(1), node.getInput(2)));
}

static void importClip(Node &node) {
  Value x = node.getInput(0), low, high;
  if (node.getOpset() < 11) {
    node.require(node.getNumInputs() == 1,
                 "expects one input in opset " + Twine(node.getOpset()) +
                     " but got " + Twine(node.getNumInputs()));
    if (node.hasAttr("min"))
      low = node.splatLike(node.getFloat("min", 0), x);
    if (node.hasAttr("max"))
      high = node.splatLike(node.getFloat("max", 0), x);
  } else {
    node.keepConstant(1);
    node.keepConstant(2);
    auto getBound = [&](size_t i) -> Value {
      Value bound = node.getOptionalInput(i);
      if (!bound)
        return {};
      node.require(getTensorType(bound).getNumElements() == 1,
                   "expects input " + Twine(i) + " to be a scalar but got " +
                       quote(bound.getType()));
      return node.reshape(bound, {});
    };
    low = getBound(1);
    high = getBound(2);
  }
  if (low)
    x = node.max(x, low);
  if (high)
    x = node.min(x, high);
  node.setResult(x);
}

ArrayRef<OpEntry> ipu::onnx::getElementwiseOps() {
  static const OpEntry kOps[] = {
      {"Abs", 1, 1, 1, 1, importUnary<pop::AbsOp>},
      {"Acos", 7, 1, 1, 1, importUnary<pop::AcosOp>},
      {"Acosh", 9, 1, 1, 1, importUnary<pop::AcoshOp>},
      {"Add", 1, 2, 2, 1, importBinary<pop::AddOp>},
      {"And", 1, 2, 2, 1, importLogic<pop::AndOp>},
      {"Asin", 7, 1, 1, 1, importUnary<pop::AsinOp>},
      {"Asinh", 9, 1, 1, 1, importUnary<pop::AsinhOp>},
      {"Atan", 7, 1, 1, 1, importUnary<pop::AtanOp>},
      {"Atanh", 9, 1, 1, 1, importUnary<pop::AtanhOp>},
      {"BitShift", 11, 2, 2, 1, importBitShift,
       "a count that is not less than the width gives 0"},
      {"BitwiseAnd", 18, 2, 2, 1, importBitwise<pop::AndOp>},
      {"BitwiseNot", 18, 1, 1, 1, importBitwiseNot},
      {"BitwiseOr", 18, 2, 2, 1, importBitwise<pop::OrOp>},
      {"BitwiseXor", 18, 2, 2, 1, importBitwise<pop::XorOp>},
      {"Ceil", 1, 1, 1, 1, importUnary<pop::CeilOp>},
      {"Clip", 1, 1, 3, 1, importClip,
       "from opset 11 on, the bounds are inputs and need not be constants"},
      {"Cos", 7, 1, 1, 1, importUnary<pop::CosOp>},
      {"Cosh", 9, 1, 1, 1, importUnary<pop::CoshOp>},
      {"Div", 1, 2, 2, 1, importDiv},
      {"Equal", 1, 2, 2, 1, importBinary<pop::EqualOp>},
      {"Erf", 9, 1, 1, 1, importUnary<pop::ErfOp>},
      {"Exp", 1, 1, 1, 1, importUnary<pop::ExpOp>},
      {"Floor", 1, 1, 1, 1, importUnary<pop::FloorOp>},
      {"Greater", 1, 2, 2, 1, importBinary<pop::GreaterOp>},
      {"GreaterOrEqual", 12, 2, 2, 1, importBinary<pop::GreaterEqualOp>},
      {"IsInf", 10, 1, 1, 1, importIsInf},
      {"IsNaN", 9, 1, 1, 1, importUnary<pop::IsNanOp>},
      {"Less", 1, 2, 2, 1, importBinary<pop::LessOp>},
      {"LessOrEqual", 12, 2, 2, 1, importBinary<pop::LessEqualOp>},
      {"Log", 1, 1, 1, 1, importUnary<pop::LogOp>},
      {"Max", 1, 1, -1, 1, importVariadic<pop::MaxOp>},
      {"Mean", 1, 1, -1, 1, importMean, "in f32 for narrower floats"},
      {"Min", 1, 1, -1, 1, importVariadic<pop::MinOp>},
      {"Mod", 10, 2, 2, 1, importMod, "both `fmod` modes"},
      {"Mul", 1, 2, 2, 1, importBinary<pop::MulOp>},
      {"Neg", 1, 1, 1, 1, importUnary<pop::NegOp>},
      {"Not", 1, 1, 1, 1, importNot},
      {"Or", 1, 2, 2, 1, importLogic<pop::OrOp>},
      {"Pow", 1, 2, 2, 1, importPow,
       "for exponents 1, 2, 3 and 4 a product; a power of integers wraps, and "
       "with a negative exponent it is 0 unless the base is 1 or -1, also for "
       "the base 0; a power of an integer with a float exponent is computed in "
       "f64 and rounded towards zero; an integer exponent of f32 beyond 2^24 "
       "is rounded, but the sign of the power is exact"},
      {"Reciprocal", 1, 1, 1, 1, importUnary<pop::ReciprocalOp>},
      {"Round", 11, 1, 1, 1, importUnary<pop::RoundOp>},
      {"Sign", 9, 1, 1, 1, importUnary<pop::SignOp>},
      {"Sin", 7, 1, 1, 1, importUnary<pop::SinOp>},
      {"Sinh", 9, 1, 1, 1, importUnary<pop::SinhOp>},
      {"Sqrt", 1, 1, 1, 1, importUnary<pop::SqrtOp>},
      {"Sub", 1, 2, 2, 1, importBinary<pop::SubOp>},
      {"Sum", 1, 1, -1, 1, importSum, "the sum is rounded once"},
      {"Tan", 7, 1, 1, 1, importTan, "in f32 for narrower floats"},
      {"Where", 9, 3, 3, 1, importWhere},
      {"Xor", 1, 2, 2, 1, importLogic<pop::XorOp>},
  };
  return kOps;
}
