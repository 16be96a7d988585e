//===- WindowGradients.cpp - Gradients of windows and pools -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::getTypeOf;

namespace {
/// The windows over a tensor [N, C, spatial...].
struct Windows {
  SmallVector<int64_t> shape;
  SmallVector<WindowDim> dims;

  Windows(ArrayRef<int64_t> shape, const WindowAttrs &attrs)
      : shape(shape), dims(getWindowDims(shape.drop_front(2), attrs)) {}

  SmallVector<int64_t> getKernel() const {
    return llvm::map_to_vector(dims,
                               [](const WindowDim &dim) { return dim.kernel; });
  }
  SmallVector<int64_t> getDilations() const {
    return llvm::map_to_vector(
        dims, [](const WindowDim &dim) { return dim.dilation; });
  }
  /// 1 for the batch and the channels, then the strides.
  SmallVector<int64_t> getSteps() const {
    SmallVector<int64_t> steps = {1, 1};
    for (const WindowDim &dim : dims)
      steps.push_back(dim.stride);
    return steps;
  }
  SmallVector<int64_t> getResultShape() const {
    SmallVector<int64_t> result(shape);
    for (auto [i, dim] : llvm::enumerate(dims))
      result[i + 2] = dim.getNumWindows();
    return result;
  }
  /// How many positions the last window needs after the tensor.
  int64_t getHigh(const WindowDim &dim) const {
    int64_t end = (dim.getNumWindows() - 1) * dim.stride + dim.getExtent();
    return std::max<int64_t>(end - dim.padLow - dim.input, 0);
  }
  /// Checks that tensors of padded inputs and of windows with zeros between
  /// them can exist.
  LogicalResult check(Operation *op) const {
    SmallVector<int64_t> padded(shape);
    for (auto [i, dim] : llvm::enumerate(dims))
      padded[i + 2] =
          2 * (dim.padLow + dim.input + dim.padHigh) + dim.getExtent();
    return pop::detail::checkGradientShape(op, padded);
  }
};
} // namespace

template <typename OpT>
static Windows getWindowsOf(OpT op, Value input, ArrayRef<int64_t> pads = {},
                            bool ceilMode = false) {
  return Windows(
      getTypeOf(input).getShape(),
      {op.getKernel(), op.getStrides(), op.getDilations(), pads, ceilMode});
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// For each element, the sum of the values `dy` of the windows that it is in.
static Value buildSumOfWindows(GradientBuilder &b, const Windows &windows,
                               Value dy) {
  // An element is in windows that start before it: with zeros between them,
  // they are a window too.
  SmallVector<int64_t> low = {0, 0}, high = {0, 0};
  for (const WindowDim &dim : windows.dims) {
    int64_t last = (dim.getNumWindows() - 1) * dim.stride;
    low.push_back(dim.getExtent() - 1 - dim.padLow);
    high.push_back(dim.input - 1 + dim.padLow - last);
  }
  Value spread = pop::detail::buildSpread(b, dy, windows.getSteps());
  return b.create<ReduceWindowOp>(ReduceKind::Sum, b.pad(spread, low, high),
                                  windows.getKernel(), ArrayRef<int64_t>(),
                                  windows.getDilations(), AccumAttr());
}

LogicalResult AvgPoolOp::buildGradients(GradientBuilder &b) {
  Windows windows = getWindowsOf(*this, getInput(), getPads(), getCeilMode());
  if (getType().getNumElements() == 0)
    return success();
  if (failed(windows.check(*this)))
    return failure();
  ArrayRef<int64_t> planes = getType().getShape().drop_front(2);
  if (computeProduct(planes) > pop::detail::kMaxWindowCounts)
    return emitOpError() << "expects at most " << pop::detail::kMaxWindowCounts
                         << " windows for its gradient but got "
                         << computeProduct(planes);
  Value dy = b.widen(b.getGradient(getResult()));
  Value counts = b.constant(pop::detail::getWindowCounts(
      windows.dims, getCountIncludePad(),
      cast<FloatType>(getTypeOf(dy).getElementType())));
  b.addGradient(getInput(), buildSumOfWindows(b, windows, b.div(dy, counts)));
  return success();
}

//===----------------------------------------------------------------------===//
// Kernel positions
//===----------------------------------------------------------------------===//

/// Calls `build` with each kernel position, in row-major order, and with the
/// elements of the padded input that windows have there: where they start.
static void forEachPosition(
    const Windows &windows,
    function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>)> build) {
  SmallVector<int64_t> kernel = windows.getKernel();
  SmallVector<int64_t> strides = computeStrides(kernel);
  for (int64_t i = 0, e = computeProduct(kernel); i < e; ++i) {
    SmallVector<int64_t> position = delinearize(i, strides);
    SmallVector<int64_t> starts = {0, 0};
    for (auto [q, dim] : llvm::zip_equal(position, windows.dims))
      starts.push_back(q * dim.dilation);
    build(position, starts);
  }
}

