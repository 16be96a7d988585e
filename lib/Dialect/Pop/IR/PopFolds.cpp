//===- PopFolds.cpp - Folds that keep every bit -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold must give the bits that the device would compute. Therefore NaNs are
// not folded, because the device defines their payloads and signs. Values of f8
// types and transcendental functions are not folded either.
//
//===----------------------------------------------------------------------===//

#include "PopFolds.h"
#include "PopDetail.h"
#include "PopIntegerRange.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::pop;
using namespace mlir::pop::detail;

//===----------------------------------------------------------------------===//
// Constant elementwise ops
//===----------------------------------------------------------------------===//

using FoldScalar = function_ref<Attribute(ArrayRef<Attribute>)>;

/// The row-major position of an operand's element in `shape`, padded to the
/// rank of `index`, that the result element at `index` is computed from.
static int64_t getOperandPosition(ArrayRef<int64_t> index,
                                  ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    position = position * size + (size == 1 ? 0 : i);
  return position;
}

/// Computes a constant result from constant operands that broadcast to its
/// shape. `scalar` gives one element, or null to leave the op as it is.
static Attribute foldElementwise(RankedTensorType result,
                                 ArrayRef<Attribute> operands,
                                 FoldScalar scalar) {
  SmallVector<DenseElementsAttr> values;
  for (Attribute operand : operands)
    values.push_back(dyn_cast_or_null<DenseElementsAttr>(operand));
  int64_t count = result.getNumElements();
  if (count == 0 || !llvm::all_of(values, [](Attribute a) { return !!a; }))
    return {};
  bool isSplat =
      llvm::all_of(values, [](DenseElementsAttr a) { return a.isSplat(); });
  if (!isSplat && count > kMaxFoldedElements)
    return {};
  SmallVector<SmallVector<int64_t>> shapes;
  for (DenseElementsAttr value : values)
    shapes.push_back(padShape(value.getType().getShape(), result.getRank()));

  SmallVector<int64_t> strides = computeStrides(result.getShape());
  SmallVector<Attribute> elements, args(values.size());
  for (int64_t i = 0, e = isSplat ? 1 : count; i < e; ++i) {
    SmallVector<int64_t> index = delinearize(i, strides);
    for (auto [arg, value, shape] : llvm::zip_equal(args, values, shapes))
      arg = value.getValues<Attribute>()[getOperandPosition(index, shape)];
    Attribute element = scalar(args);
    if (!element)
      return {};
    elements.push_back(element);
  }
  return DenseElementsAttr::get(result, elements);
}

/// Whether the host computes with this type as the device does.
static bool isFoldableFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

static APFloat convert(APFloat value, Type type) {
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

using FloatFn = APFloat (*)(const APFloat &, const APFloat &);
using IntFn = APInt (*)(const APInt &, const APInt &, bool isUnsigned);

/// One element of an op on floats: computed in f32 or f64, then rounded.
static Attribute foldFloat(FloatType type, ArrayRef<Attribute> args,
                           FloatFn fn) {
  if (!isFoldableFloat(type))
    return {};
  Type computeType = getComputeType(type);
  APFloat lhs = convert(cast<FloatAttr>(args.front()).getValue(), computeType);
  APFloat rhs = convert(cast<FloatAttr>(args.back()).getValue(), computeType);
  APFloat y = fn(lhs, rhs);
  if (y.isNaN())
    return {};
  return FloatAttr::get(type, convert(y, type));
}

/// Folds an arithmetic op; unary ops get their operand twice.
static Attribute foldArithmetic(Type resultType, ArrayRef<Attribute> operands,
                                FloatFn ofFloats, IntFn ofInts) {
  auto result = cast<RankedTensorType>(resultType);
  Type type = result.getElementType();
  return foldElementwise(result, operands, [&](ArrayRef<Attribute> args) {
    if (auto floatType = dyn_cast<FloatType>(type))
      return foldFloat(floatType, args, ofFloats);
    return Attribute(IntegerAttr::get(
        type, ofInts(cast<IntegerAttr>(args.front()).getValue(),
                     cast<IntegerAttr>(args.back()).getValue(),
                     type.isUnsignedInteger())));
  });
}

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

/// What a constant is, if all of its elements are one special number.
struct SplatNumber {
  bool isMinusZero = false;
  bool isPlusZero = false;
  bool isOne = false;
  bool isAllOnes = false;

  explicit SplatNumber(Attribute attr) {
    auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
    if (!dense || !dense.isSplat())
      return;
    Attribute value = dense.getSplatValue<Attribute>();
    if (auto number = dyn_cast<FloatAttr>(value)) {
      isMinusZero = number.getValue().isNegZero();
      isPlusZero = number.getValue().isPosZero();
      isOne = number.getValue().isExactlyValue(1.0);
    } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
      isMinusZero = isPlusZero = integer.getValue().isZero();
      isOne = integer.getValue().isOne();
      isAllOnes = integer.getValue().isAllOnes();
    }
  }
};

