//===- ElementwiseGradients.cpp - Gradients of elementwise ops --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the comments, x, a and b are operands and y is the result; dx, da, db and
// dy are their gradients.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildMasked;
using pop::detail::buildWide;

static constexpr APFloat::roundingMode kRounding = APFloat::rmNearestTiesToEven;

/// dy * factor
static LogicalResult addScaled(GradientBuilder &b, Value x, Value dy,
                               Value factor) {
  b.add(x, b.build<MulOp>(dy, factor));
  return success();
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

LogicalResult AbsOp::buildGradients(GradientBuilder &b) {
  Value sign = b.build<SignOp>(b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()), sign);
}

LogicalResult NegOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(), b.build<NegOp>(b.getGradient(getResult())));
  return success();
}

LogicalResult ReluOp::buildGradients(GradientBuilder &b) {
  // y > 0 is x > 0, and y is often kept anyway.
  Value y = b.getForward(getResult());
  Value isPositive = b.build<GreaterOp>(y, b.buildScalar(y, 0.0));
  b.add(getInput(), buildMasked(b, isPositive, b.getGradient(getResult())));
  return success();
}

LogicalResult ExpOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.getForward(getResult()));
}

LogicalResult Expm1Op::buildGradients(GradientBuilder &b) {
  // The sum y + 1 would cancel where y is near -1.
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<ExpOp>(b.getForward(getInput())));
}

LogicalResult LogOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(),
        b.build<DivOp>(b.getGradient(getResult()), b.getForward(getInput())));
  return success();
}

LogicalResult Log1pOp::buildGradients(GradientBuilder &b) {
  Value x = b.getForward(getInput());
  Value more = b.build<AddOp>(x, b.buildScalar(x, 1.0));
  b.add(getInput(), b.build<DivOp>(b.getGradient(getResult()), more));
  return success();
}

LogicalResult SqrtOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value half =
      b.build<MulOp>(b.getGradient(getResult()), b.buildScalar(y, 0.5));
  b.add(getInput(), b.build<DivOp>(half, y));
  return success();
}

LogicalResult RsqrtOp::buildGradients(GradientBuilder &b) {
  // y / x is y^3, with less of the error of y, and does not overflow before.
  Value y = b.getForward(getResult());
  Value half = b.build<MulOp>(y, b.buildScalar(y, -0.5));
  Value slope = b.build<DivOp>(half, b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

LogicalResult ReciprocalOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<NegOp>(b.build<MulOp>(y, y)));
}

LogicalResult TanhOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value one = b.buildScalar(y, 1.0);
  Value slope = b.build<SubOp>(one, b.build<MulOp>(y, y));
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

LogicalResult SigmoidOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value rest = b.build<SubOp>(b.buildScalar(y, 1.0), y);
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<MulOp>(y, rest));
}

LogicalResult ErfOp::buildGradients(GradientBuilder &b) {
  Value x = b.getForward(getInput());
  Value factor = b.buildScalar(x, 2.0 * llvm::numbers::inv_sqrtpi);
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<MulOp>(b.build<GaussianOp>(x), factor));
}

LogicalResult GaussianOp::buildGradients(GradientBuilder &b) {
  Value x = buildWide(b, b.getForward(getInput()));
  Value y = b.getForward(getResult());
  // A denormal result has too few digits for a multiple of it.
  if (isNarrowFloat(getType().getElementType()))
    y = b.build<GaussianOp>(x);
  Value product = b.build<MulOp>(x, y);
  return addScaled(b, getInput(), buildWide(b, b.getGradient(getResult())),
                   b.build<MulOp>(product, b.buildScalar(x, -2.0)));
}

