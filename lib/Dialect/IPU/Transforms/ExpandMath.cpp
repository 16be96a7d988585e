//===- ExpandMath.cpp - Expansion of math functions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: codelets with any ops of the math dialect. Out: codelets with
// only the ops that engines execute, because IEEE 754 defines them
// exactly.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Support/DoubleMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

namespace mlir::ipu {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Functions in f32
//===----------------------------------------------------------------------===//

namespace {
/// Builds functions of f32 that are most used, and off by less than one unit in
/// the last place.
class SingleMath : public FloatBuilder {
public:
  SingleMath(OpBuilder &builder, Location loc)
      : FloatBuilder(builder, loc, builder.getF32Type()) {}

  Value exp(Value x);
};
} // namespace

/// 2^n * e^r with n * ln(2) + r = x; a polynomial for the latter.
Value SingleMath::exp(Value x) {
  // Of a float of this size the last place is 1: adding it rounds to an
  // integer, which then is in the low bits.
  constexpr double kRounder = 12582912.0;
  // ln(2) in two parts. Bits of the first product that do not fit cancel.
  constexpr double kLn2 = 0x1.62e43p-1, kLn2Rest = -0x1.05c61p-29;

  // Beyond these bounds the result is infinite or 0; of NaNs neither is true.
  Value greatest = real(89.0), least = real(-104.5);
  x = select(compare(Predicate::OGT, x, greatest), greatest, x);
  x = select(compare(Predicate::OLT, x, least), least, x);

  Value rounder = real(kRounder);
  Value rounded = fma(x, real(0x1.715476p0), rounder);
  Value n = sub(rounded, rounder);
  Value r = fma(n, real(-kLn2), x);
  r = fma(n, real(-kLn2Rest), r);
  // Off by at most 2^-28 of e^r where |r| is at most ln(2) / 2.
  Value y = polynomial(r, {1.0, 1.0, 0x1.fffffcp-2, 0x1.555492p-3,
                           0x1.5558b6p-5, 0x1.1239a2p-7, 0x1.6a4748p-10});

  // 2^n may be no f32, but both factors are, and nothing else is rounded than
  // the last product. Shifts leave those bits of n that are exponents.
  Value bits = toBits(rounded);
  Value one = integer(1), place = integer(23);
  Value half = shiftLeft(arith::ShRSIOp::create(b, bits, one), place);
  Value rest = arith::SubIOp::create(b, shiftLeft(bits, place), half);
  Value bitsOfOne = integer(0x3F800000);
  y = mul(y, fromBits(addInteger(half, bitsOfOne)));
  return mul(y, fromBits(addInteger(rest, bitsOfOne)));
}

//===----------------------------------------------------------------------===//
// Functions in f64
//===----------------------------------------------------------------------===//

namespace {
/// Builds other functions of f32 as arithmetic on f64. What is lost there is
/// far below the last place of f32, so that nearly all results are the
/// correctly rounded ones; results that overflow or are denormal are rounded
/// like all others.
class WideMath : public PairBuilder {
public:
  using PairBuilder::PairBuilder;

  Value exp(Value x);
  Value log(Value x);
  Value tanh(Value x);
  Value pow(Value x, Value y);
  /// The sine of x, or of x + pi / 2.
  Value sin(Value x, bool isCosine);

private:
  Pair getTurns(Value x);
};
} // namespace

static constexpr double kLn2 = 0.69314718055994530942;

/// 2^n * e^r with n * ln(2) + r = x; a series for the latter.
Value WideMath::exp(Value x) {
  // Beyond these bounds f32 is infinite or 0.
  x = clamp(x, -160.0, 160.0);
  Value rounded = fma(x, real(1 / kLn2), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  Value r = fma(n, real(-kLn2), x);
  Value y =
      polynomial(r, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                     1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800});
  return mul(y, powerOfTwo(toBits(rounded)));
}

/// n * ln(2) + ln(m) with 2^n * m = x and m about 1; a series for the latter.
Value WideMath::log(Value x) {
  auto [m, n] = splitExponent(x);
  // ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
  Value s = div(sub(m, real(1.0)), add(m, real(1.0)));
  Value series =
      polynomial(mul(s, s), {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11,
                             2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21});
  return selectLog(x, fma(n, real(kLn2), mul(s, series)));
}

/// (e^2x - 1) / (e^2x + 1), or a series where that cancels.
Value WideMath::tanh(Value x) {
  Value power = exp(add(x, x));
  Value y = div(sub(power, real(1.0)), add(power, real(1.0)));
  Value series =
      mul(x, polynomial(mul(x, x), {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315}));
  return select(compare(Predicate::OLT, abs(x), real(1.0 / 64)), series, y);
}

/// e^(y ln|x|).
Value WideMath::pow(Value x, Value y) {
  Value magnitude = abs(x);
  // ln(1) times infinity is no NaN here.
  Value product = select(compare(Predicate::OEQ, magnitude, real(1.0)),
                         real(0.0), mul(y, log(magnitude)));
  return selectPow(x, y, exp(product));
}

/// The quarter turns in x, modulo 4, for any x of f32: as a rounded number and
/// what it lacks.
PairBuilder::Pair WideMath::getTurns(Value x) {
  // 2 / pi in pieces of 29 bits, whose products with 24 bits are exact. So are
  // the multiples of 4 that are taken away from the products.
  constexpr int64_t kPieces[] = {341782637, 423170132, 352195499, 488592205,
                                 461485765, 90590992,  478285810};
  Pair turns;
  int exponent = 0;
  for (int64_t piece : kPieces) {
    exponent -= 29;
    Value product =
        mul(x, real(std::ldexp(static_cast<double>(piece), exponent)));
    Value whole = math::RoundEvenOp::create(b, mul(product, real(0.25)));
    product = fma(whole, real(-4.0), product);
    if (!turns.hi) {
      turns = extend(product);
      continue;
    }
    Pair next = sum(turns.hi, product);
    turns = {next.hi, add(turns.lo, next.lo)};
  }
  return turns;
}

/// x = n * pi / 2 + r; series for r, chosen by n modulo 4.
Value WideMath::sin(Value x, bool isCosine) {
  constexpr double kHalfPi = 1.5707963267948966192;
  constexpr double kHalfPiRest = 6.1232339957367660359e-17;
  Value rounded = fma(x, real(1 / kHalfPi), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  // The first is exact: the bits that do not fit cancel.
  Value r = fma(n, real(-kHalfPi), x);
  r = fma(n, real(-kHalfPiRest), r);

  // Where n is not exact, turns are counted modulo 4 from the start.
  auto [turns, rest] = getTurns(x);
  Value roundedTurns = add(turns, real(kRounder));
  Value part = add(sub(turns, sub(roundedTurns, real(kRounder))), rest);
  Value isLarge = compare(Predicate::OGT, abs(x), real(std::ldexp(1.0, 40)));
  rounded = select(isLarge, roundedTurns, rounded);
  r = select(isLarge, mul(part, real(kHalfPi)), r);

  Value square = mul(r, r);
  Value sine = mul(
      r, polynomial(square, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040,
                             1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800}));
  Value cosine =
      polynomial(square, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
                          -1.0 / 3628800, 1.0 / 479001600});

