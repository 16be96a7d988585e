//===- CSE.cpp - Common subexpressions of placed programs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any op. Out: the same op, where equal ops with equal placements are
// merged.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CSEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;

namespace {
struct CSEPass : pop::impl::CSEPassBase<CSEPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool changed = false;
    // The placement is a part of what has to be equal, as all attributes are.
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                  getOperation(), &changed);
    if (!changed)
      return markAllAnalysesPreserved();
    markAnalysesPreserved<DominanceInfo, PostDominanceInfo>();
  }
};
} // namespace