LogicalResult GeluOp::buildGradients(GradientBuilder &b) {
  Value slope =
      b.build<GeluSlopeOp>(b.getForward(getInput()), getApproximate());
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

/// (2 - x^2) e^(-x^2 / 2) / sqrt(2 pi)
static Value buildGeluCurvature(GradientBuilder &b, Value x) {
  Value square = b.build<MulOp>(x, x);
  Value factor = b.build<SubOp>(b.buildScalar(x, 2.0), square);
  Value root = b.build<GaussianOp>(b.build<MulOp>(x, b.buildScalar(x, 0.5)));
  Value scale =
      b.buildScalar(x, llvm::numbers::inv_sqrtpi / llvm::numbers::sqrt2);
  // The square of the root may be denormal, and then has too few digits.
  factor = b.build<MulOp>(factor, scale);
  return b.build<MulOp>(root, b.build<MulOp>(root, factor));
}

/// Builds the second derivative of x s(v), where s is the logistic function and
/// v = x (c + d x^2). It is s(v) s(-v) (2 v' + x (v'' + v'^2 (s(-v) - s(v)))).
static Value buildTanhGeluCurvature(GradientBuilder &b, Value x) {
  constexpr double kCubic = 0.044715;
  auto scaled = [&](Value value, double factor) {
    return b.build<MulOp>(
        value, b.buildScalar(value, 2.0 * factor * llvm::numbers::inv_sqrtpi *
                                        llvm::numbers::sqrt2));
  };
  Value square = b.build<MulOp>(x, x), one = b.buildScalar(x, 1.0);
  auto quadratic = [&](double factor) {
    Value term = b.build<MulOp>(square, b.buildScalar(x, factor));
    return scaled(b.build<AddOp>(term, one), 1.0);
  };
  Value v = b.build<MulOp>(x, quadratic(kCubic));
  Value first = quadratic(3 * kCubic), second = scaled(x, 6 * kCubic);
  Value gate = b.build<SigmoidOp>(v);
  Value rest = b.build<SigmoidOp>(b.build<NegOp>(v));
  Value bend =
      b.build<MulOp>(b.build<MulOp>(first, first), b.build<SubOp>(rest, gate));
  bend = b.build<MulOp>(x, b.build<AddOp>(second, bend));
  Value twice = b.build<AddOp>(first, first);
  return b.build<MulOp>(b.build<MulOp>(gate, rest),
                        b.build<AddOp>(twice, bend));
}

LogicalResult GeluSlopeOp::buildGradients(GradientBuilder &b) {
  Value x = buildWide(b, b.getForward(getInput()));
  // Beyond these bounds the result is 0, also in f64, and powers of x may
  // overflow.
  x = b.build<MaxOp>(x, b.buildScalar(x, -40.0));
  x = b.build<MinOp>(x, b.buildScalar(x, 40.0));
  Value curvature = getApproximate() ? buildTanhGeluCurvature(b, x)
                                     : buildGeluCurvature(b, x);
  return addScaled(b, getInput(), buildWide(b, b.getGradient(getResult())),
                   curvature);
}

LogicalResult SinOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<CosOp>(b.getForward(getInput())));
}

LogicalResult CosOp::buildGradients(GradientBuilder &b) {
  Value sine = b.build<SinOp>(b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<NegOp>(sine));
}

LogicalResult SinhOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<CoshOp>(b.getForward(getInput())));
}

LogicalResult CoshOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<SinhOp>(b.getForward(getInput())));
}

/// dy / divisor, where the divisor is of a wide type.
static LogicalResult addQuotient(GradientBuilder &b, Value x, Value dy,
                                 Value divisor) {
  b.add(x, b.build<DivOp>(buildWide(b, dy), divisor));
  return success();
}

LogicalResult AsinhOp::buildGradients(GradientBuilder &b) {
  Value x = buildWide(b, b.getForward(getInput()));
  Value magnitude = b.build<AbsOp>(x);
  // Above this bound, where x^2 may overflow, sqrt(x^2 + 1) rounds to |x|.
  Value bounded = b.build<MinOp>(magnitude, b.buildScalar(x, 0x1p28));
  Value square = b.build<MulOp>(bounded, bounded);
  Value root = b.build<SqrtOp>(b.build<AddOp>(square, b.buildScalar(x, 1.0)));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     b.build<MaxOp>(root, magnitude));
}

