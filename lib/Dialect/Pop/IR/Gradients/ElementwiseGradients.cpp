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

static constexpr APFloat::roundingMode kRounding = APFloat::rmNearestTiesToEven;

/// dy * factor
static LogicalResult addScaled(GradientBuilder &b, Value x, Value dy,
                               Value factor) {
  b.addGradient(x, b.mul(dy, factor));
  return success();
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

LogicalResult AbsOp::buildGradients(GradientBuilder &b) {
  Value sign = b.create<SignOp>(b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()), sign);
}

LogicalResult NegOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.neg(b.getGradient(getResult())));
  return success();
}

LogicalResult ReluOp::buildGradients(GradientBuilder &b) {
  // y > 0 is x > 0, and y is often kept anyway.
  Value y = b.getForward(getResult());
  Value isPositive = b.greater(y, b.splatLike(0.0, y));
  b.addGradient(getInput(), b.mask(isPositive, b.getGradient(getResult())));
  return success();
}

LogicalResult ExpOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.getForward(getResult()));
}

LogicalResult Expm1Op::buildGradients(GradientBuilder &b) {
  // The sum y + 1 would cancel where y is near -1.
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.exp(b.getForward(getInput())));
}

LogicalResult LogOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(),
                b.div(b.getGradient(getResult()), b.getForward(getInput())));
  return success();
}

LogicalResult Log1pOp::buildGradients(GradientBuilder &b) {
  Value x = b.getForward(getInput());
  Value more = b.add(x, b.splatLike(1.0, x));
  b.addGradient(getInput(), b.div(b.getGradient(getResult()), more));
  return success();
}

LogicalResult SqrtOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value half = b.mul(b.getGradient(getResult()), b.splatLike(0.5, y));
  b.addGradient(getInput(), b.div(half, y));
  return success();
}

LogicalResult RsqrtOp::buildGradients(GradientBuilder &b) {
  // y / x is y^3, with less of the error of y, and does not overflow before.
  Value y = b.getForward(getResult());
  Value half = b.mul(y, b.splatLike(-0.5, y));
  Value slope = b.div(half, b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

LogicalResult ReciprocalOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.neg(b.mul(y, y)));
}

LogicalResult TanhOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value one = b.splatLike(1.0, y);
  Value slope = b.sub(one, b.mul(y, y));
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

LogicalResult SigmoidOp::buildGradients(GradientBuilder &b) {
  Value y = b.getForward(getResult());
  Value rest = b.sub(b.splatLike(1.0, y), y);
  return addScaled(b, getInput(), b.getGradient(getResult()), b.mul(y, rest));
}

LogicalResult ErfOp::buildGradients(GradientBuilder &b) {
  Value x = b.getForward(getInput());
  Value factor = b.splatLike(2.0 * llvm::numbers::inv_sqrtpi, x);
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.mul(b.create<GaussianOp>(x), factor));
}

LogicalResult GaussianOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  Value y = b.getForward(getResult());
  // A denormal result has too few digits for a multiple of it.
  if (isNarrowFloat(getType().getElementType()))
    y = b.create<GaussianOp>(x);
  Value product = b.mul(x, y);
  Value dy = b.widen(b.getGradient(getResult()));
  return addScaled(b, getInput(), dy, b.mul(product, b.splatLike(-2.0, x)));
}

LogicalResult GeluOp::buildGradients(GradientBuilder &b) {
  Value slope = b.create<GeluSlopeOp>(b.getForward(getInput()),
                                      getApproximate(), getComputeAttr());
  return addScaled(b, getInput(), b.getGradient(getResult()), slope);
}

