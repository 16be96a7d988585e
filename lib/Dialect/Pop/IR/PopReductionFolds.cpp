//===- PopReductionFolds.cpp - Folds of reductions and pools ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction or a pool of one element returns this element, because every
// kind of reduction begins with its neutral element. The mean of one element is
// divided by 1.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  RankedTensorType input = getInput().getType();
  bool hasOneElement = llvm::all_of(
      getAxes(), [&](int64_t axis) { return input.getDimSize(axis) == 1; });
  return hasOneElement && input == getType() ? getInput() : Value();
}

/// Returns the order of `op` without the sizes for those groups of axes of
/// which none is in `axes`.
static AccumAttr getOrderOfAxes(ReduceOp op, ArrayRef<int64_t> axes) {
  AccumAttr order = op.getAccumAttr();
  if (!order || !order.getBox())
    return order;
  SmallVector<int64_t> box;
  for (auto [group, size] :
       llvm::zip_equal(pop::detail::getAdjacentAxes(
                           op.getInput().getType().getShape(), op.getAxes()),
                       order.getBox().asArrayRef()))
    if (llvm::any_of(group, [&](int64_t axis) {
          return llvm::is_contained(axes, axis);
        }))
      box.push_back(size);
  return AccumAttr::get(op.getContext(), order.getBlock(), box);
}

namespace {
/// Axes of size 1 change neither the positions nor the elements of a reduction.
struct DropAxesOfSizeOne : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    SmallVector<int64_t> axes(op.getAxes());
    llvm::erase_if(axes,
                   [&](int64_t axis) { return input.getDimSize(axis) == 1; });
    if (axes.size() == op.getAxes().size())
      return rewriter.notifyMatchFailure(op, "no axis has size 1");
    PopBuilder b(rewriter, op.getLoc());
    Type elementType = op.getType().getElementType();
    Value result = b.cast(op.getInput(), elementType);
    if (!axes.empty()) {
      auto type =
          RankedTensorType::get(pop::detail::getReducedShape(
                                    input.getShape(), axes, /*keepDims=*/false),
                                elementType);
      auto reduce =
          b.create<ReduceOp>(type, op.getKind(), op.getInput(), axes,
                             /*keep_dims=*/false, getOrderOfAxes(op, axes));
      reduce->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      result = reduce;
    }
    rewriter.replaceOp(op, b.reshape(result, op.getType().getShape()));
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropAxesOfSizeOne>(context);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Folds a pool whose windows are the elements of its input. Such windows have
/// no pads.
template <typename PoolOp>
static OpFoldResult foldPool(PoolOp op) {
  auto isOne = [](int64_t size) { return size == 1; };
  bool isIdentity = llvm::all_of(op.getKernel(), isOne) &&
                    llvm::all_of(op.getStrides(), isOne) &&
                    op.getInput().getType() == op.getType();
  return isIdentity ? op.getInput() : Value();
}

OpFoldResult MaxPoolOp::fold(FoldAdaptor) { return foldPool(*this); }
OpFoldResult AvgPoolOp::fold(FoldAdaptor) { return foldPool(*this); }
OpFoldResult ReduceWindowOp::fold(FoldAdaptor) { return foldPool(*this); }
