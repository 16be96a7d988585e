//===- DecomposeOptimizers.cpp - Decomposition of updates -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module without
// `pop.optimizer_step`.
//
//===----------------------------------------------------------------------===//

#include "../NumberedOp.h"
#include "OptimizerSteps.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <utility>

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSEOPTIMIZERSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Numbers the ops from `first` to the one before `step`, into which `step` was
/// decomposed, as 'pop-decompose' does.
static LogicalResult numberParts(OptimizerStepOp step, Block::iterator first) {
  std::optional<NumberedOp> numbered = NumberedOp::get(step);
  if (!numbered)
    return success();
  for (Operation &op : llvm::make_range(first, Block::iterator(step)))
    op.walk<WalkOrder::PreOrder>(
        [&](Operation *part) { numbered->addPart(part); });
  return numbered->verifyNumParts();
}

static LogicalResult decompose(OptimizerStepOp step) {
  Operation *previous = step->getPrevNode();
  PopBuilder b(step);
  FailureOr<SmallVector<Value>> results = step.decompose(b);
  if (failed(results))
    return failure();
  Block::iterator first = previous ? std::next(Block::iterator(previous))
                                   : step->getBlock()->begin();
  if (failed(numberParts(step, first)))
    return failure();
  step->replaceAllUsesWith(*results);
  // Results may have no use, and constants may make parts unnecessary.
  for (Operation *part = step->getPrevNode(); part != previous;) {
    Operation *last = std::exchange(part, part->getPrevNode());
    if (isOpTriviallyDead(last))
      last->erase();
  }
  eraseStep(step);
  return success();
}

namespace {
struct DecomposeOptimizersPass
    : pop::impl::DecomposeOptimizersPassBase<DecomposeOptimizersPass> {
  void runOnOperation() override {
    for (OptimizerStepOp step : getOptimizerSteps(getOperation()))
      if (failed(decompose(step)))
        return signalPassFailure();
  }
};
} // namespace