LogicalResult AcoshOp::buildGradients(GradientBuilder &b) {
  Value x = buildWide(b, b.getForward(getInput()));
  Value one = b.buildScalar(x, 1.0);
  // The product of both factors may overflow.
  Value less = b.build<SqrtOp>(b.build<SubOp>(x, one));
  Value more = b.build<SqrtOp>(b.build<AddOp>(x, one));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     b.build<MulOp>(less, more));
}

LogicalResult AtanhOp::buildGradients(GradientBuilder &b) {
  Value x = buildWide(b, b.getForward(getInput()));
  Value one = b.buildScalar(x, 1.0);
  // 1 - x^2 would cancel.
  Value product =
      b.build<MulOp>(b.build<SubOp>(one, x), b.build<AddOp>(one, x));
  return addQuotient(b, getInput(), b.getGradient(getResult()), product);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

LogicalResult AddOp::buildGradients(GradientBuilder &b) {
  b.add(getLhs(), b.getGradient(getResult()));
  b.add(getRhs(), b.getGradient(getResult()));
  return success();
}

LogicalResult SubOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.add(getLhs(), dy);
  if (b.isNeeded(getRhs()))
    b.add(getRhs(), b.build<NegOp>(dy));
  return success();
}

LogicalResult MulOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (b.isNeeded(getLhs()))
    b.add(getLhs(), b.build<MulOp>(dy, b.getForward(getRhs())));
  if (b.isNeeded(getRhs()))
    b.add(getRhs(), b.build<MulOp>(dy, b.getForward(getLhs())));
  return success();
}

LogicalResult DivOp::buildGradients(GradientBuilder &b) {
  Value da = b.build<DivOp>(b.getGradient(getResult()), b.getForward(getRhs()));
  b.add(getLhs(), da);
  if (b.isNeeded(getRhs()))
    b.add(getRhs(),
          b.build<NegOp>(b.build<MulOp>(da, b.getForward(getResult()))));
  return success();
}

LogicalResult RemOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.add(getLhs(), dy);
  if (!b.isNeeded(getRhs()))
    return success();
  // y - a is -trunc(a / b) * b; the quotient is rounded to the integer.
  Value y = b.getForward(getResult()), lhs = b.getForward(getLhs());
  Value product = b.build<SubOp>(y, lhs);
  Value quotient = b.build<DivOp>(product, b.getForward(getRhs()));
  return addScaled(b, getRhs(), dy, b.build<RoundOp>(quotient));
}

/// Returns whether b * a^(b - 1) is exact enough for the constant exponent b.
/// The difference b - 1 must not be rounded. Also, b must be at least 1/2 or at
/// most -1, because between these numbers the power may overflow although the
/// product does not.
static bool hasExactSlope(Value exponent) {
  DenseFPElementsAttr values;
  if (!matchPattern(exponent, m_Constant(&values)))
    return false;
  return llvm::all_of(values.getValues<APFloat>(), [](APFloat value) {
    APFloat one(value.getSemantics(), 1), half = scalbn(one, -1, kRounding);
    bool isOutside = value >= half || value <= -one;
    return value.subtract(one, kRounding) == APFloat::opOK && isOutside;
  });
}

/// b * a^(b - 1). Below 1/2, what b - 1 is rounded by matters to a power of a
/// large or small number: there, the result is b * y / a, except for 0 / 0 and
/// for infinite numbers.
static Value buildSlopeOfBase(GradientBuilder &b, PowOp op, Value base,
                              Value exponent) {
  Value less = b.build<SubOp>(exponent, b.buildScalar(exponent, 1.0));
  Value slope = b.build<MulOp>(exponent, b.build<PowOp>(base, less));
  // The digits and exponents of f32 suffice for results in f16.
  if (op.getType().getElementType().isF16() || hasExactSlope(op.getRhs()))
    return slope;
  Value y = buildWide(b, b.getForward(op.getResult()));
  Value scaled = b.build<MulOp>(exponent, y);
  Value ratio = b.build<DivOp>(scaled, base);
  Value isNumber = b.build<EqualOp>(ratio, ratio);
  Value isSmall = b.build<LessOp>(exponent, b.buildScalar(exponent, 0.5));
  return b.build<SelectOp>(b.build<AndOp>(isNumber, isSmall), ratio, slope);
}

