//===- PopShapeFolds.cpp - Folds of constants, views and moves ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "PopFolds.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::pop;
using namespace mlir::pop::detail;

//===----------------------------------------------------------------------===//
// Constants, views and moves
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The constant that a view shows of a constant operand.
static Attribute foldView(ipu::TileViewOpInterface op, Attribute operand) {
  auto values = dyn_cast_or_null<DenseElementsAttr>(operand);
  RankedTensorType result = getTypeOf(op->getResult(0));
  if (!values || result.getNumElements() == 0)
    return {};
  if (values.isSplat())
    return values.resizeSplat(result);
  if (result.getNumElements() > kMaxFoldedElements)
    return {};
  FailureOr<ipu::StridedView> view =
      op.getTileView(ipu::StridedView::identity(values.getType().getShape()));
  if (failed(view))
    return {};
  SmallVector<Attribute> elements;
  SmallVector<int64_t> strides = computeStrides(result.getShape());
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    int64_t position = view->offset;
    for (auto [index, stride] :
         llvm::zip_equal(delinearize(i, strides), view->strides))
      position += index * stride;
    elements.push_back(values.getValues<Attribute>()[position]);
  }
  return DenseElementsAttr::get(result, elements);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto values = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (values && getType().getNumElements() != 0)
    return values.reshape(getType());
  auto previous = getInput().getDefiningOp<ReshapeOp>();
  if (!previous)
    return {};
  getInputMutable().assign(previous.getInput());
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  if (Attribute constant = foldView(*this, adaptor.getInput()))
    return constant;
  auto previous = getInput().getDefiningOp<TransposeOp>();
  if (!previous)
    return {};
  SmallVector<int64_t> permutation =
      applyPermutation(previous.getPermutation(), getPermutation());
  getInputMutable().assign(previous.getInput());
  setPermutation(permutation);
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (pop::detail::isWholeSlice(getInput().getType(), getSizes(), getSteps()))
    return getInput();
  return foldView(*this, adaptor.getInput());
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return foldView(*this, adaptor.getInput());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  SmallVector<Value> filled;
  for (Value input : getInputs())
    if (getTypeOf(input).getDimSize(getAxis()) != 0)
      filled.push_back(input);
  if (filled.size() == getInputs().size())
    return {};
  if (filled.empty())
    return getInputs().front();
  getInputsMutable().assign(filled);
  return getResult();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // A pad of a pad with the same value is one pad.
  auto inner = getInput().getDefiningOp<PadOp>();
  if (!inner || !inner->hasOneUse() || inner.getValue() != getValue())
    return {};
  auto add = [](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    return llvm::map_to_vector(llvm::zip_equal(lhs, rhs), [](auto sizes) {
      return std::get<0>(sizes) + std::get<1>(sizes);
    });
  };
  setLow(add(getLow(), inner.getLow()));
  setHigh(add(getHigh(), inner.getHigh()));
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto table = dyn_cast_or_null<DenseElementsAttr>(adaptor.getTable());
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  RankedTensorType result = getType();
  if (!table || !indices || result.getNumElements() == 0 ||
      result.getNumElements() > kMaxFoldedElements)
    return {};
  pop::detail::GatherSizes sizes = pop::detail::getGatherSizes(
      getTable().getType(), getIndices().getType(), getBatchDims());
  bool isUnsigned = getIndices().getType().getElementType().isUnsignedInteger();
  Attribute zero = Builder(getContext()).getZeroAttr(result.getElementType());
  SmallVector<Attribute> elements;
  for (auto [i, index] : llvm::enumerate(indices.getValues<APInt>())) {
    int64_t batch = static_cast<int64_t>(i) / sizes.indices;
    bool isInside =
        (isUnsigned || !index.isNegative()) && index.ult(sizes.rows);
    for (int64_t j = 0; j < sizes.columns; ++j) {
      if (!isInside) {
        elements.push_back(zero);
        continue;
      }
      int64_t row = batch * sizes.rows + index.getZExtValue();
      elements.push_back(table.getValues<Attribute>()[row * sizes.columns + j]);
    }
  }
  return DenseElementsAttr::get(result, elements);
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

namespace {
/// An op that broadcasts needs no expanded operand, unless this operand alone
/// gives the result its shape.
struct DropExpandBeforeBroadcast : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      if (!keepsShape(op, use))
        continue;
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(op.getInput()); });
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no user broadcasts by itself");
    return success();
  }

  static bool keepsShape(ExpandOp op, OpOperand &use) {
    Operation *user = use.getOwner();
    if (!user->hasTrait<Broadcasting>())
      return false;
    SmallVector<int64_t> shape(op.getInput().getType().getShape());
    for (OpOperand &operand : user->getOpOperands()) {
      if (&operand == &use)
        continue;
      FailureOr<SmallVector<int64_t>> merged =
          broadcastShapes({std::nullopt, ExpandOp::getOperationName()}, shape,
                          getTypeOf(operand.get()).getShape());
      if (failed(merged))
        return false;
      shape = *merged;
    }
    return getTypeOf(user->getResult(0)).getShape() == ArrayRef(shape);
  }
};

/// A transposition of operands that are stacked along a new dimension is a
/// stack of transposed operands. A reshape of the result is then a view and not
/// a second copy, as where ShuffleNet interleaves two groups of channels.
struct TransposeOperandsOfStack : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto stack = op.getInput().getDefiningOp<ReshapeOp>();
    auto concat =
        stack ? stack.getInput().getDefiningOp<ConcatOp>() : ConcatOp();
    if (!concat || !stack->hasOneUse() || !concat->hasOneUse())
      return rewriter.notifyMatchFailure(op, "expects the only use of a stack");
    int64_t axis = concat.getAxis();
    SmallVector<int64_t> shape(
        getTypeOf(concat.getInputs().front()).getShape());
    bool isEven = llvm::all_of(concat.getInputs(), [&](Value input) {
      return getTypeOf(input).getShape() == ArrayRef(shape);
    });
    shape.insert(shape.begin() + axis, concat.getInputs().size());
    if (!isEven || stack.getType().getShape() != ArrayRef(shape))
      return rewriter.notifyMatchFailure(
          op, "the reshape does not separate the operands of the concat");
    shape[axis] = 1;
    SmallVector<Value> inputs;
    for (Value input : concat.getInputs()) {
      Value element =
          ReshapeOp::create(rewriter, concat.getLoc(),
                            op.getType().clone(ArrayRef(shape)), input);
      inputs.push_back(TransposeOp::create(rewriter, op.getLoc(), element,
                                           op.getPermutation()));
    }
    SmallVector<int64_t> inverse = invertPermutationVector(op.getPermutation());
    rewriter.replaceOpWithNewOp<ConcatOp>(op, inputs, inverse[axis]);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<TransposeOperandsOfStack>(context);
}

void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropExpandBeforeBroadcast>(context);
}
