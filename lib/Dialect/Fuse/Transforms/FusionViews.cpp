//===- FusionViews.cpp - Views of tensors in a fusion ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionViews.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

Value fuse::getViewBase(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isView(op)) {
    value = getViewSource(op);
    op = value.getDefiningOp();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

static AffineMap getSliceMap(tensor::ExtractSliceOp slice) {
  MLIRContext *context = slice.getContext();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> exprs;
  unsigned numDims = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return {};
    AffineExpr expr = getAffineConstantExpr(offset, context);
    if (!dropped.test(dim))
      expr = getAffineDimExpr(numDims++, context) * stride + expr;
    exprs.push_back(expr);
  }
  return AffineMap::get(numDims, 0, exprs, context);
}

/// Dimension `dim` of a tensor, which is 0 where the extent is 1.
static AffineExpr getIndexAlong(RankedTensorType type, int64_t dim) {
  return type.getDimSize(dim) == 1 ? getAffineConstantExpr(0, type.getContext())
                                   : getAffineDimExpr(dim, type.getContext());
}

static AffineMap getExpandMap(tensor::ExpandShapeOp expand) {
  RankedTensorType type = expand.getResultType();
  SmallVector<AffineExpr> exprs;
  for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
    AffineExpr expr = getAffineConstantExpr(0, expand.getContext());
    for (auto [number, dim] : llvm::enumerate(group)) {
      if (number != 0 && type.isDynamicDim(dim))
        return {};
      expr =
          expr * (number ? type.getDimSize(dim) : 1) + getIndexAlong(type, dim);
    }
    exprs.push_back(expr);
  }
  return AffineMap::get(type.getRank(), 0, exprs, expand.getContext());
}

static AffineMap getCollapseMap(tensor::CollapseShapeOp collapse) {
  RankedTensorType from = collapse.getSrcType(), to = collapse.getResultType();
  MLIRContext *context = collapse.getContext();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    AffineExpr rest = getIndexAlong(to, dim);
    SmallVector<int64_t> sizes;
    for (int64_t inner : group)
      if (from.getDimSize(inner) != 1)
        sizes.push_back(from.getDimSize(inner));
    if (llvm::any_of(ArrayRef(sizes).drop_front(sizes.empty() ? 0 : 1),
                     ShapedType::isDynamic))
      return {};
    size_t first = exprs.size();
    for (int64_t inner : llvm::reverse(group)) {
      int64_t size = from.getDimSize(inner);
      AffineExpr expr = getAffineConstantExpr(0, context);
      if (size != 1) {
        sizes.pop_back();
        expr = sizes.empty() ? rest : rest % size;
        rest = sizes.empty() ? rest : rest.floorDiv(size);
      }
      exprs.insert(exprs.begin() + first, expr);
    }
  }
  return AffineMap::get(to.getRank(), 0, exprs, context);
}

AffineMap fuse::getViewMap(Operation *view) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return getSliceMap(slice);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return getExpandMap(expand);
  return getCollapseMap(cast<tensor::CollapseShapeOp>(view));
}

AffineMap fuse::getViewMap(Value value, Value base) {
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
  for (; value != base; value = getViewSource(value.getDefiningOp())) {
    AffineMap outer = getViewMap(value.getDefiningOp());
    if (!outer)
      return {};
    map = outer.compose(map);
  }
  return map;
}

AffineMap fuse::getAccessMap(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (isa<BlockArgument>(getViewBase(operand.get())))
    return map;
  AffineMap view = getViewBaseMap(operand.get());
  return view ? view.compose(map) : view;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> fuse::getSteps(OffsetSizeAndStrideOpInterface slice) {
  SmallVector<OpFoldResult> steps = slice.getMixedStrides();
  for (auto [step, size] : llvm::zip_equal(steps, slice.getStaticSizes()))
    if (size == 1)
      step = Builder(slice.getContext()).getIndexAttr(1);
  return steps;
}

MemRefType fuse::getViewMemRefType(Operation *view, MemRefType from) {
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return memref::SubViewOp::inferRankReducedResultType(
        type.getShape(), from, slice.getMixedOffsets(), slice.getMixedSizes(),
        getSteps(slice));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    FailureOr<MemRefType> to = memref::ExpandShapeOp::computeExpandedType(
        from, type.getShape(), expand.getReassociationIndices());
    return succeeded(to) ? *to : MemRefType();
  }
  SmallVector<ReassociationIndices> groups =
      cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(from, groups))
    return {};
  return memref::CollapseShapeOp::computeCollapsedType(from, groups);
}

MemRefType fuse::getViewMemRefType(Value value) {
  Operation *view = value.getDefiningOp();
  if (!view || !isView(view)) {
    auto type = cast<RankedTensorType>(value.getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  }
  MemRefType from = getViewMemRefType(getViewSource(view));
  return from ? getViewMemRefType(view, from) : from;
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

bool fuse::canJoin(tensor::InsertSliceOp insert) {
  return !llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic) &&
         !llvm::any_of(insert.getStaticStrides(), ShapedType::isDynamic);
}

bool fuse::areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
  auto end = [](tensor::InsertSliceOp op, size_t dim) {
    return op.getStaticOffsets()[dim] +
           (op.getStaticSizes()[dim] - 1) * op.getStaticStrides()[dim];
  };
  auto isBefore = [&](tensor::InsertSliceOp lower, tensor::InsertSliceOp upper,
                      size_t dim) {
    return !ShapedType::isDynamic(lower.getStaticSizes()[dim]) &&
           end(lower, dim) < upper.getStaticOffsets()[dim];
  };
  for (size_t dim = 0, e = a.getStaticOffsets().size(); dim < e; ++dim) {
    int64_t stride = a.getStaticStrides()[dim];
    int64_t distance = a.getStaticOffsets()[dim] - b.getStaticOffsets()[dim];
    bool isInterleaved = stride == b.getStaticStrides()[dim] && stride > 1 &&
                         distance % stride != 0;
    if (isInterleaved || isBefore(a, b, dim) || isBefore(b, a, dim))
      return true;
  }
  return false;
}

SmallVector<tensor::InsertSliceOp> fuse::getJoin(Value value) {
  SmallVector<tensor::InsertSliceOp> inserts;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    inserts.insert(inserts.begin(), insert);
    value = insert.getDest();
  }
  if (!value.getDefiningOp<tensor::EmptyOp>())
    return {};
  return inserts;
}
