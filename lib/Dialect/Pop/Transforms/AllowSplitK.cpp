//===- AllowSplitK.cpp - Blocks of terms computed apart ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: matmuls and convolutions, each output one chain of multiply-adds.
// Out: the same, long chains of floats cut into blocks that are added at last.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ALLOWSPLITKPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Blocks are whole steps of the machine's matrix unit.
static constexpr int64_t kBlockGrain = 16;

namespace {
struct AllowSplitKPass : pop::impl::AllowSplitKPassBase<AllowSplitKPass> {
  using AllowSplitKPassBase::AllowSplitKPassBase;

  void runOnOperation() override {
    if (parts < 2 || minK < 1) {
      emitError(getOperation()->getLoc())
          << "expects 'parts' of at least 2 and 'min-k' of at least 1 but got "
          << parts.getValue() << " and " << minK.getValue();
      return signalPassFailure();
    }
    getOperation()->walk([&](MatmulOp op) {
      setBlocks(op, op.getLhs().getType().getShape().back());
    });
    getOperation()->walk([&](ConvOp op) {
      ArrayRef<int64_t> weights = op.getWeights().getType().getShape();
      if (computeProduct(weights.drop_front(2)) <= ConvOp::kMaxBlockedPositions)
        setBlocks(op, computeProduct(weights.drop_front()));
    });
  }

private:
  template <typename OpTy>
  void setBlocks(OpTy op, int64_t depth) {
    if (op.getAcc() || op.getAccum().getOrder() != AccumOrder::Chain ||
        depth < minK || !isa<FloatType>(op.getType().getElementType()))
      return;
    int64_t block = llvm::divideCeil(static_cast<uint64_t>(depth), parts);
    if (block >= AccumAttr::kMaxBlock)
      block = AccumAttr::kMaxBlock;
    block = llvm::alignTo(block, kBlockGrain);
    // One block is what there is; more than the order allows cannot be had.
    if (block >= depth || (depth - 1) / block >= AccumAttr::kMaxBlock)
      return;
    op.setAccumAttr(AccumAttr::get(&getContext(), AccumOrder::Blocked, block,
                                   /*lanes=*/1));
  }
};
} // namespace
