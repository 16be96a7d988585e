//===- ExpandMath.cpp - Math functions as arithmetic ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: codelets with any ops of the math dialect.
// Out: codelets with only those that IEEE 754 defines exactly.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Operations whose result is the correctly rounded one on every engine.
static bool isExact(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

/// MLIR's exp is a polynomial on the range of normal results, to whose ends it
/// clamps its operand. Makes it 0 and infinity outside of it.
static void guardExp(math::ExpOp op) {
  Type type = op.getType();
  if (!type.isF32())
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  // ln(2^-126) and ln(2^128).
  Value below = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                      op.getOperand(), constant(-87.33654));
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      op.getOperand(), constant(88.72284));
  Value low = arith::SelectOp::create(builder, loc, below, constant(0.0),
                                      op.getResult());
  Value result = arith::SelectOp::create(
      builder, loc, above, constant(std::numeric_limits<double>::infinity()),
      low);
  op.getResult().replaceAllUsesExcept(result, low.getDefiningOp());
}

namespace {
struct ExpandMath : ipu::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet expansions(&getContext());
    math::populateExpansionPatterns(expansions, {"sinh", "cosh", "tan", "asinh",
                                                 "acosh", "atanh", "powf",
                                                 "exp2", "round", "rsqrt"});
    if (failed(applyPatternsGreedily(getOperation().getBody(),
                                     std::move(expansions))))
      return signalPassFailure();
    getOperation().walk(guardExp);
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
      if (!isa<math::MathDialect>(op->getDialect()) || isExact(op))
        return WalkResult::advance();
      op->emitOpError() << "is unsupported for "
                        << op->getResult(0).getType()
                        << ": it has no expansion";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
