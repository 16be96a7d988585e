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

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildMasked;

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

LogicalResult LogOp::buildGradients(GradientBuilder &b) {
  b.add(getInput(),
        b.build<DivOp>(b.getGradient(getResult()), b.getForward(getInput())));
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
  Value y = b.getForward(getResult());
  Value cube = b.build<MulOp>(b.build<MulOp>(y, y), y);
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<MulOp>(cube, b.buildScalar(y, -0.5)));
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
  Value bell = b.build<ExpOp>(b.build<NegOp>(b.build<MulOp>(x, x)));
  Value factor = b.buildScalar(x, 2.0 * llvm::numbers::inv_sqrtpi);
  return addScaled(b, getInput(), b.getGradient(getResult()),
                   b.build<MulOp>(bell, factor));
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

/// dy * b * a^(b - 1); the exponent 0 gives 0, also where 0^-1 is infinite.
static Value buildBaseGradient(GradientBuilder &b, Value dy, Value base,
                               Value exponent) {
  Value less = b.build<SubOp>(exponent, b.buildScalar(exponent, 1.0));
  Value slope = b.build<MulOp>(exponent, b.build<PowOp>(base, less));
  Value isConstant = b.build<EqualOp>(exponent, b.buildScalar(exponent, 0.0));
  Value isVariable = b.build<NotOp>(isConstant);
  return buildMasked(b, isVariable, b.build<MulOp>(dy, slope));
}

LogicalResult PowOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Value base = b.getForward(getLhs()), exponent = b.getForward(getRhs());
  if (b.isNeeded(getLhs()))
    b.add(getLhs(), buildBaseGradient(b, dy, base, exponent));
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
