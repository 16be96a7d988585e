//===- PopReductionDecompose.cpp - Decompositions of reductions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pop;

using Replacement = FailureOr<SmallVector<Value>>;

/// Whether a reduction of `input` has to round its accumulator for `result`.
static bool rounds(ReduceKind kind, RankedTensorType input,
                   RankedTensorType result) {
  return getReduceType(kind, input.getElementType()) != result.getElementType();
}

/// The quotient of `sum` and the number of positions that it has the sum of,
/// rounded to `elementType`.
static Replacement buildMean(PopBuilder &b, Value sum, int64_t numPositions,
                             Type elementType) {
  Value count = b.splatLike(static_cast<double>(numPositions), sum);
  Value mean = b.div(sum, count);
  return SmallVector<Value>{b.cast(mean, elementType)};
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

/// Moves the axes of `op` to the end, joined into one.
static Value reduceLastAxis(PopBuilder &b, ReduceOp op) {
  RankedTensorType input = op.getInput().getType();
  SmallVector<int64_t> permutation, kept, reduced;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    bool isReduced = llvm::is_contained(op.getAxes(), i);
    if (!isReduced)
      permutation.push_back(i);
    (isReduced ? reduced : kept).push_back(input.getDimSize(i));
  }
  llvm::append_range(permutation, op.getAxes());
  Value rows = b.transpose(op.getInput(), permutation);
  int64_t numRows = computeProduct(kept);
  rows = b.reshape(rows, {numRows, computeProduct(reduced)});
  auto type = RankedTensorType::get({numRows}, op.getType().getElementType());
  Value result =
      b.create<ReduceOp>(type, op.getKind(), rows, ArrayRef<int64_t>(1),
                         /*keep_dims=*/false, op.getAccumAttr());
  return b.reshape(result, op.getType().getShape());
}

/// Reduces the blocks of `axis` of `x`, and then the results of the blocks,
/// until there is only one. The first blocks have the order `first`.
static Value reduceAxis(PopBuilder &b, ReduceKind kind, Value x, int64_t axis,
                        AccumAttr first, AccumAttr next) {
  auto getShape = [&] {
    return cast<RankedTensorType>(x.getType()).getShape();
  };
  AccumAttr order = first;
  for (; getShape()[axis] > order.getBlock(); order = next)
    x = b.create<ReduceBlocksOp>(kind, x, axis, order);
  SmallVector<int64_t> shape(getShape());
  bool isLast = axis + 1 == static_cast<int64_t>(shape.size());
  shape.erase(shape.begin() + axis);
  // Only a single chain can combine rows of the outputs.
  if (order.getLanes() > 1 && !isLast)
    return b.reshape(b.create<ReduceBlocksOp>(kind, x, axis, order), shape);
  Type elementType = cast<RankedTensorType>(x.getType()).getElementType();
  auto type = RankedTensorType::get(shape, getReduceType(kind, elementType));
  return b.create<ReduceOp>(type, kind, x, ArrayRef<int64_t>(axis),
                            /*keep_dims=*/false, order);
}

/// Reduces the dimensions of a tree, the innermost one first. Each group of
/// adjacent axes is one dimension.
static Value reduceTree(PopBuilder &b, ReduceOp op) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  AccumAttr order = op.getAccumAttr();
  SmallVector<int64_t> shape, axes;
  int64_t at = 0;
  SmallVector<ArrayRef<int64_t>> groups =
      pop::detail::getAdjacentAxes(input, op.getAxes());
  for (ArrayRef<int64_t> group : groups) {
    llvm::append_range(shape, input.slice(at, group.front() - at));
    axes.push_back(shape.size());
    at = group.back() + 1;
    shape.push_back(
        computeProduct(input.slice(group.front(), at - group.front())));
  }
  llvm::append_range(shape, input.drop_front(at));
  Value x = b.reshape(op.getInput(), shape);
  auto getChains = [&](int64_t block) {
    // An order has blocks of at least two positions.
    return AccumAttr::get(b.getContext(), std::max<int64_t>(block, 2),
                          /*lanes=*/1);
  };
  AccumAttr next = getChains(order.getBlock());
  for (size_t dim = axes.size(); dim-- > 0;) {
    int64_t block = order.getBox()[dim];
    x = reduceAxis(b, op.getKind(), x, axes[dim],
                   block > 1 ? getChains(block) : next, next);
  }
  return b.reshape(x, op.getType().getShape());
}

