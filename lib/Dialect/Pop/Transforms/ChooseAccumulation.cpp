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
    getOperation()->walk([&](AccumOpInterface op) {
      if (op.getAccumAttr())
        return;
      bool isBlocked = accumulation == AccumulationKind::Blocked;
      op.setAccumAttr(isBlocked ? op.chooseAccum() : op.getDefaultAccum());
    });
  }
};
} // namespace
