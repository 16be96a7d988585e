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

#include "OptimizerSteps.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSEOPTIMIZERSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
struct DecomposeOptimizersPass
    : pop::impl::DecomposeOptimizersPassBase<DecomposeOptimizersPass> {
  void runOnOperation() override {
    for (OptimizerStepOp step : getOptimizerSteps(getOperation())) {
      PopBuilder b(step);
      FailureOr<SmallVector<Value>> results = step.decompose(b);
      if (failed(results))
        return signalPassFailure();
      step->replaceAllUsesWith(*results);
      eraseStep(step);
    }
  }
};
} // namespace