/// `value`, if it has the type of the result and `isNeutral` says that the
/// other operand changes nothing.
static Value foldNeutral(bool isNeutral, Value value, Type resultType) {
  return isNeutral && value.getType() == resultType ? value : Value();
}

//===----------------------------------------------------------------------===//
// Integers that are no constants
//===----------------------------------------------------------------------===//

/// All elements are `number`.
static Attribute foldToNumber(Type resultType, const APInt &number) {
  auto result = cast<RankedTensorType>(resultType);
  return result.getNumElements() == 0
             ? Attribute()
             : Attribute(DenseElementsAttr::get(result, number));
}

/// All bits are 0, or 1.
static Attribute foldToBits(Type resultType, bool ones) {
  unsigned width = getElementTypeOrSelf(resultType).getIntOrFloatBitWidth();
  return foldToNumber(resultType,
                      ones ? APInt::getAllOnes(width) : APInt::getZero(width));
}

static Attribute foldToBool(Type resultType, bool value) {
  return foldToNumber(resultType, APInt(1, value));
}

/// The operand that a maximum or a minimum is whatever the other one is.
static OpFoldResult foldChoice(std::optional<bool> isFirst,
                               std::optional<bool> isSecond, Operation *op,
                               ArrayRef<Attribute> constants) {
  if (!isFirst.value_or(false) && !isSecond.value_or(false))
    return {};
  unsigned chosen = isFirst.value_or(false) ? 0 : 1;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (op->getOperand(chosen).getType() == result)
    return op->getOperand(chosen);
  auto constant = dyn_cast_or_null<DenseElementsAttr>(constants[chosen]);
  if (constant && constant.isSplat() && result.getNumElements() != 0)
    return constant.resizeSplat(result);
  return {};
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &x, const APFloat &) { return abs(x); },
      [](const APInt &x, const APInt &, bool isUnsigned) {
        return isUnsigned ? x : x.abs();
      });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &x, const APFloat &) { return -x; },
      [](const APInt &x, const APInt &, bool) { return -x; });
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  return foldArithmetic(getType(), adaptor.getOperands(), nullptr,
                        [](const APInt &x, const APInt &, bool) { return ~x; });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 is not x for -0, but x + -0 is.
  if (Value x = foldNeutral(SplatNumber(adaptor.getRhs()).isMinusZero, getLhs(),
                            getType()))
    return x;
  if (Value x = foldNeutral(SplatNumber(adaptor.getLhs()).isMinusZero, getRhs(),
                            getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b, bool) { return a + b; });
}

