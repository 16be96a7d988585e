//===- FormPass.cpp - Forming of fusions ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with linalg ops on tensors. Out: the same function, with
// groups of these ops in fusions.
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Normalize.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <queue>

namespace mlir::fuse {
#define GEN_PASS_DEF_FORMPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether operands that share a loop give it the same size in their types. The
/// patterns that expand loops give up halfway, again and again, on one that is
/// of a size known at run time in one operand but not in another.
static bool hasEqualSizes(linalg::LinalgOp op) {
  SmallVector<std::optional<int64_t>> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      std::optional<int64_t> &size = sizes[loop.getPosition()];
      if (size && *size != type.getDimSize(dim))
        return false;
      size = type.getDimSize(dim);
    }
  }
  return true;
}

/// Between two linalg ops, a reshape is done away with by giving both the loops
/// of the side that has more: these can be shared. The driver gives up after
/// some rounds; the reshapes left then stay.
static void expandReshapes(Operation *function) {
  RewritePatternSet patterns(function->getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [](OpOperand *operand) {
        auto isFree = [](Operation *op) {
          return op && isFusible(op) && !getTensorName(op) &&
                 hasEqualSizes(cast<linalg::LinalgOp>(op));
        };
        Operation *producer = operand->get().getDefiningOp();
        if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
          return isFree(operand->getOwner()) &&
                 isFree(collapse.getSrc().getDefiningOp());
        return isFree(producer) &&
               llvm::all_of(operand->getOwner()->getUsers(), [](Operation *op) {
                 return isFusible(op) || isSunkIntoFusions(op);
               });
      });
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.enableFolding(false);
  config.enableConstantCSE(false);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
}

namespace {
struct FormPass : fuse::impl::FormPassBase<FormPass> {
  using FormPassBase::FormPassBase;

  void runOnOperation() override {
    if (mode != "all" && mode != "cost") {
      emitError(getOperation().getLoc())
          << "expects 'mode' to be all or cost but got '" << mode << "'";
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    if (failed(normalize(rewriter, getOperation())))
      return signalPassFailure();
    if (mode == "cost")
      expandReshapes(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<linalg::LinalgOp, FusionOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      if (failed(form(*block)))
        return signalPassFailure();
  }

private:
  LogicalResult form(Block &block);
};
} // namespace

/// Puts the ops of a block into an order in which what they need comes first;
/// otherwise they stay as they were.
static void sortBlock(Block &block) {
  BlockDependences dependences(block);
  unsigned size = dependences.ops.size();
  std::vector<unsigned> missing(size);
  std::vector<SmallVector<unsigned, 4>> users(size);
  for (unsigned op = 0; op < size; ++op)
    for (unsigned need : dependences.needs[op]) {
      ++missing[op];
      users[need].push_back(op);
    }
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned op = 0; op < size; ++op)
    if (!missing[op])
      ready.push(op);
  while (!ready.empty()) {
    unsigned op = ready.top();
    ready.pop();
    dependences.ops[op]->moveBefore(&block, block.end());
    for (unsigned user : users[op])
      if (--missing[user] == 0)
        ready.push(user);
  }
}

LogicalResult FormPass::form(Block &block) {
  BlockDependences dependences(block);
  std::vector<OpGroup> groups = getConnectedGroups(dependences);
  if (groups.empty())
    return success();
  joinBySharedInputs(groups);
  for (const OpGroup &group : groups) {
    FusionOp fusion = buildFusion(group.ops);
    if (mode == "all")
      continue;
    FailureOr<std::vector<SmallVector<Operation *>>> parts =
        getGroupsByCost(fusion);
    if (failed(parts))
      return failure();
    if (parts->size() == 1)
      continue;
    dissolve(fusion);
    for (ArrayRef<Operation *> part : *parts)
      buildFusion(part);
  }
  sortBlock(block);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isSunkIntoFusions(&op) && isOpTriviallyDead(&op))
      op.erase();
  return success();
}
