//===- PopDynamicSliceOps.cpp - Dynamic slices and updates ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of a region along one dimension are rows that a gather reads.
// Therefore the work of tiles grows with the region, and not with the tensor
// that contains it.
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::pop;

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks that `axes` are distinct and inside of the rank, and that there is a
/// start for each.
static LogicalResult checkStart(InferError emitError, ArrayRef<int64_t> axes,
                                int64_t rank, RankedTensorType start) {
  // c1
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank)
      return emitError("expects `axes` to be at least 0 and less than rank ",
                       rank, " but got ", axis);
    if (llvm::is_contained(axes.take_front(i), axis))
      return emitError("expects `axes` to be distinct but got ", axis,
                       " twice");
  }
  // c3
  auto numAxes = static_cast<int64_t>(axes.size());
  if (start.getShape() != ArrayRef(numAxes))
    return emitError("expects `start` of shape [", numAxes, "] but got ",
                     start);
  if (start.getElementType().isInteger(1))
    return emitError(
        "expects `start` to have elements of more than one bit but got ",
        start);
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  RankedTensorType input = getTypeOf(adaptor.getInput());
  ArrayRef<int64_t> axes = adaptor.getAxes(), sizes = adaptor.getSizes();
  // c1, c3
  if (failed(checkStart(emitError, axes, input.getRank(),
                        getTypeOf(adaptor.getStart()))))
    return failure();
  // c2
  if (sizes.size() != axes.size())
    return emitError("expects `sizes` to have as many values as `axes` (",
                     axes.size(), ") but got ", sizes.size());
  SmallVector<int64_t> shape(input.getShape());
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (size < 0 || size > shape[axis])
      return emitError("expects a size from 0 to ", shape[axis],
                       " along dimension ", axis, " but got ", size);
    shape[axis] = size;
  }
  // c4
  inferredReturnTypes.push_back(input.clone(shape));
  return success();
}

LogicalResult pop::detail::checkUpdate(InferError emitError, ShapedType target,
                                       RankedTensorType update,
                                       RankedTensorType start,
                                       ArrayRef<int64_t> axes) {
  // c1, c3
  if (failed(checkStart(emitError, axes, target.getRank(), start)))
    return failure();
  // c2
  if (update.getElementType() != target.getElementType() ||
      update.getRank() != target.getRank())
    return emitError("expects `update` of rank ", target.getRank(),
                     " and element type ", target.getElementType(), " but got ",
                     update);
  for (auto [i, size] : llvm::enumerate(target.getShape())) {
    auto dim = static_cast<int64_t>(i);
    bool isAxis = llvm::is_contained(axes, dim);
    if (isAxis ? update.getDimSize(dim) > size : update.getDimSize(dim) != size)
      return emitError("expects `update` of ", isAxis ? "at most " : "", size,
                       " positions along dimension ", dim, " but got ",
                       update.getDimSize(dim));
  }
  return success();
}

LogicalResult DynamicUpdateOp::verify() {
  return pop::detail::checkUpdate({getLoc(), getOperationName()},
                                  getInput().getType(), getUpdate().getType(),
                                  getStart().getType(), getAxes());
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult DynamicSliceOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult DynamicUpdateOp::fold(FoldAdaptor) {
  if (getUpdate().getType() == getType())
    return getUpdate();
  return getUpdate().getType().getNumElements() == 0 ? getInput() : Value();
}

/// `start` brought into 0 to `last`.
static int64_t clampStart(const APInt &start, bool isUnsigned, int64_t last) {
  if (!isUnsigned && start.isNegative())
    return 0;
  return start.ugt(last) ? last : static_cast<int64_t>(start.getZExtValue());
}

namespace {
/// A slice with a constant start is a view.
struct SliceAtConstant : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr start;
    if (!matchPattern(op.getStart(), m_Constant(&start)))
      return rewriter.notifyMatchFailure(op, "the start is no constant");
    RankedTensorType input = op.getInput().getType();
    SmallVector<int64_t> starts(input.getRank(), 0), steps(input.getRank(), 1);
    bool isUnsigned = start.getElementType().isUnsignedInteger();
    for (auto [axis, size, value] :
         llvm::zip_equal(op.getAxes(), op.getSizes(), start.getValues<APInt>()))
      starts[axis] =
          clampStart(value, isUnsigned, input.getDimSize(axis) - size);
    auto slice = SliceOp::create(rewriter, op.getLoc(), op.getInput(), starts,
                                 op.getType().getShape(), steps);
    slice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, slice);
    return success();
  }
};
} // namespace

void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<SliceAtConstant>(context);
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

namespace {
/// Builds what regions are made of.
struct RegionBuilder {
  PopBuilder &b;
  Value start;
  ArrayRef<int64_t> axes;

  Value buildNumber(Type type, int64_t value) {
    return b.splat(b.getIntegerAttr(type, value));
  }
  Value buildStart(size_t number, int64_t extent, int64_t size);
  Value buildPositions(size_t number, int64_t extent, int64_t size);
  Value takeRows(Value value, int64_t axis, Value indices);
  Value replaceRows(Value value, Value update, int64_t axis, Value indices);
};
} // namespace

