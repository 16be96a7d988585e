//===- InlineRegions.cpp - Inlining of trivial regions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INLINEREGIONSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct InlineRegionsPass : sdy::impl::InlineRegionsPassBase<InlineRegionsPass> {
  using InlineRegionsPassBase::InlineRegionsPassBase;
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    ManualComputationOp::getCanonicalizationPatterns(patterns, context);
    stablehlo::CaseOp::getCanonicalizationPatterns(patterns, context);
    stablehlo::IfOp::getCanonicalizationPatterns(patterns, context);
    // Constants stay where they are, each for its uses.
    GreedyRewriteConfig config;
    config.enableFolding(false)
        .enableConstantCSE(false)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    bool changed = false;
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config,
                                &changed);
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
