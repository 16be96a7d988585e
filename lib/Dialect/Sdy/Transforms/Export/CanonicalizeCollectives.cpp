//===- CanonicalizeCollectives.cpp - Simplification of collectives --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: collectives.
// Out: fewer collectives. Other ops are not visited, so that no other op is
// folded or erased.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CANONICALIZECOLLECTIVESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// The ops that have canonicalisations.
template <typename... OpTs>
struct CollectiveOps {
  static bool contain(Operation *op) { return isa<OpTs...>(op); }
  static void addPatterns(RewritePatternSet &patterns) {
    (OpTs::getCanonicalizationPatterns(patterns, patterns.getContext()), ...);
  }
};
using Canonicalized =
    CollectiveOps<AllGatherOp, AllSliceOp, AllToAllOp, AllReduceOp,
                  ReduceScatterOp, CollectivePermuteOp>;

struct CanonicalizeCollectivesPass
    : sdy::impl::CanonicalizeCollectivesPassBase<CanonicalizeCollectivesPass> {
  using CanonicalizeCollectivesPassBase::CanonicalizeCollectivesPassBase;
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (Canonicalized::contain(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    Canonicalized::addPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .enableFolding(false);
    (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
  }
};
} // namespace