OpFoldResult SumOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  auto elementType = getType().getElementType();
  Type computeType = getComputeType(elementType);
  if (!isa<IntegerType>(elementType) && !isFoldableFloat(elementType))
    return {};
  return foldElementwise(
      getType(), adaptor.getOperands(),
      [&](ArrayRef<Attribute> args) -> Attribute {
        if (isa<IntegerType>(elementType)) {
          APInt sum = cast<IntegerAttr>(args.front()).getValue();
          for (Attribute arg : args.drop_front())
            sum += cast<IntegerAttr>(arg).getValue();
          return IntegerAttr::get(elementType, sum);
        }
        APFloat sum =
            convert(cast<FloatAttr>(args.front()).getValue(), computeType);
        for (Attribute arg : args.drop_front())
          sum = sum + convert(cast<FloatAttr>(arg).getValue(), computeType);
        if (sum.isNaN())
          return {};
        return FloatAttr::get(elementType, convert(sum, elementType));
      });
}

namespace {
/// A sum of two is added in the same type, and rounded once as well.
struct SumOfTwo : OpRewritePattern<SumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2)
      return rewriter.notifyMatchFailure(op, "there are not two operands");
    auto add = AddOp::create(rewriter, op.getLoc(), op.getInputs()[0],
                             op.getInputs()[1]);
    add->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, add);
    return success();
  }
};
} // namespace

void SumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<SumOfTwo>(context);
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() && isa<IntegerType>(getType().getElementType()))
    return foldToBits(getType(), false);
  if (Value x = foldNeutral(SplatNumber(adaptor.getRhs()).isPlusZero, getLhs(),
                            getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b, bool) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (Value x =
          foldNeutral(SplatNumber(adaptor.getRhs()).isOne, getLhs(), getType()))
    return x;
  if (Value x =
          foldNeutral(SplatNumber(adaptor.getLhs()).isOne, getRhs(), getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b, bool) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (Value x =
          foldNeutral(SplatNumber(adaptor.getRhs()).isOne, getLhs(), getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return a / b; },
      [](const APInt &a, const APInt &b, bool isUnsigned) {
        if (b.isZero())
          return APInt::getAllOnes(a.getBitWidth());
        // APInt wraps the least integer divided by -1.
        return isUnsigned ? a.udiv(b) : a.sdiv(b);
      });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  // The device's remainder of floats is not one APFloat defines to the bit.
  if (isa<FloatType>(getType().getElementType()))
    return {};
  return foldArithmetic(getType(), adaptor.getOperands(), nullptr,
                        [](const APInt &a, const APInt &b, bool isUnsigned) {
                          if (b.isZero())
                            return a;
                          return isUnsigned ? a.urem(b) : a.srem(b);
                        });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult x = foldChoice(detail::isAtMost(getRhs(), getLhs()),
                                  detail::isAtMost(getLhs(), getRhs()), *this,
                                  adaptor.getOperands()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return maximum(a, b); },
      [](const APInt &a, const APInt &b, bool isUnsigned) {
        return isUnsigned ? llvm::APIntOps::umax(a, b)
                          : llvm::APIntOps::smax(a, b);
      });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult x = foldChoice(detail::isAtMost(getLhs(), getRhs()),
                                  detail::isAtMost(getRhs(), getLhs()), *this,
                                  adaptor.getOperands()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(),
      [](const APFloat &a, const APFloat &b) { return minimum(a, b); },
      [](const APInt &a, const APInt &b, bool isUnsigned) {
        return isUnsigned ? llvm::APIntOps::umin(a, b)
                          : llvm::APIntOps::smin(a, b);
      });
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (detail::areComplements(getLhs(), getRhs()))
    return foldToBits(getType(), false);
  bool isSame = getLhs() == getRhs();
  if (Value x = foldNeutral(isSame || SplatNumber(adaptor.getRhs()).isAllOnes,
                            getLhs(), getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(), nullptr,
      [](const APInt &a, const APInt &b, bool) { return a & b; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (detail::areComplements(getLhs(), getRhs()))
    return foldToBits(getType(), true);
  bool isSame = getLhs() == getRhs();
  if (Value x = foldNeutral(isSame || SplatNumber(adaptor.getRhs()).isPlusZero,
                            getLhs(), getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(), nullptr,
      [](const APInt &a, const APInt &b, bool) { return a | b; });
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return foldToBits(getType(), false);
  if (detail::areComplements(getLhs(), getRhs()))
    return foldToBits(getType(), true);
  if (Value x = foldNeutral(SplatNumber(adaptor.getRhs()).isPlusZero, getLhs(),
                            getType()))
    return x;
  return foldArithmetic(
      getType(), adaptor.getOperands(), nullptr,
      [](const APInt &a, const APInt &b, bool) { return a ^ b; });
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// Folds a shift by zeros to its operand, and a shift of constants. APInt
/// limits counts to the width, as the ops do.
template <typename OpT>
static OpFoldResult foldShift(OpT op, typename OpT::FoldAdaptor adaptor,
                              IntFn shift) {
  if (Value x = foldNeutral(SplatNumber(adaptor.getRhs()).isPlusZero,
                            op.getLhs(), op.getType()))
    return x;
  return foldArithmetic(op.getType(), adaptor.getOperands(), nullptr, shift);
}

OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor, [](const APInt &a, const APInt &b, bool) {
    return a.shl(b);
  });
}

OpFoldResult ShiftRightLogicalOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor, [](const APInt &a, const APInt &b, bool) {
    return a.lshr(b);
  });
}

OpFoldResult ShiftRightArithmeticOp::fold(FoldAdaptor adaptor) {
  return foldShift(*this, adaptor, [](const APInt &a, const APInt &b, bool) {
    return a.ashr(b);
  });
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static APFloat::cmpResult compare(Attribute lhs, Attribute rhs) {
  if (auto number = dyn_cast<FloatAttr>(lhs))
    return number.getValue().compare(cast<FloatAttr>(rhs).getValue());
  bool isUnsigned = cast<IntegerAttr>(lhs).getType().isUnsignedInteger();
  APInt a = cast<IntegerAttr>(lhs).getValue();
  APInt b = cast<IntegerAttr>(rhs).getValue();
  if (a == b)
    return APFloat::cmpEqual;
  bool isLess = isUnsigned ? a.ult(b) : a.slt(b);
  return isLess ? APFloat::cmpLessThan : APFloat::cmpGreaterThan;
}

static Attribute foldCompare(Type resultType, ArrayRef<Attribute> operands,
                             bool (*holds)(APFloat::cmpResult)) {
  return foldElementwise(cast<RankedTensorType>(resultType), operands,
                         [&](ArrayRef<Attribute> args) -> Attribute {
                           return BoolAttr::get(
                               resultType.getContext(),
                               holds(compare(args[0], args[1])));
                         });
}

OpFoldResult EqualOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isEqual(getLhs(), getRhs()))
    return foldToBool(getType(), *known);
  return foldCompare(
      getType(), adaptor.getOperands(),
      [](APFloat::cmpResult r) { return r == APFloat::cmpEqual; });
}

OpFoldResult NotEqualOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isEqual(getLhs(), getRhs()))
    return foldToBool(getType(), !*known);
  return foldCompare(
      getType(), adaptor.getOperands(),
      [](APFloat::cmpResult r) { return r != APFloat::cmpEqual; });
}

OpFoldResult LessOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isLess(getLhs(), getRhs()))
    return foldToBool(getType(), *known);
  return foldCompare(
      getType(), adaptor.getOperands(),
      [](APFloat::cmpResult r) { return r == APFloat::cmpLessThan; });
}

OpFoldResult LessEqualOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isAtMost(getLhs(), getRhs()))
    return foldToBool(getType(), *known);
  return foldCompare(
      getType(), adaptor.getOperands(), [](APFloat::cmpResult r) {
        return r == APFloat::cmpLessThan || r == APFloat::cmpEqual;
      });
}