/// (2 - x^2) e^(-x^2 / 2) / sqrt(2 pi)
static Value buildGeluCurvature(GradientBuilder &b, Value x) {
  Value square = b.mul(x, x);
  Value factor = b.sub(b.splatLike(2.0, x), square);
  Value root = b.create<GaussianOp>(b.mul(x, b.splatLike(0.5, x)));
  Value scale =
      b.splatLike(llvm::numbers::inv_sqrtpi / llvm::numbers::sqrt2, x);
  // The square of the root may be denormal, and then has too few digits.
  factor = b.mul(factor, scale);
  return b.mul(root, b.mul(root, factor));
}

/// Builds the second derivative of x s(v), where s is the logistic function and
/// v = x (c + d x^2). It is s(v) s(-v) (2 v' + x (v'' + v'^2 (s(-v) - s(v)))).
static Value buildTanhGeluCurvature(GradientBuilder &b, Value x) {
  constexpr double kCubic = 0.044715;
  auto scaled = [&](Value value, double factor) {
    return b.mul(value, b.splatLike(2.0 * factor * llvm::numbers::inv_sqrtpi *
                                        llvm::numbers::sqrt2,
                                    value));
  };
  Value square = b.mul(x, x), one = b.splatLike(1.0, x);
  auto quadratic = [&](double factor) {
    Value term = b.mul(square, b.splatLike(factor, x));
    return scaled(b.add(term, one), 1.0);
  };
  Value v = b.mul(x, quadratic(kCubic));
  Value first = quadratic(3 * kCubic), second = scaled(x, 6 * kCubic);
  Value gate = b.create<SigmoidOp>(v);
  Value rest = b.create<SigmoidOp>(b.neg(v));
  Value squared = b.mul(first, first), balance = b.sub(rest, gate);
  Value bend = b.mul(x, b.add(second, b.mul(squared, balance)));
  Value twice = b.add(first, first), product = b.mul(gate, rest);
  return b.mul(product, b.add(twice, bend));
}

LogicalResult GeluSlopeOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  // Beyond these bounds the result is 0, also in f64, and powers of x may
  // overflow.
  x = b.max(x, b.splatLike(-40.0, x));
  x = b.min(x, b.splatLike(40.0, x));
  Value curvature = getApproximate() ? buildTanhGeluCurvature(b, x)
                                     : buildGeluCurvature(b, x);
  return addScaled(b, getInput(), b.widen(b.getGradient(getResult())),
                   curvature);
}

LogicalResult SinOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.create<CosOp>(b.getForward(getInput())));
}

LogicalResult CosOp::buildGradients(GradientBuilder &b) {
  Value sine = b.create<SinOp>(b.getForward(getInput()));
  return addScaled(b, getInput(), b.getGradient(getResult()), b.neg(sine));
}

LogicalResult SinhOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.create<CoshOp>(b.getForward(getInput())));
}

LogicalResult CoshOp::buildGradients(GradientBuilder &b) {
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.create<SinhOp>(b.getForward(getInput())));
}

/// dy / divisor, where the divisor is of a wide type.
static LogicalResult addQuotient(GradientBuilder &b, Value x, Value dy,
                                 Value divisor) {
  b.addGradient(x, b.div(b.widen(dy), divisor));
  return success();
}

LogicalResult AsinhOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  Value magnitude = b.abs(x);
  // Above this bound, where x^2 may overflow, sqrt(x^2 + 1) rounds to |x|.
  Value bounded = b.min(magnitude, b.splatLike(0x1p28, x));
  Value square = b.mul(bounded, bounded);
  Value root = b.sqrt(b.add(square, b.splatLike(1.0, x)));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     b.max(root, magnitude));
}

LogicalResult AcoshOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  Value one = b.splatLike(1.0, x);
  // The product of both factors may overflow.
  Value less = b.sqrt(b.sub(x, one));
  Value more = b.sqrt(b.add(x, one));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     b.mul(less, more));
}

/// Builds 1 - x^2 as a product, because the difference would cancel.
static Value buildOneMinusSquare(GradientBuilder &b, Value x) {
  Value one = b.splatLike(1.0, x);
  Value less = b.sub(one, x), more = b.add(one, x);
  return b.mul(less, more);
}