/// Most positions that ops are built for one by one.
static constexpr int64_t kMaxPositions = 1024;

static LogicalResult checkPositions(Operation *op, ArrayRef<int64_t> kernel) {
  if (computeProduct(kernel) <= kMaxPositions)
    return success();
  return op->emitOpError() << "expects a kernel of at most " << kMaxPositions
                           << " positions for its gradient but got "
                           << computeProduct(kernel);
}

/// The gradient of products: the products of the other elements of each window,
/// at each kernel position.
static LogicalResult addOfProd(GradientBuilder &b, ReduceWindowOp op, Value dy,
                               const Windows &windows) {
  if (failed(checkPositions(op, op.getKernel())))
    return failure();
  int64_t numRows = op.getType().getNumElements();
  SmallVector<int64_t> sizes = windows.getResultShape();
  SmallVector<Value> columns;
  Value input = b.widen(b.getForward(op.getInput()));
  forEachPosition(windows, [&](ArrayRef<int64_t>, ArrayRef<int64_t> starts) {
    Value elements = b.slice(input, starts, sizes, windows.getSteps());
    columns.push_back(b.reshape(elements, {numRows, 1}));
  });
  int64_t numColumns = columns.size();
  if (failed(pop::detail::checkGradientShape(op, {numRows, 2 * numColumns})))
    return failure();
  Value rows = b.create<ConcatOp>(columns, /*axis=*/1);
  Value factors = b.reshape(b.widen(dy), {numRows, 1});
  Value products = pop::detail::buildProductsOfOthers(b, rows, factors);
  int64_t column = 0;
  SmallVector<Value> parts;
  forEachPosition(windows, [&](ArrayRef<int64_t>, ArrayRef<int64_t> starts) {
    Value part = b.slice(products, {0, column++}, {numRows, 1}, {1, 1});
    parts.push_back(pop::detail::buildPlaced(
        b, b.reshape(part, sizes), windows.shape, starts, windows.getSteps()));
  });
  b.addGradient(op.getInput(), b.create<SumOp>(parts));
  return success();
}

LogicalResult ReduceWindowOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  Windows windows = getWindowsOf(*this, getInput());
  if (getType().getNumElements() == 0)
    return success();
  if (failed(windows.check(*this)))
    return failure();
  switch (getKind()) {
  case ReduceKind::Sum:
    b.addGradient(getInput(), buildSumOfWindows(b, windows, b.widen(dy)));
    return success();
  case ReduceKind::Mean: {
    Value wide = b.widen(dy);
    Value count = b.splatLike(computeProduct(getKernel()), wide);
    b.addGradient(getInput(),
                  buildSumOfWindows(b, windows, b.div(wide, count)));
    return success();
  }
  case ReduceKind::Max:
  case ReduceKind::Min:
    b.addGradient(getInput(),
                  b.create<SelectAndScatterOp>(
                      getKind(), b.getForward(getInput()), dy, getKernel(),
                      getStrides(), getDilations(), ArrayRef<int64_t>(),
                      /*ceil_mode=*/false));
    return success();
  case ReduceKind::Prod:
    return addOfProd(b, *this, dy, windows);
  case ReduceKind::And:
  case ReduceKind::Or:
    break;
  }
  llvm_unreachable("this kind of reduction is verified not to have windows");
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

LogicalResult MaxPoolOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(),
                b.create<SelectAndScatterOp>(
                    ReduceKind::Max, b.getForward(getInput()),
                    b.getGradient(getResult()), getKernel(), getStrides(),
                    getDilations(), getPads(), getCeilMode()));
  return success();
}

