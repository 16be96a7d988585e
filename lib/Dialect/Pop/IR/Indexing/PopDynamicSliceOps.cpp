//===- PopDynamicSliceOps.cpp - Dynamic slices and updates ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region along several dimensions is a region of a region. If a tensor is too
// large for tiles that each have all positions of a dimension, the positions of
// the region are rows that a gather reads or a scatter replaces.
//
//===----------------------------------------------------------------------===//

#include "DynamicSlices.h"
#include "RowSplits.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::TileSplit;
using pop::detail::DynamicRegion;
using pop::detail::GatherSizes;

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
    // A view draws nothing.
    slice->removeDiscardableAttr(PopDialect::kDrawAttrName);
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

/// Returns the numbers of the axes along which a region of the type `region`
/// does not have all positions of `tensor`.
static SmallVector<size_t> getSlicedAxes(RankedTensorType tensor,
                                         RankedTensorType region,
                                         ArrayRef<int64_t> axes) {
  SmallVector<size_t> numbers;
  for (auto [number, axis] : llvm::enumerate(axes))
    if (region.getDimSize(axis) != tensor.getDimSize(axis))
      numbers.push_back(number);
  return numbers;
}

static SmallVector<size_t> getSlicedAxes(DynamicSliceOp op) {
  return getSlicedAxes(op.getInput().getType(), op.getType(), op.getAxes());
}

static SmallVector<size_t> getSlicedAxes(DynamicUpdateOp op) {
  return getSlicedAxes(op.getInput().getType(), op.getUpdate().getType(),
                       op.getAxes());
}

/// Returns the region of the type `region` along the only axis of `numbers`.
static std::optional<DynamicRegion> getRegion(RankedTensorType tensor,
                                              RankedTensorType region,
                                              ArrayRef<size_t> numbers,
                                              ArrayRef<int64_t> axes) {
  if (numbers.size() != 1)
    return std::nullopt;
  int64_t axis = axes[numbers.front()];
  ArrayRef<int64_t> shape = tensor.getShape();
  return DynamicRegion{static_cast<int64_t>(numbers.front()),
                       computeProduct(shape.take_front(axis)), shape[axis],
                       region.getDimSize(axis),
                       computeProduct(shape.drop_front(axis + 1))};
}

std::optional<DynamicRegion> pop::detail::getDynamicRegion(DynamicSliceOp op) {
  return getRegion(op.getInput().getType(), op.getType(), getSlicedAxes(op),
                   op.getAxes());
}

std::optional<DynamicRegion> pop::detail::getDynamicRegion(DynamicUpdateOp op) {
  return getRegion(op.getInput().getType(), op.getUpdate().getType(),
                   getSlicedAxes(op), op.getAxes());
}

/// Returns the `numbers` of axes in the order of the fractions of `tensor` that
/// `region` has along the axes.
static SmallVector<size_t> sortByFraction(ArrayRef<size_t> numbers,
                                          RankedTensorType tensor,
                                          RankedTensorType region,
                                          ArrayRef<int64_t> axes) {
  SmallVector<std::pair<double, size_t>> order;
  for (size_t number : numbers) {
    int64_t axis = axes[number];
    order.emplace_back(static_cast<double>(region.getDimSize(axis)) /
                           tensor.getDimSize(axis),
                       number);
  }
  llvm::sort(order);
  return llvm::map_to_vector(order, [](auto entry) { return entry.second; });
}

/// Returns the start of the axis `number`, as a tensor [1].
static Value buildStartOf(PopBuilder &b, Value start, size_t number) {
  return b.slice(start, 0, static_cast<int64_t>(number), 1);
}

/// A region along several dimensions is extracted along one dimension after the
/// other, beginning with the dimension of which it has the smallest fraction.
FailureOr<SmallVector<Value>> DynamicSliceOp::decompose(OpBuilder &builder) {
  SmallVector<size_t> numbers = getSlicedAxes(*this);
  if (numbers.size() == 1)
    return failure();
  PopBuilder b(builder, getLoc());
  Value value = getInput();
  for (size_t number :
       sortByFraction(numbers, getInput().getType(), getType(), getAxes()))
    value = b.create<DynamicSliceOp>(value, buildStartOf(b, getStart(), number),
                                     getAxes().slice(number, 1),
                                     getSizes().slice(number, 1));
  return SmallVector<Value>{value};
}

