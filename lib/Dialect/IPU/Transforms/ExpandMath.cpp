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
#include "ipu-mlir/Support/ComposedMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

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
// Replacement
//===----------------------------------------------------------------------===//

/// What `op` is of operands `x`, for functions that both builders have.
template <typename Math>
static Value buildFunction(Operation *op, Math &math, ValueRange x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return math.exp(x[0]); })
      .Case([&](math::ExpM1Op) { return math.expm1(x[0]); })
      .Case([&](math::LogOp) { return math.log(x[0]); })
      .Case([&](math::Log1pOp) { return math.log1p(x[0]); })
      .Case([&](math::TanhOp) { return math.tanh(x[0]); })
      .Case([&](math::SinhOp) { return math.sinh(x[0]); })
      .Case([&](math::CoshOp) { return math.cosh(x[0]); })
      .Case([&](math::AsinhOp) { return math.asinh(x[0]); })
      .Case([&](math::AcoshOp) { return math.acosh(x[0]); })
      .Case([&](math::AtanhOp) { return math.atanh(x[0]); })
      .Case([&](math::AsinOp) { return math.asin(x[0]); })
      .Case([&](math::AcosOp) { return math.acos(x[0]); })
      .Case([&](math::AtanOp) { return math.atan(x[0]); })
      .Case([&](math::Atan2Op) { return math.atan2(x[0], x[1]); })
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
  ComposedMath<WideMath> math(builder, loc);
  Value y = buildFunction(op, math, extended);
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), y);
}

static Value buildOfDouble(OpBuilder &builder, Operation *op) {
  ComposedMath<DoubleMath> math(builder, op->getLoc());
  if (isa<math::ErfOp>(op))
    return math.erf(op->getOperand(0));
  if (isa<math::RsqrtOp>(op))
    return math.rsqrt(op->getOperand(0));
  return buildFunction(op, math, op->getOperands());
}

/// Replaces `op` if it is a function that is built in f64.
static void expandWide(Operation *op) {
  bool isShared =
      isa<math::ExpOp, math::ExpM1Op, math::LogOp, math::Log1pOp, math::TanhOp,
          math::SinhOp, math::CoshOp, math::AsinhOp, math::AcoshOp,
          math::AtanhOp, math::AsinOp, math::AcosOp, math::AtanOp,
          math::Atan2Op, math::SinOp, math::CosOp, math::PowFOp>(op);
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
    math::populateExpansionPatterns(expansions, {"tan", "exp2", "rsqrt"});
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