OpFoldResult GreaterOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isLess(getRhs(), getLhs()))
    return foldToBool(getType(), *known);
  return foldCompare(
      getType(), adaptor.getOperands(),
      [](APFloat::cmpResult r) { return r == APFloat::cmpGreaterThan; });
}

OpFoldResult GreaterEqualOp::fold(FoldAdaptor adaptor) {
  if (std::optional<bool> known = detail::isAtMost(getRhs(), getLhs()))
    return foldToBool(getType(), *known);
  return foldCompare(
      getType(), adaptor.getOperands(), [](APFloat::cmpResult r) {
        return r == APFloat::cmpGreaterThan || r == APFloat::cmpEqual;
      });
}

//===----------------------------------------------------------------------===//
// Select and cast
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  auto condition = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCondition());
  if (condition && condition.isSplat()) {
    Value arm = condition.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
    if (arm.getType() == getType())
      return arm;
  }
  return foldElementwise(
      getType(), adaptor.getOperands(), [](ArrayRef<Attribute> args) {
        return cast<BoolAttr>(args[0]).getValue() ? args[1] : args[2];
      });
}

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// One element of a cast from a float.
static Attribute castFloat(const APFloat &x, Type to) {
  if (to.isInteger(1))
    return BoolAttr::get(to.getContext(), !x.isZero());
  if (auto integer = dyn_cast<IntegerType>(to)) {
    // Saturates, and gives 0 for NaN.
    llvm::APSInt y(integer.getWidth(), isUnsigned(to));
    bool isExact;
    x.convertToInteger(y, APFloat::rmTowardZero, &isExact);
    return IntegerAttr::get(to, y);
  }
  if (x.isNaN() || !isFoldableFloat(to))
    return {};
  return FloatAttr::get(to, convert(x, to));
}

/// One element of a cast from an integer.
static Attribute castInt(const APInt &x, Type from, Type to) {
  if (to.isInteger(1))
    return BoolAttr::get(to.getContext(), !x.isZero());
  if (auto integer = dyn_cast<IntegerType>(to))
    return IntegerAttr::get(to, isUnsigned(from)
                                    ? x.zextOrTrunc(integer.getWidth())
                                    : x.sextOrTrunc(integer.getWidth()));
  if (!isFoldableFloat(to))
    return {};
  APFloat y(cast<FloatType>(to).getFloatSemantics());
  y.convertFromAPInt(x, !isUnsigned(from), APFloat::rmNearestTiesToEven);
  return FloatAttr::get(to, y);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  Type from = getInput().getType().getElementType();
  Type to = getType().getElementType();
  return foldElementwise(getType(), adaptor.getOperands(),
                         [&](ArrayRef<Attribute> args) -> Attribute {
                           if (auto x = dyn_cast<IntegerAttr>(args[0]))
                             return castInt(x.getValue(), from, to);
                           if (!isFoldableFloat(from))
                             return {};
                           return castFloat(cast<FloatAttr>(args[0]).getValue(),
                                            to);
                         });
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Without addends, the result is what the chains start from. Starting from +0
/// is what they do without `acc`.
template <typename OpTy>
static OpFoldResult foldContraction(OpTy op, int64_t numAddends,
                                    Attribute acc) {
  if (!op.getAcc())
    return {};
  if (numAddends == 0)
    return op.getAcc();
  if (!SplatNumber(acc).isPlusZero)
    return {};
  op.getAccMutable().clear();
  return op.getResult();
}

OpFoldResult MatmulOp::fold(FoldAdaptor adaptor) {
  return foldContraction(*this, getLhs().getType().getShape().back(),
                         adaptor.getAcc());
}

OpFoldResult ConvOp::fold(FoldAdaptor adaptor) {
  return foldContraction(*this, getWeights().getType().getDimSize(1),
                         adaptor.getAcc());
}
