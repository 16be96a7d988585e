//===- CSE.cpp - Common subexpressions of placed programs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any op. Out: the same op, where equal ops with equal placements are
// merged, unless they draw different random bits.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CSEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Numbers the parts of a program between advances of random bits. Ops with
/// one `pop.draw` draw equal bits only in the same part, and upstream's CSE
/// ignores advances. While this object exists, an attribute of each such op is
/// the number of its part.
class DrawParts {
public:
  explicit DrawParts(Operation *root) : root(root) {
    if (hasRepeatedDraws())
      root->walk([&](Block *block) { mark(*block); });
  }
  ~DrawParts() {
    if (part > 0)
      root->walk([](Operation *op) { op->removeAttr(kAttrName); });
  }

private:
  static constexpr StringLiteral kAttrName = "pop.draw_part";

  bool hasRepeatedDraws() const {
    llvm::DenseSet<Attribute> draws;
    return root
        ->walk([&](Operation *op) {
          Attribute draw = op->getAttr(PopDialect::kDrawAttrName);
          return draw && !draws.insert(draw).second ? WalkResult::interrupt()
                                                    : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Regions and calls may advance, too.
  void mark(Block &block) {
    Builder builder(root->getContext());
    ++part;
    for (Operation &op : block) {
      if (op.hasAttr(PopDialect::kDrawAttrName))
        op.setAttr(kAttrName, builder.getI64IntegerAttr(part));
      else if (op.getNumRegions() > 0 ||
               isa<AdvanceDrawsOp, CallOpInterface>(op))
        ++part;
    }
  }

  Operation *root;
  int64_t part = 0;
};

/// Removes the role of recomputed ops while it exists: a value that the forward
/// pass already computes is not computed again for gradients. Recomputed ops
/// that are left get their roles back.
class RecomputedOps : public RewriterBase::Listener {
public:
  explicit RecomputedOps(Operation *root) {
    root->walk([&](Operation *op) {
      if (getTrainingRole(op) != TrainingRole::Recomputed)
        return;
      op->removeAttr(kTrainingRoleAttrName);
      ops.insert(op);
    });
  }
  ~RecomputedOps() override {
    for (Operation *op : ops)
      setTrainingRole(op, TrainingRole::Recomputed);
  }
  void notifyOperationErased(Operation *op) override { ops.erase(op); }

private:
  llvm::DenseSet<Operation *> ops;
};

struct CSEPass : pop::impl::CSEPassBase<CSEPass> {
  void runOnOperation() override {
    bool changed = false;
    {
      RecomputedOps recomputed(getOperation());
      IRRewriter rewriter(&getContext(), &recomputed);
      DrawParts parts(getOperation());
      // The placement is a part of what has to be equal, as all attributes are.
      eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                    getOperation(), &changed);
    }
    if (!changed)
      return markAllAnalysesPreserved();
    markAnalysesPreserved<DominanceInfo, PostDominanceInfo>();
  }
};
} // namespace