/// Reduces adjacent axes, which are joined into one.
static Value reduceAdjacentAxes(PopBuilder &b, ReduceOp op) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  int64_t begin = op.getAxes().front(), end = op.getAxes().back() + 1;
  SmallVector<int64_t> shape = {
      computeProduct(input.take_front(begin)),
      computeProduct(input.slice(begin, end - begin))};
  if (int64_t inner = computeProduct(input.drop_front(end)); inner > 1)
    shape.push_back(inner);
  AccumAttr order = op.getAccumAttr();
  Value x = b.reshape(op.getInput(), shape);
  x = reduceAxis(b, op.getKind(), x, /*axis=*/1, order, order);
  return b.reshape(x, op.getType().getShape());
}

Replacement ReduceOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType(), result = getType();
  Type elementType = result.getElementType();
  ArrayRef<int64_t> axes = getAxes();
  if (axes.empty())
    return SmallVector<Value>{b.cast(getInput(), elementType)};
  if (llvm::any_of(axes, [&](int64_t axis) { return !input.getDimSize(axis); }))
    return SmallVector<Value>{
        b.splat(getEmptyReduction(getKind(), elementType), result.getShape())};
  if (getKind() == ReduceKind::Mean) {
    int64_t numPositions = 1;
    for (int64_t axis : axes)
      numPositions *= input.getDimSize(axis);
    Value sum = b.create<ReduceOp>(
        result.clone(getComputeType(input.getElementType())), ReduceKind::Sum,
        getInput(), axes, getKeepDims(), getAccumAttr());
    return buildMean(b, sum, numPositions, elementType);
  }
  if (rounds(getKind(), input, result)) {
    Value wide = b.create<ReduceOp>(
        result.clone(getReduceType(getKind(), input.getElementType())),
        getKind(), getInput(), axes, getKeepDims(), getAccumAttr());
    return SmallVector<Value>{b.cast(wide, elementType)};
  }
  AccumAttr order = getAccumAttr();
  if (order && order.getBox())
    return SmallVector<Value>{reduceTree(b, *this)};
  bool isLast = axes.size() == 1 && axes[0] == input.getRank() - 1;
  bool hasCodelet = order && axes.size() == 1 &&
                    input.getDimSize(axes[0]) <= order.getBlock() &&
                    (isLast || order.getLanes() == 1);
  if (hasCodelet || (!order && isLast))
    return failure();
  // The positions of a block are in row-major order of all axes.
  if (!order || pop::detail::getAdjacentAxes(input.getShape(), axes).size() > 1)
    return SmallVector<Value>{reduceLastAxis(b, *this)};
  return SmallVector<Value>{reduceAdjacentAxes(b, *this)};
}

//===----------------------------------------------------------------------===//
// ReduceWindowOp
//===----------------------------------------------------------------------===//

/// Where windows and positions in them are a multiple of some step apart, takes
/// the elements that they see: a vertex would hold all those between as well.
static Replacement skipUnseen(PopBuilder &b, ReduceWindowOp op) {
  RankedTensorType input = op.getInput().getType();
  SmallVector<WindowDim> windows =
      getWindowDims(input.getShape().drop_front(2),
                    {op.getKernel(), op.getStrides(), op.getDilations(), {}});
  SmallVector<int64_t> starts(input.getRank(), 0), sizes(input.getShape()),
      steps(input.getRank(), 1), strides, dilations;
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t step = 1;
    if (window.kernel > 1 && window.getNumWindows() > 1)
      step = std::gcd(window.stride, window.dilation);
    if (step > 1) {
      int64_t reach =
          (window.getNumWindows() - 1) * window.stride + window.getExtent();
      sizes[2 + i] = (reach - 1) / step + 1;
      steps[2 + i] = step;
    }
    strides.push_back(window.stride / step);
    dilations.push_back(window.dilation / step);
  }
  if (llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return failure();
  Value seen = b.create<SliceOp>(op.getInput(), starts, sizes, steps);
  return SmallVector<Value>{
      b.create<ReduceWindowOp>(op.getType(), op.getKind(), seen, op.getKernel(),
                               strides, dilations, op.getAccumAttr())};
}

Replacement ReduceWindowOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType(), result = getType();
  if (getKind() == ReduceKind::Mean) {
    Value sum = b.create<ReduceWindowOp>(
        result.clone(getComputeType(input.getElementType())), ReduceKind::Sum,
        getInput(), getKernel(), getStrides(), getDilations(), getAccumAttr());
    return buildMean(b, sum, computeProduct(getKernel()),
                     result.getElementType());
  }
  if (!rounds(getKind(), input, result))
    return skipUnseen(b, *this);
  Value wide = b.create<ReduceWindowOp>(
      result.clone(getReduceType(getKind(), input.getElementType())), getKind(),
      getInput(), getKernel(), getStrides(), getDilations(), getAccumAttr());
  return SmallVector<Value>{b.cast(wide, result.getElementType())};
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

