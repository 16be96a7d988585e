//===- AggressivePropagate.cpp - Aggressive propagation -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PropagatePass.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_AGGRESSIVEPROPAGATEPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct AggressivePropagatePass
    : PropagatePass<
          sdy::impl::AggressivePropagatePassBase<AggressivePropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = strategy;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
