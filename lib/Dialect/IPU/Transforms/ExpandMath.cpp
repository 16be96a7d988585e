//===- ExpandMath.cpp - Math functions as arithmetic ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: codelets with any ops of the math dialect.
// Out: codelets with only those that engines execute, because IEEE 754 defines
// them exactly.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

namespace mlir::ipu {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Functions in f64
//===----------------------------------------------------------------------===//

namespace {
/// Builds functions of f32 as arithmetic on f64. What is lost there is far
/// below the last place of f32, so that nearly all results are the correctly
/// rounded ones; results that overflow or are denormal are rounded like all
/// others.
class WideMath {
public:
  WideMath(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value extend(Value x) { return arith::ExtFOp::create(b, b.getF64Type(), x); }
  Value truncate(Value x) {
    return arith::TruncFOp::create(b, b.getF32Type(), x);
  }
  Value exp(Value x);
  /// Of any f64 but subnormal ones, within 3 units in the last place.
  Value log(Value x);
  /// Of any f64.
  Value logOfDouble(Value x);
  Value tanh(Value x);
  Value pow(Value x, Value y);
  /// The sine of x, or of x + pi / 2.
  Value sin(Value x, bool isCosine);

private:
  std::pair<Value, Value> getTurns(Value x);

  using Predicate = arith::CmpFPredicate;

  Value real(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, b.getI64Type(), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, b.getF64Type(), x);
  }

  /// The sum of coefficients[i] * x^i.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value y = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      y = fma(y, x, real(coefficient));
    return y;
  }

  ImplicitLocOpBuilder b;
};
} // namespace

/// A double of this size has a unit of 1 in the last place: adding it rounds to
/// an integer, which then is in the low bits.
static constexpr double kRounder = 6755399441055744.0;
static constexpr int64_t kRounderBits = 0x4338000000000000;
static constexpr double kLn2 = 0.69314718055994530942;

/// 2^n * e^r with n * ln(2) + r = x; a series for the latter.
Value WideMath::exp(Value x) {
  // Beyond these bounds f32 is infinite or 0.
  x = arith::MaximumFOp::create(b, x, real(-160.0));
  x = arith::MinimumFOp::create(b, x, real(160.0));
  Value rounded = fma(x, real(1 / kLn2), real(kRounder));
  Value n = sub(rounded, real(kRounder));
  Value r = fma(n, real(-kLn2), x);
  Value y =
      polynomial(r, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                     1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800});
  Value biased = arith::AddIOp::create(b, toBits(rounded), integer(1023));
  Value scale = arith::ShLIOp::create(b, biased, integer(52));
  return mul(y, fromBits(scale));
}

/// e * ln(2) + ln(m) with 2^e * m = x and m about 1; a series for the latter.
Value WideMath::log(Value x) {
  // The bits of sqrt(1/2): m is between that and twice as much.
  constexpr int64_t kLeast = 0x3FE6A09E667F3BCD;
  Value bits = toBits(x);
  Value offset = arith::SubIOp::create(b, bits, integer(kLeast));
  Value e = arith::ShRSIOp::create(b, offset, integer(52));
  Value exponent = arith::ShLIOp::create(b, e, integer(52));
  Value m = fromBits(arith::SubIOp::create(b, bits, exponent));
  Value rounded = arith::AddIOp::create(b, e, integer(kRounderBits));
  Value n = sub(fromBits(rounded), real(kRounder));

  // ln(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
  Value s = div(sub(m, real(1.0)), add(m, real(1.0)));
  Value series =
      polynomial(mul(s, s), {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11,
                             2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21});
  Value y = fma(n, real(kLn2), mul(s, series));

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value zero = real(0.0);
  // Infinity and NaN give themselves.
  y = select(compare(Predicate::OLT, x, real(kInfinity)), y, x);
  y = select(compare(Predicate::OLT, x, zero),
             real(std::numeric_limits<double>::quiet_NaN()), y);
  return select(compare(Predicate::OEQ, x, zero), real(-kInfinity), y);
}

Value WideMath::logOfDouble(Value x) {
  Value isSubnormal =
      compare(Predicate::OLT, abs(x), real(std::numeric_limits<double>::min()));
  Value scaled = select(isSubnormal, mul(x, real(std::ldexp(1.0, 54))), x);
  Value lacking = select(isSubnormal, real(54 * kLn2), real(0.0));
  return sub(log(scaled), lacking);
}