  return selectQuadrant(toBits(rounded), sine, cosine, isCosine);
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

/// What `op` is of operands `x`, for functions that both builders have.
template <typename Math>
static Value buildFunction(Operation *op, Math &math, ValueRange x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return math.exp(x[0]); })
      .Case([&](math::LogOp) { return math.log(x[0]); })
      .Case([&](math::TanhOp) { return math.tanh(x[0]); })
      .Case([&](math::SinOp) { return math.sin(x[0], false); })
      .Case([&](math::CosOp) { return math.sin(x[0], true); })
      .Case([&](math::PowFOp) { return math.pow(x[0], x[1]); })
      .Default([](Operation *) { return Value(); });
}

static Value buildOfSingle(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  if (isa<math::ExpOp>(op))
    return SingleMath(builder, loc).exp(op->getOperand(0));
  SmallVector<Value> extended;
  for (Value x : op->getOperands())
    extended.push_back(
        arith::ExtFOp::create(builder, loc, builder.getF64Type(), x));
  WideMath math(builder, loc);
  Value y = buildFunction(op, math, extended);
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), y);
}

static Value buildOfDouble(OpBuilder &builder, Operation *op) {
  DoubleMath math(builder, op->getLoc());
  if (isa<math::ErfOp>(op))
    return math.erf(op->getOperand(0));
  if (isa<math::RsqrtOp>(op))
    return math.rsqrt(op->getOperand(0));
  return buildFunction(op, math, op->getOperands());
}

/// Replaces `op` if it is a function that is built in f64.
static void expandWide(Operation *op) {
  bool isShared = isa<math::ExpOp, math::LogOp, math::TanhOp, math::SinOp,
                      math::CosOp, math::PowFOp>(op);
  if (!isShared && !isa<math::ErfOp, math::RsqrtOp>(op))
    return;
  Type type = op->getResult(0).getType();
  OpBuilder builder(op);
  Value y;
  if (type.isF64())
    y = buildOfDouble(builder, op);
  else if (type.isF32() && isShared)
    y = buildOfSingle(builder, op);
  else
    return;
  op->getResult(0).replaceAllUsesWith(y);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandMath : ipu::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    // Before and after the patterns, of which one would make a less exact rsqrt
    // of f64, and others make functions of functions.
    getOperation().walk(expandWide);
    RewritePatternSet expansions(&getContext());
    math::populateExpansionPatterns(
        expansions,
        {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "exp2", "rsqrt"});
    if (failed(applyPatternsGreedily(getOperation().getBody(),
                                     std::move(expansions))))
      return signalPassFailure();
    getOperation().walk(expandWide);
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      // The approximation of cbrt calls powf of a constant; nothing needs it.
      return name != math::CbrtOp::getOperationName() &&
             name != math::RsqrtOp::getOperationName();
    });
    if (failed(applyPatternsGreedily(getOperation().getBody(),
                                     std::move(patterns))))
      return signalPassFailure();

    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()) || getScalarOpcode(op))
        return WalkResult::advance();
      op->emitOpError() << "is unsupported for " << op->getResult(0).getType()
                        << ": the op has no expansion";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