LogicalResult AtanhOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     buildOneMinusSquare(b, x));
}

/// Builds sqrt(1 - x^2).
static Value buildOtherLeg(GradientBuilder &b, Value x) {
  return b.sqrt(buildOneMinusSquare(b, x));
}

LogicalResult AsinOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     buildOtherLeg(b, x));
}

LogicalResult AcosOp::buildGradients(GradientBuilder &b) {
  Value x = b.widen(b.getForward(getInput()));
  return addQuotient(b, getInput(), b.getGradient(getResult()),
                     b.neg(buildOtherLeg(b, x)));
}

/// With the lesser and the greater one of |x| and 1, the slope is 1 /
/// (greater^2 (1 + (lesser / greater)^2)). The square of x may overflow.
LogicalResult AtanOp::buildGradients(GradientBuilder &b) {
  Value magnitude = b.abs(b.widen(b.getForward(getInput())));
  Value one = b.splatLike(1.0, magnitude);
  Value greater = b.max(magnitude, one);
  Value ratio = b.div(b.min(magnitude, one), greater);
  Value divisor = b.add(b.mul(ratio, ratio), one);
  Value slope = b.div(b.div(one, divisor), greater);
  return addQuotient(b, getInput(),
                     b.mul(b.widen(b.getGradient(getResult())), slope),
                     greater);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

LogicalResult AddOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getLhs(), b.getGradient(getResult()));
  b.addGradient(getRhs(), b.getGradient(getResult()));
  return success();
}

LogicalResult SubOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.addGradient(getLhs(), dy);
  if (b.isNeeded(getRhs()))
    b.addGradient(getRhs(), b.neg(dy));
  return success();
}

LogicalResult MulOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (b.isNeeded(getLhs()))
    b.addGradient(getLhs(), b.mul(dy, b.getForward(getRhs())));
  if (b.isNeeded(getRhs()))
    b.addGradient(getRhs(), b.mul(dy, b.getForward(getLhs())));
  return success();
}

LogicalResult DivOp::buildGradients(GradientBuilder &b) {
  Value da = b.div(b.getGradient(getResult()), b.getForward(getRhs()));
  b.addGradient(getLhs(), da);
  if (b.isNeeded(getRhs()))
    b.addGradient(getRhs(), b.neg(b.mul(da, b.getForward(getResult()))));
  return success();
}

LogicalResult RemOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.addGradient(getLhs(), dy);
  if (!b.isNeeded(getRhs()))
    return success();
  // y - a is -trunc(a / b) * b; the quotient is rounded to the integer.
  Value y = b.getForward(getResult()), lhs = b.getForward(getLhs());
  Value product = b.sub(y, lhs);
  Value quotient = b.div(product, b.getForward(getRhs()));
  return addScaled(b, getRhs(), dy, b.create<RoundOp>(quotient));
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
  Value less = b.sub(exponent, b.splatLike(1.0, exponent));
  Value slope = b.mul(exponent, b.create<PowOp>(base, less));
  // The digits and exponents of f32 suffice for results in f16.
  if (op.getType().getElementType().isF16() || hasExactSlope(op.getRhs()))
    return slope;
  Value y = b.widen(b.getForward(op.getResult()));
  Value scaled = b.mul(exponent, y);
  Value ratio = b.div(scaled, base);
  Value isNumber = b.equal(ratio, ratio);
  Value isSmall = b.less(exponent, b.splatLike(0.5, exponent));
  return b.select(b.create<AndOp>(isNumber, isSmall), ratio, slope);
}