/// The start along the axis `number`, as a tensor [1], brought inside.
Value RegionBuilder::buildStart(size_t number, int64_t extent, int64_t size) {
  Type type =
      pop::detail::getIndexType(getTypeOf(start).getElementType(), extent);
  auto dim = static_cast<int64_t>(number);
  Value value = b.slice(start, 0, dim, 1);
  value = b.cast(value, type);
  value = b.min(value, buildNumber(type, extent - size));
  if (type.isUnsignedInteger())
    return value;
  return b.max(value, buildNumber(type, 0));
}

/// The `size` positions along the axis `number`, as a tensor [size], brought
/// inside.
Value RegionBuilder::buildPositions(size_t number, int64_t extent,
                                    int64_t size) {
  Value first = buildStart(number, extent, size);
  return b.add(first, b.iota(size, getTypeOf(first).getElementType()));
}

/// The permutation of the dimensions of `value` that puts `axis` first.
static SmallVector<int64_t> getAxisFirst(Value value, int64_t axis) {
  SmallVector<int64_t> permutation = {axis};
  for (int64_t i = 0, e = getTypeOf(value).getRank(); i < e; ++i)
    if (i != axis)
      permutation.push_back(i);
  return permutation;
}

/// The positions `indices` of dimension `axis`; zeros for those outside.
Value RegionBuilder::takeRows(Value value, int64_t axis, Value indices) {
  SmallVector<int64_t> permutation = getAxisFirst(value, axis);
  value = b.transpose(value, permutation);
  value = b.create<GatherOp>(value, indices, /*batch_dims=*/0);
  return b.transpose(value, invertPermutationVector(permutation));
}

/// `value` with `update` at the positions `indices` of dimension `axis`.
Value RegionBuilder::replaceRows(Value value, Value update, int64_t axis,
                                 Value indices) {
  SmallVector<int64_t> permutation = getAxisFirst(value, axis);
  value = b.transpose(value, permutation);
  value = b.create<ScatterOp>(value.getType(), ScatterKind::Replace, value,
                              indices, b.transpose(update, permutation));
  return b.transpose(value, invertPermutationVector(permutation));
}

FailureOr<SmallVector<Value>> DynamicSliceOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Value value = getInput();
  RankedTensorType input = getInput().getType();
  RegionBuilder region{b, getStart(), getAxes()};
  // What one axis leaves is what the next one reads.
  SmallVector<std::pair<double, size_t>> order;
  for (auto [number, axis] : llvm::enumerate(getAxes()))
    if (int64_t size = getSizes()[number], extent = input.getDimSize(axis);
        size != extent)
      order.emplace_back(static_cast<double>(size) / extent, number);
  llvm::sort(order);
  for (auto [share, number] : order) {
    int64_t axis = getAxes()[number], size = getSizes()[number];
    Value indices = region.buildPositions(number, input.getDimSize(axis), size);
    value = region.takeRows(value, axis, indices);
  }
  return SmallVector<Value>{value};
}

/// The numbers of the axes along which the update does not have all positions.
static SmallVector<size_t> getPartialAxes(DynamicUpdateOp op) {
  SmallVector<size_t> numbers;
  for (auto [number, axis] : llvm::enumerate(op.getAxes()))
    if (op.getUpdate().getType().getDimSize(axis) !=
        op.getInput().getType().getDimSize(axis))
      numbers.push_back(number);
  return numbers;
}

/// Spreads the update over the shape of the input, with zeros around it, and
/// takes from the input what is in no axis' part of the region. One position
/// needs no zeros: it broadcasts.
static Value selectRegion(RegionBuilder &region, DynamicUpdateOp op,
                          ArrayRef<size_t> numbers) {
  PopBuilder &b = region.b;
  RankedTensorType input = op.getInput().getType();
  Value spread = op.getUpdate(), isInside;
  for (size_t number : numbers) {
    int64_t axis = op.getAxes()[number], extent = input.getDimSize(axis);
    int64_t size = op.getUpdate().getType().getDimSize(axis);
    Value first = region.buildStart(number, extent, size);
    Type type = getTypeOf(first).getElementType();
    Value positions = b.iota(extent, type), isHere;
    if (size == 1) {
      isHere = b.equal(positions, first);
    } else {
      Value indices = b.sub(positions, first);
      spread = region.takeRows(spread, axis, indices);
      Value isAfter = b.create<LessEqualOp>(first, positions);
      Value isBefore = b.less(indices, region.buildNumber(type, size));
      isHere = b.create<AndOp>(isAfter, isBefore);
    }
    SmallVector<int64_t> shape(input.getRank() - axis, 1);
    shape.front() = extent;
    isHere = b.reshape(isHere, shape);
    isInside =
        isInside ? b.create<AndOp>(isInside, isHere).getResult() : isHere;
  }
  return b.select(isInside, spread, op.getInput());
}

/// A scatter of rows reads less than the selection of a region does, but only
/// knows one axis.
FailureOr<SmallVector<Value>> DynamicUpdateOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RegionBuilder region{b, getStart(), getAxes()};
  SmallVector<size_t> numbers = getPartialAxes(*this);
  if (numbers.empty())
    return SmallVector<Value>{getUpdate()};
  if (numbers.size() > 1)
    return SmallVector<Value>{selectRegion(region, *this, numbers)};
  int64_t axis = getAxes()[numbers.front()];
  Value indices = region.buildPositions(numbers.front(),
                                        getInput().getType().getDimSize(axis),
                                        getUpdate().getType().getDimSize(axis));
  return SmallVector<Value>{
      region.replaceRows(getInput(), getUpdate(), axis, indices)};
}