/// Which windows have an element of the input at `position`, as one flag for
/// each, in the order of windows.
static SmallVector<bool> getIsInside(const Windows &windows,
                                     ArrayRef<int64_t> position) {
  SmallVector<bool> isInside = {true};
  for (auto [q, dim] : llvm::zip_equal(position, windows.dims)) {
    SmallVector<bool> outer = std::move(isInside);
    isInside.clear();
    for (bool isOuter : outer)
      for (int64_t p = 0, e = dim.getNumWindows(); p < e; ++p) {
        int64_t at = p * dim.stride + q * dim.dilation - dim.padLow;
        isInside.push_back(isOuter && at >= 0 && at < dim.input);
      }
  }
  return isInside;
}

/// `flags`, one for each window of a plane, or null if all are false.
static Value buildFlags(GradientBuilder &b, const Windows &windows,
                        ArrayRef<bool> flags) {
  if (!llvm::is_contained(flags, true))
    return {};
  SmallVector<int64_t> shape = windows.getResultShape();
  shape[0] = shape[1] = 1;
  return b.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, b.getI1Type()), flags));
}

namespace {
/// What windows select of a tensor, position by position.
struct Selection {
  GradientBuilder &b;
  const Windows &windows;
  ReduceKind kind;
  /// Which windows of a plane have an element so far.
  SmallVector<bool> hasElement;
  Value best, selected;

  /// Goes on to elements `x`, of which those of windows `isInside` are inside
  /// of the operand, and which `value` belongs to.
  void advance(ArrayRef<bool> isInside, Value x, Value value);
};
} // namespace

void Selection::advance(ArrayRef<bool> isInside, Value x, Value value) {
  SmallVector<bool> isFirst;
  for (auto [inside, has] : llvm::zip_equal(isInside, hasElement)) {
    isFirst.push_back(inside && !has);
    has |= inside;
  }
  Value replaces = buildFlags(b, windows, isFirst);
  if (best) {
    Value isBetter =
        kind == ReduceKind::Max ? b.greater(x, best) : b.less(x, best);
    if (llvm::is_contained(isInside, false)) {
      Value flags = buildFlags(b, windows, isInside);
      isBetter = flags ? b.create<AndOp>(isBetter, flags) : Value();
    }
    if (isBetter)
      replaces = replaces ? b.create<OrOp>(isBetter, replaces) : isBetter;
  }
  if (!replaces)
    return;
  best = best ? b.select(replaces, x, best) : x;
  selected = b.select(replaces, value, selected);
}

LogicalResult SelectAndScatterOp::buildGradients(GradientBuilder &b) {
  Windows windows = getWindowsOf(*this, getOperand(), getPads(), getCeilMode());
  RankedTensorType source = getSource().getType();
  if (!b.isNeeded(getSource()) || source.getNumElements() == 0)
    return success();
  if (failed(windows.check(*this)) ||
      failed(checkPositions(*this, getKernel())))
    return failure();
  int64_t planes = computeProduct(source.getShape().drop_front(2));
  if (planes > pop::detail::kMaxWindowCounts)
    return emitOpError() << "expects at most " << pop::detail::kMaxWindowCounts
                         << " windows for its gradient but got " << planes;
  SmallVector<int64_t> low = {0, 0}, high = {0, 0};
  for (const WindowDim &dim : windows.dims) {
    low.push_back(dim.padLow);
    high.push_back(windows.getHigh(dim));
  }
  Value operand = b.pad(b.getForward(getOperand()), low, high);
  Value dy = b.pad(b.getGradient(getResult()), low, high);
  Selection selection{b,         windows,
                      getKind(), SmallVector<bool>(planes, false),
                      Value(),   b.zeros(source)};
  forEachPosition(
      windows, [&](ArrayRef<int64_t> position, ArrayRef<int64_t> starts) {
        auto buildAt = [&](Value tensor) {
          return b.slice(tensor, starts, source.getShape(), windows.getSteps());
        };
        Value x = buildAt(operand), value = buildAt(dy);
        selection.advance(getIsInside(windows, position), x, value);
      });
  b.addGradient(getSource(), selection.selected);
  return success();
}