/// dy * b * a^(b - 1); the exponent 0 gives 0, also where 0^-1 is infinite.
static Value buildBaseGradient(GradientBuilder &b, PowOp op, Value dy) {
  dy = b.widen(dy);
  Value base = b.widen(b.getForward(op.getLhs()));
  Value exponent = b.widen(b.getForward(op.getRhs()));
  Value slope = buildSlopeOfBase(b, op, base, exponent);
  Value isConstant = b.equal(exponent, b.splatLike(0.0, exponent));
  Value isVariable = b.create<NotOp>(isConstant);
  return b.mask(isVariable, b.mul(dy, slope));
}

LogicalResult PowOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Value base = b.getForward(getLhs()), exponent = b.getForward(getRhs());
  if (b.isNeeded(getLhs()))
    b.addGradient(getLhs(), buildBaseGradient(b, *this, dy));
  if (!b.isNeeded(getRhs()))
    return success();
  Value y = b.getForward(getResult());
  Value slope = b.mul(y, b.log(base));
  Value zero = b.splatLike(0.0, base);
  Value isZero = b.equal(base, zero);
  Value isPositive = b.create<GreaterEqualOp>(exponent, zero);
  Value isElsewhere = b.create<NotOp>(b.create<AndOp>(isZero, isPositive));
  b.addGradient(getRhs(), b.mask(isElsewhere, b.mul(dy, slope)));
  return success();
}

/// With q = less / more, where less and more are the coordinates of smaller and
/// larger magnitude, the slopes are 1 / (more * (1 + q^2)) and q / (more * (1 +
/// q^2)). No square of a coordinate overflows or vanishes.
LogicalResult Atan2Op::buildGradients(GradientBuilder &b) {
  Value dy = b.widen(b.getGradient(getResult()));
  Value y = b.widen(b.getForward(getLhs()));
  Value x = b.widen(b.getForward(getRhs()));
  Value height = b.abs(y), width = b.abs(x);
  Value isSteep = b.greater(height, width);
  Value more = b.select(isSteep, y, x), less = b.select(isSteep, x, y);
  Value ratio = b.div(less, more);
  Value square = b.mul(ratio, ratio);
  Value divisor = b.add(square, b.splatLike(1.0, ratio));
  Value larger = b.div(b.div(dy, divisor), more);
  Value smaller = b.mul(larger, ratio);
  if (b.isNeeded(getLhs()))
    b.addGradient(getLhs(), b.select(isSteep, smaller, larger));
  if (b.isNeeded(getRhs()))
    b.addGradient(getRhs(), b.neg(b.select(isSteep, larger, smaller)));
  return success();
}

/// The gradients of a maximum or a minimum; `CompareOp` says where `op` is its
/// left operand and not its right one.
template <typename CompareOp, typename OpT>
static LogicalResult buildExtremumGradients(OpT op, GradientBuilder &b) {
  Value dy = b.getGradient(op.getResult());
  Value lhs = b.getForward(op.getLhs()), rhs = b.getForward(op.getRhs());
  Value isEqual = b.equal(lhs, rhs);
  Value half = b.mul(dy, b.splatLike(0.5, dy));
  Value shared = b.mask(isEqual, half);
  auto addOf = [&](Value operand, Value value, Value other) {
    if (b.isNeeded(operand))
      b.addGradient(operand,
                    b.select(b.create<CompareOp>(value, other), dy, shared));
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
    b.addGradient(input, b.getGradient(getResult()));
  return success();
}

LogicalResult SelectOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Value condition = b.getForward(getCondition());
  if (b.isNeeded(getOnTrue()))
    b.addGradient(getOnTrue(), b.mask(condition, dy));
  if (b.isNeeded(getOnFalse()))
    b.addGradient(getOnFalse(), b.mask(b.create<NotOp>(condition), dy));
  return success();
}

LogicalResult CastOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.getGradient(getResult()));
  return success();
}

LogicalResult LossScaleOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.getGradient(getResult()));
  return success();
}

LogicalResult AutoLossScaleProxyOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  b.addGradient(getInput(),
                b.create<AutoLossScaleProxyOp>(dy, /*gradient=*/true));
  return success();
}
