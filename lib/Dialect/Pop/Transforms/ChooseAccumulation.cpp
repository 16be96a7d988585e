//===- ChooseAccumulation.cpp - Choice of accumulation orders ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops that accumulate, some without an order of accumulation. Out: the same
// ops, which all have an order of accumulation.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CHOOSEACCUMULATIONPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
struct ChooseAccumulationPass
    : pop::impl::ChooseAccumulationPassBase<ChooseAccumulationPass> {
  using ChooseAccumulationPassBase::ChooseAccumulationPassBase;

  void runOnOperation() override {
    int64_t numKept = 0;
    getOperation()->walk([&](AccumOpInterface op) {
      bool isBlocked = accumulation == AccumulationKind::Blocked;
      if (!op.getAccumAttr())
        op.setAccumAttr(choose(op, isBlocked));
      else if (warnsKept)
        numKept += op.getAccumAttr() == choose(op, !isBlocked) &&
                   op.getAccumAttr() != choose(op, isBlocked);
    });
    if (numKept > 0)
      warnKept(numKept);
  }

private:
  static AccumAttr choose(AccumOpInterface op, bool isBlocked) {
    return isBlocked ? op.chooseAccum() : op.getDefaultAccum();
  }

  void warnKept(int64_t count) {
    bool isBlocked = accumulation == AccumulationKind::Blocked;
    emitWarning(getOperation()->getLoc())
        << "'accumulation=" << (isBlocked ? "blocked" : "chain")
        << "' has no effect on " << count
        << " sums, for which an earlier pass chose the orders of '"
        << (isBlocked ? "chain" : "blocked")
        << "'; expects the option on the pass or pipeline that chooses first";
  }
};
} // namespace