/// dy * b * a^(b - 1); the exponent 0 gives 0, also where 0^-1 is infinite.
static Value buildBaseGradient(GradientBuilder &b, PowOp op, Value dy) {
  dy = buildWide(b, dy);
  Value base = buildWide(b, b.getForward(op.getLhs()));
  Value exponent = buildWide(b, b.getForward(op.getRhs()));
  Value slope = buildSlopeOfBase(b, op, base, exponent);
  Value isConstant = b.build<EqualOp>(exponent, b.buildScalar(exponent, 0.0));
  Value isVariable = b.build<NotOp>(isConstant);
  return buildMasked(b, isVariable, b.build<MulOp>(dy, slope));
}

LogicalResult PowOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Value base = b.getForward(getLhs()), exponent = b.getForward(getRhs());
  if (b.isNeeded(getLhs()))
    b.add(getLhs(), buildBaseGradient(b, *this, dy));
  if (!b.isNeeded(getRhs()))
    return success();
  Value y = b.getForward(getResult());
  Value slope = b.build<MulOp>(y, b.build<LogOp>(base));
  Value zero = b.buildScalar(base, 0.0);
  Value isZero = b.build<EqualOp>(base, zero);
  Value isPositive = b.build<GreaterEqualOp>(exponent, zero);
  Value isElsewhere = b.build<NotOp>(b.build<AndOp>(isZero, isPositive));
  b.add(getRhs(), buildMasked(b, isElsewhere, b.build<MulOp>(dy, slope)));
  return success();
}

/// The gradients of a maximum or a minimum; `CompareOp` says where `op` is its
/// left operand and not its right one.
template <typename CompareOp, typename OpT>
static LogicalResult buildExtremumGradients(OpT op, GradientBuilder &b) {
  Value dy = b.getGradient(op.getResult());
  Value lhs = b.getForward(op.getLhs()), rhs = b.getForward(op.getRhs());
  Value isEqual = b.build<EqualOp>(lhs, rhs);
  Value half = b.build<MulOp>(dy, b.buildScalar(dy, 0.5));
  Value shared = buildMasked(b, isEqual, half);
  auto addOf = [&](Value operand, Value value, Value other) {
    if (b.isNeeded(operand))
      b.add(operand,
            b.build<SelectOp>(b.build<CompareOp>(value, other), dy, shared));
  };
  addOf(op.getLhs(), lhs, rhs);
  addOf(op.getRhs(), rhs, lhs);
  return success();
}

LogicalResult MaxOp::buildGradients(GradientBuilder &b) {
  return buildExtremumGradients<GreaterOp>(*this, b);
}

LogicalResult MinOp::buildGradients(GradientBuilder &b) {
  return buildExtremumGradients<LessOp>(*this, b);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

LogicalResult SumOp::buildGradients(GradientBuilder &b) {
  for (Value input : getInputs())
    b.add(input, b.getGradient(getResult()));
  return success();
}

LogicalResult SelectOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Value condition = b.getForward(getCondition());
  if (b.isNeeded(getOnTrue()))
    b.add(getOnTrue(), buildMasked(b, condition, dy));
  if (b.isNeeded(getOnFalse()))
    b.add(getOnFalse(), buildMasked(b, b.build<NotOp>(condition), dy));
  return success();
}

LogicalResult CastOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(), b.getGradient(getResult()));
  return success();
}

LogicalResult LossScaleOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(), b.getGradient(getResult()));
  return success();
}

LogicalResult AutoLossScaleProxyOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.add(getInput(), b.build<AutoLossScaleProxyOp>(dy, /*gradient=*/true));
  return success();
}