/// (e^2x - 1) / (e^2x + 1), or a series where that cancels.
Value WideMath::tanh(Value x) {
  Value power = exp(add(x, x));
  Value y = div(sub(power, real(1.0)), add(power, real(1.0)));
  Value series =
      mul(x, polynomial(mul(x, x), {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315}));
  return select(compare(Predicate::OLT, abs(x), real(1.0 / 64)), series, y);
}

/// e^(y ln|x|), with the sign and the exceptions of IEEE 754's pow.
Value WideMath::pow(Value x, Value y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value zero = real(0.0), one = real(1.0), magnitude = abs(x);
  // ln(1) times infinity is no NaN here.
  Value product = select(compare(Predicate::OEQ, magnitude, one), zero,
                         mul(y, log(magnitude)));
  Value result = exp(product);

  Value half = mul(y, real(0.5));
  Value isInteger = compare(Predicate::OEQ, math::FloorOp::create(b, y), y);
  Value isHalf = compare(Predicate::UNE, math::FloorOp::create(b, half), half);
  Value sign = math::CopySignOp::create(b, one, x);
  Value isNegative =
      both(compare(Predicate::OLT, sign, zero), both(isInteger, isHalf));
  result = select(isNegative, negate(result), result);

  // A negative number has a power if the exponent is an integer or infinite.
  Value isBelow = both(compare(Predicate::OLT, x, zero),
                       compare(Predicate::OGT, x, real(-kInfinity)));
  Value isFraction = compare(Predicate::ONE, math::FloorOp::create(b, y), y);
  Value isNaN =
      either(both(isBelow, isFraction), compare(Predicate::UNO, x, y));
  result =
      select(isNaN, real(std::numeric_limits<double>::quiet_NaN()), result);
  return select(
      either(compare(Predicate::OEQ, x, one), compare(Predicate::OEQ, y, zero)),
      one, result);
}

/// The quarter turns in x, modulo 4, for any x of f32: as a rounded number and
/// what it lacks.
std::pair<Value, Value> WideMath::getTurns(Value x) {
  // 2 / pi in pieces of 29 bits, whose products with 24 bits are exact. So are
  // the multiples of 4 that are taken away from the products.
  constexpr int64_t kPieces[] = {341782637, 423170132, 352195499, 488592205,
                                 461485765, 90590992,  478285810};
  Value turns, rest = real(0.0);
  int exponent = 0;
  for (int64_t piece : kPieces) {
    exponent -= 29;
    Value product =
        mul(x, real(std::ldexp(static_cast<double>(piece), exponent)));
    Value whole = math::RoundEvenOp::create(b, mul(product, real(0.25)));
    product = fma(whole, real(-4.0), product);
    if (!turns) {
      turns = product;
      continue;
    }
    // Knuth's exact error of a sum.
    Value sum = add(turns, product);
    Value part = sub(sum, turns);
    Value error = add(sub(turns, sub(sum, part)), sub(product, part));
    rest = add(rest, error);
    turns = sum;
  }
  return {turns, rest};
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

  Value quadrant = toBits(rounded);
  if (isCosine)
    quadrant = arith::AddIOp::create(b, quadrant, integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = both(quadrant, integer(bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 integer(0));
  };
  Value y = select(hasBit(1), cosine, sine);
  return select(hasBit(2), negate(y), y);
}

/// Replaces `op` if it is a function of f32 that is built in f64, or one of
/// f64.
static void expandWide(Operation *op) {
  if (auto log = dyn_cast<math::LogOp>(op); log && log.getType().isF64()) {
    OpBuilder builder(op);
    WideMath math(builder, op->getLoc());
    log.replaceAllUsesWith(math.logOfDouble(log.getOperand()));
    log.erase();
    return;
  }
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
    return;
  OpBuilder builder(op);
  WideMath math(builder, op->getLoc());
  auto operand = [&](unsigned i) { return math.extend(op->getOperand(i)); };
  Value y = llvm::TypeSwitch<Operation *, Value>(op)
                .Case([&](math::ExpOp) { return math.exp(operand(0)); })
                .Case([&](math::LogOp) { return math.log(operand(0)); })
                .Case([&](math::TanhOp) { return math.tanh(operand(0)); })
                .Case([&](math::SinOp) { return math.sin(operand(0), false); })
                .Case([&](math::CosOp) { return math.sin(operand(0), true); })
                .Case([&](math::PowFOp) {
                  Value x = operand(0);
                  return math.pow(x, operand(1));
                })
                .Default([](Operation *) { return Value(); });
  if (!y)
    return;
  op->getResult(0).replaceAllUsesWith(math.truncate(y));
  op->erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ExpandMath : ipu::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
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
      // The approximation of cbrt calls powf of a constant; nobody needs it.
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
                        << ": it has no expansion";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