template <typename PoolOp>
static SmallVector<WindowDim> getWindows(PoolOp op) {
  return getWindowDims(op.getInput().getType().getShape().drop_front(2),
                       {op.getKernel(), op.getStrides(), op.getDilations(),
                        op.getPads(), op.getCeilMode()});
}

namespace {
/// The pads that make all windows of a pool lie inside of its input.
struct PoolPads {
  SmallVector<int64_t> low = {0, 0};
  SmallVector<int64_t> high = {0, 0};

  explicit PoolPads(ArrayRef<WindowDim> windows) {
    for (const WindowDim &window : windows) {
      low.push_back(window.padLow);
      high.push_back(window.getReadPadHigh());
    }
  }

  SmallVector<int64_t> getPaddedShape(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> padded(shape);
    for (auto [size, before, after] : llvm::zip_equal(padded, low, high))
      size += before + after;
    return padded;
  }

  /// Returns the pads that the op names, and keeps those beyond them.
  PoolPads takeCounted(ArrayRef<WindowDim> windows) {
    PoolPads counted = *this;
    for (auto [index, window] : llvm::enumerate(windows)) {
      int64_t &after = counted.high[index + 2];
      after = std::min(after, window.padHigh);
      high[index + 2] -= after;
      low[index + 2] = 0;
    }
    return counted;
  }

  Value build(PopBuilder &b, Value input, TypedAttr fill) const {
    return b.pad(input, low, high, fill);
  }
};
} // namespace

Replacement MaxPoolOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType();
  PoolPads pads(getWindows(*this));
  if (!isPopShape(pads.getPaddedShape(input.getShape())))
    return failure();
  TypedAttr least = getReduceIdentity(ReduceKind::Max, input.getElementType());
  Value padded = pads.build(b, getInput(), least);
  return SmallVector<Value>{b.create<ReduceWindowOp>(
      ReduceKind::Max, padded, getKernel(), getStrides(), getDilations(),
      AccumAttr::get(b.getContext(), AccumOrder::Chain))};
}

DenseElementsAttr pop::detail::getWindowCounts(ArrayRef<WindowDim> windows,
                                               bool countPads, FloatType type) {
  SmallVector<double> counts = {1.0};
  SmallVector<int64_t> shape = {1, 1};
  for (const WindowDim &window : windows) {
    SmallVector<double> previous = std::move(counts);
    counts.clear();
    shape.push_back(window.getNumWindows());
    for (double outer : previous)
      for (int64_t i = 0; i < shape.back(); ++i)
        counts.push_back(outer * window.countPositions(i, countPads));
  }
  if (!counts.empty() && llvm::all_equal(counts)) {
    counts.resize(1);
    shape.clear();
  }
  SmallVector<APFloat> values;
  for (double count : counts) {
    bool isExact;
    values.emplace_back(count).convert(type.getFloatSemantics(),
                                       APFloat::rmNearestTiesToEven, &isExact);
  }
  return DenseElementsAttr::get(RankedTensorType::get(shape, type), values);
}

Replacement AvgPoolOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType(), result = getType();
  SmallVector<WindowDim> windows = getWindows(*this);
  PoolPads pads(windows);
  if (!isPopShape(pads.getPaddedShape(input.getShape())) ||
      computeProduct(result.getShape().drop_front(2)) >
          pop::detail::kMaxWindowCounts)
    return failure();
  auto computeType = cast<FloatType>(getComputeType(input.getElementType()));
  // Positions that do not count must leave a sum of -0 as it is.
  Value padded = getInput();
  if (getCountIncludePad())
    padded = pads.takeCounted(windows).build(
        b, padded, b.getFloatAttr(input.getElementType(), 0.0));
  padded = pads.build(
      b, padded, getReduceIdentity(ReduceKind::Sum, input.getElementType()));
  Value sum = b.create<ReduceWindowOp>(
      result.clone(computeType), ReduceKind::Sum, padded, getKernel(),
      getStrides(), getDilations(), getAccumAttr());
  Value counts = b.constant(
      pop::detail::getWindowCounts(windows, getCountIncludePad(), computeType));
  Value mean = b.div(sum, counts);
  return SmallVector<Value>{b.cast(mean, result.getElementType())};
}