/// If the region is one along several dimensions, the slice along the dimension
/// of which it has the smallest fraction is extracted, updated along the other
/// dimensions, and put back.
FailureOr<SmallVector<Value>> DynamicUpdateOp::decompose(OpBuilder &builder) {
  SmallVector<size_t> numbers = getSlicedAxes(*this);
  if (numbers.empty())
    return SmallVector<Value>{getUpdate()};
  if (numbers.size() == 1)
    return failure();
  PopBuilder b(builder, getLoc());
  size_t first = sortByFraction(numbers, getInput().getType(),
                                getUpdate().getType(), getAxes())
                     .front();
  Value start = buildStartOf(b, getStart(), first);
  ArrayRef<int64_t> axis = getAxes().slice(first, 1);
  int64_t size = getUpdate().getType().getDimSize(axis.front());
  SmallVector<int64_t> otherAxes;
  SmallVector<Value> otherStarts;
  for (size_t number : numbers)
    if (number != first) {
      otherAxes.push_back(getAxes()[number]);
      otherStarts.push_back(buildStartOf(b, getStart(), number));
    }
  Value slice = b.create<DynamicSliceOp>(getInput(), start, axis, size);
  Value updated = b.create<DynamicUpdateOp>(
      slice, getUpdate(),
      otherStarts.size() == 1 ? otherStarts.front()
                              : b.create<ConcatOp>(otherStarts, /*axis=*/0),
      otherAxes);
  return SmallVector<Value>{
      b.create<DynamicUpdateOp>(getInput(), updated, start, axis)};
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

namespace {
/// The positions along the sliced dimension of an op, as rows.
struct AxisRows {
  template <typename OpTy>
  AxisRows(PopBuilder &b, OpTy op) : b(b) {
    DynamicRegion region = *pop::detail::getDynamicRegion(op);
    RegionBuilder builder{b, op.getStart(), op.getAxes()};
    indices = builder.buildPositions(region.number, region.extent, region.size);
    permutation = getAxisFirst(op.getInput(), op.getAxes()[region.number]);
  }

  /// Puts the sliced dimension of `value` first.
  Value getRows(Value value) { return b.transpose(value, permutation); }
  /// Returns `rows` with the sliced dimension where the op has it.
  Value getBack(Value rows) {
    return b.transpose(rows, invertPermutationVector(permutation));
  }

  PopBuilder &b;
  /// The numbers of the rows that are in the region.
  Value indices;
  SmallVector<int64_t> permutation;
};
} // namespace

/// Returns the sizes of a gather whose rows are the positions along the sliced
/// dimension.
static GatherSizes getRowSizes(const DynamicRegion &region) {
  return {/*batch=*/1, region.size, region.extent, region.outer * region.inner};
}

SmallVector<TileSplit> DynamicSliceOp::getTileSplits() {
  if (std::optional<DynamicRegion> region =
          pop::detail::getDynamicRegion(*this))
    return pop::detail::getGatherSplits(getRowSizes(*region));
  return {};
}

SmallVector<Value> DynamicSliceOp::buildTileSplit(OpBuilder &builder,
                                                  const TileSplit &split,
                                                  int64_t parts) {
  PopBuilder b(builder, getLoc());
  AxisRows rows(b, *this);
  Value value = pop::detail::buildGatherSplit(
      b, rows.getRows(getInput()), rows.indices, /*numBatch=*/0, split, parts);
  return {rows.getBack(value)};
}

SmallVector<TileSplit> DynamicUpdateOp::getTileSplits() {
  if (std::optional<DynamicRegion> region =
          pop::detail::getDynamicRegion(*this))
    return pop::detail::getScatterSplits(getRowSizes(*region));
  return {};
}

SmallVector<Value> DynamicUpdateOp::buildTileSplit(OpBuilder &builder,
                                                   const TileSplit &split,
                                                   int64_t parts) {
  PopBuilder b(builder, getLoc());
  AxisRows rows(b, *this);
  Value value = pop::detail::buildScatterSplit(
      b, ScatterKind::Replace, rows.getRows(getInput()), rows.indices,
      rows.getRows(getUpdate()), /*numBatch=*/0, split, parts);
  return {rows.getBack(value)};
}
