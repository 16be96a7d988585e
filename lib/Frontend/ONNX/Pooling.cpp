//===- Pooling.cpp - ONNX pools and their windows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"

#include "Windows.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest size, stride or dilation. With this limit, sums of products of
/// two of these numbers fit 64 bits.
static constexpr int64_t kMaxWindow = int64_t(1) << 30;
/// The greatest size of a dimension whose positions MaxPool returns.
static constexpr int64_t kMaxPositions = 1 << 24;
/// The greatest sum of the sizes of a kernel for which MaxPool computes
/// indices. Each position of the kernel has its own ops.
static constexpr int64_t kMaxSelections = 1024;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

AutoPad ipu::onnx::getAutoPad(Node &node) {
  std::string mode = node.getString("auto_pad", "NOTSET");
  if (mode.empty() || mode == "NOTSET")
    return AutoPad::NotSet;
  if (mode == "SAME_UPPER")
    return AutoPad::SameUpper;
  if (mode == "SAME_LOWER")
    return AutoPad::SameLower;
  node.require(mode == "VALID", "expects 'auto_pad' to be NOTSET, SAME_UPPER, "
                                "SAME_LOWER or VALID but got '" +
                                    mode + "'");
  return AutoPad::Valid;
}

void ipu::onnx::checkSpatial(Node &node, Value x) {
  node.require(getRank(x) >= 3,
               "expects an operand of rank 3 or more but got " +
                   Twine(getRank(x)));
  if (getRank(x) > 5)
    node.unsupported("more than three spatial dimensions");
}

Windows ipu::onnx::getWindows(Node &node, ArrayRef<int64_t> kernel) {
  size_t count = kernel.size();
  Windows windows{
      SmallVector<int64_t>(kernel), node.getInts("strides", count, 1),
      node.getInts("dilations", count, 1), SmallVector<int64_t>(2 * count, 0)};
  for (ArrayRef<int64_t> values :
       {ArrayRef(windows.kernel), ArrayRef(windows.strides),
        ArrayRef(windows.dilations)})
    for (int64_t value : values)
      node.require(value > 0 && value <= kMaxWindow,
                   "expects kernel, strides and dilations from 1 to " +
                       Twine(kMaxWindow) + " but got " + Twine(value));
  return windows;
}

void ipu::onnx::setPads(Node &node, ArrayRef<int64_t> spatial,
                        Windows &windows) {
  AutoPad mode = getAutoPad(node);
  size_t count = windows.getNumDims();
  if (mode == AutoPad::NotSet) {
    windows.pads = node.getInts("pads", 2 * count, 0);
    for (int64_t value : windows.pads) {
      if (value < 0)
        node.unsupported("negative pads");
      node.require(value <= kMaxWindow, "expects pads of at most " +
                                            Twine(kMaxWindow) + " but got " +
                                            Twine(value));
    }
    return;
  }
  if (mode == AutoPad::Valid)
    return;
  for (size_t i = 0; i < count; ++i) {
    int64_t size = llvm::divideCeil(spatial[i], windows.strides[i]);
    int64_t total = std::max<int64_t>(
        (size - 1) * windows.strides[i] + windows.getExtent(i) - spatial[i], 0);
    // If the total is odd, SAME_UPPER adds the larger pad after the dimension,
    // and SAME_LOWER adds it before the dimension.
    int64_t low = mode == AutoPad::SameUpper ? total / 2 : total - total / 2;
    windows.pads[i] = low;
    windows.pads[count + i] = total - low;
  }
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static int64_t getPaddedSize(Value x, const Windows &windows, size_t i) {
  return windows.pads[i] + getDim(x, static_cast<int64_t>(i) + 2) +
         windows.pads[windows.getNumDims() + i];
}

/// With `ceil_mode`, a dimension that is shorter than the kernel has one window
/// if a longer stride would lead beyond its end. The ops of pop do not allow
/// such a window, so the function removes the positions of the kernel that are
/// beyond the pads.
static void shrinkPartialWindows(Value x, Windows &windows) {
  for (size_t i = 0; i < windows.getNumDims(); ++i) {
    int64_t size = getPaddedSize(x, windows, i);
    int64_t slack = size - windows.getExtent(i);
    if (slack >= 0 || slack <= -windows.strides[i] || size == 0)
      continue;
    windows.kernel[i] = (size - 1) / windows.dilations[i] + 1;
    windows.strides[i] = size;
  }
}

static Windows getPoolWindows(Node &node, Value x, bool ceilMode) {
  checkSpatial(node, x);
  SmallVector<int64_t> kernel = node.getInts("kernel_shape");
  node.require(static_cast<int64_t>(kernel.size()) == getRank(x) - 2,
               "expects " + Twine(getRank(x) - 2) +
                   " values in attribute 'kernel_shape' but got " +
                   Twine(kernel.size()));
  Windows windows = getWindows(node, kernel);
  setPads(node, getShape(x).drop_front(2), windows);
  if (ceilMode)
    shrinkPartialWindows(x, windows);
  return windows;
}

static void checkPads(Node &node, const Windows &windows) {
  for (size_t i = 0; i < windows.pads.size(); ++i)
    if (windows.pads[i] >= windows.getExtent(i % windows.getNumDims()))
      node.unsupported("pads that are not smaller than the kernel");
}

static SmallVector<pop::WindowDim> getDims(Value x, const Windows &windows,
                                           bool ceilMode) {
  pop::WindowAttrs attrs;
  attrs.kernel = windows.kernel;
  attrs.strides = windows.strides;
  attrs.dilations = windows.dilations;
  attrs.pads = windows.pads;
  attrs.ceilMode = ceilMode;
  return pop::getWindowDims(getShape(x).drop_front(2), attrs);
}

static SmallVector<NamedAttribute>
getPoolAttrs(Node &node, const Windows &windows, bool ceilMode) {
  SmallVector<NamedAttribute> attrs = {
      node.attr("kernel", windows.kernel),
      node.attr("strides", windows.strides),
      node.attr("dilations", windows.dilations),
      node.attr("pads", windows.pads)};
  if (ceilMode)
    attrs.push_back(node.attr("ceil_mode", node.getUnitAttr()));
  return attrs;
}

/// Returns the shape of the result if it has no elements because the kernel is
/// larger than a padded dimension. The ops of pop do not allow this.
static std::optional<SmallVector<int64_t>>
getEmptyShape(Value x, const Windows &windows, bool ceilMode) {
  SmallVector<int64_t> shape(getShape(x).take_front(2));
  bool isEmpty = false;
  for (auto [i, dim] : llvm::enumerate(getDims(x, windows, ceilMode))) {
    bool hasWindow = getPaddedSize(x, windows, i) >= windows.getExtent(i);
    isEmpty |= !hasWindow;
    shape.push_back(hasWindow ? dim.getNumWindows() : 0);
  }
  if (!isEmpty)
    return std::nullopt;
  return shape;
}

/// Builds a pool of `x` by the op OpTy, whose attributes are those of the
/// windows and `attrs`.
template <typename OpTy>
static Value buildPool(Node &node, Value x,
                       ArrayRef<NamedAttribute> attrs = {}) {
  bool ceilMode = node.getInt("ceil_mode", 0) != 0;
  Windows windows = getPoolWindows(node, x, ceilMode);
  checkPads(node, windows);
  if (auto shape = getEmptyShape(x, windows, ceilMode))
    return node.splat(0, getElement(x), *shape);
  SmallVector<NamedAttribute> all = getPoolAttrs(node, windows, ceilMode);
  llvm::append_range(all, attrs);
  return node.create<OpTy>({x}, all);
}

/// Pads dimension `axis` such that it has all elements that its windows read.
static Value padDim(Node &node, Value x, int64_t axis,
                    const pop::WindowDim &dim, TypedAttr value) {
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0);
  low[axis] = dim.padLow;
  high[axis] =
      std::max<int64_t>((dim.getNumWindows() - 1) * dim.stride +
                            dim.getExtent() - dim.padLow - getDim(x, axis),
                        0);
  return node.pad(x, low, high, value);
}

/// Returns the least value of the elements of `x`.
static TypedAttr getLeastValue(Node &node, Value x) {
  Type type = getElement(x);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          APFloat::getInf(floatType.getFloatSemantics(), true));
  unsigned width = type.getIntOrFloatBitWidth();
  return node.getIntegerAttr(type, type.isUnsignedInteger()
                                       ? APInt::getMinValue(width)
                                       : APInt::getSignedMinValue(width));
}

namespace {
/// The greatest elements of windows, and their positions in the operand. A
/// negative position stands for padding.
struct WindowMaximum {
  Node &node;
  Value values, positions;

  /// Reduces dimension `axis` to its windows. Among equal elements, the first
  /// one is selected. A NaN is greater than every number.
  void reduce(int64_t axis, const pop::WindowDim &dim);
  Value isGreater(Value value, Value position, bool hasPads) const;
};
} // namespace

Value WindowMaximum::isGreater(Value value, Value position,
                               bool hasPads) const {
  auto isNan = [&](Value x) { return node.create<pop::IsNanOp>({x}); };
  auto combine = [&](Value found, Value a, Value b) {
    return node.create<pop::OrOp>({found, node.create<pop::AndOp>({a, b})});
  };
  Value found = node.greater(value, values);
  if (isa<FloatType>(getElement(value)))
    found =
        combine(found, isNan(value), node.create<pop::NotOp>({isNan(values)}));
  // An element may equal the padding.
  Value zero = node.splatLike(0, position);
  return hasPads ? combine(found, node.less(positions, zero),
                           node.create<pop::GreaterEqualOp>({position, zero}))
                 : found;
}

void WindowMaximum::reduce(int64_t axis, const pop::WindowDim &dim) {
  Value x = padDim(node, values, axis, dim, getLeastValue(node, values));
  Value at = padDim(node, positions, axis, dim,
                    node.getIntegerAttr(getElement(positions), -1));
  bool hasPads = x != values;
  for (int64_t k = 0; k < dim.kernel; ++k) {
    auto getElements = [&](Value from) {
      return node.slice(from, axis, k * dim.dilation, dim.getNumWindows(),
                        dim.stride);
    };
    Value value = getElements(x), position = getElements(at);
    if (k == 0) {
      values = value;
      positions = position;
      continue;
    }
    Value found = isGreater(value, position, hasPads);
    values = node.select(found, value, values);
    positions = node.select(found, position, positions);
  }
}

/// Returns the positions of the elements of `x`: the first position of a matrix
/// of one channel, plus the position in it. With `isColumnMajor`, the first
/// spatial dimension varies fastest.
static Value getElementPositions(Node &node, Value x, bool isColumnMajor) {
  Type type = llvm::isInt<32>(getTensorType(x).getNumElements())
                  ? node.getI32Type()
                  : node.getI64Type();
  SmallVector<int64_t> dims = getAxesFrom(2, getRank(x));
  if (!isColumnMajor)
    std::reverse(dims.begin(), dims.end());
  dims.append({1, 0});
  Value sum;
  int64_t unit = 1;
  for (int64_t dim : dims) {
    Value part = node.iota(getDim(x, dim), type, dim, getRank(x));
    part = node.mul(part, node.splat(static_cast<double>(unit), type));
    sum = sum ? node.add(sum, part) : part;
    unit *= getDim(x, dim);
  }
  return sum;
}

/// Returns the second output of MaxPool: the positions of the greatest
/// elements.
static Value buildMaxPositions(Node &node, Value x, const Windows &windows,
                               bool ceilMode) {
  bool isColumnMajor = node.getInt("storage_order", 0) != 0;
  int64_t count = 0;
  for (int64_t size : windows.kernel)
    count += size;
  if (count > kMaxSelections)
    node.unsupported(
        "indices of a kernel whose sizes have a sum of more than " +
        Twine(kMaxSelections));
  for (int64_t size : getShape(x))
    if (size > kMaxPositions)
      node.unsupported("indices of a dimension of more than " +
                       Twine(kMaxPositions) + " elements");
  WindowMaximum maximum{node, x, getElementPositions(node, x, isColumnMajor)};
  SmallVector<pop::WindowDim> dims = getDims(x, windows, ceilMode);
  // From the last to the first dimension: of equal elements, the first one in
  // row-major order is then selected.
  for (int64_t i = dims.size() - 1; i >= 0; --i)
    maximum.reduce(i + 2, dims[i]);
  return node.cast(maximum.positions, node.getI64Type());
}

static void importMaxPool(Node &node) {
  node.setResult(buildPool<pop::MaxPoolOp>(node, node.getInput(0)));
  if (!node.hasOutput(1))
    return;
  Value x = node.getInput(0);
  bool ceilMode = node.getInt("ceil_mode", 0) != 0;
  Windows windows = getPoolWindows(node, x, ceilMode);
  if (auto shape = getEmptyShape(x, windows, ceilMode))
    return node.setResult(1, node.splat(0, node.getI64Type(), *shape));
  node.setResult(1, buildMaxPositions(node, x, windows, ceilMode));
}

//===----------------------------------------------------------------------===//
// Pools of powers
//===----------------------------------------------------------------------===//

/// Returns the exponent of an LpPool or GlobalLpPool node.
static double getExponent(Node &node) {
  double p = node.getOpset() < 2 ? node.getFloat("p", 2)
                                 : static_cast<double>(node.getInt("p", 2));
  node.require(p > 0, "expects a positive 'p'");
  return p;
}

/// Returns the root of the sum of powers that `sum` builds.
static Value buildPowerMean(Node &node, double p,
                            function_ref<Value(Value)> sum) {
  Value x = node.getInput(0);
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  return buildWide(node, x, [&](Value wide) {
    if (p == 2)
      return buildNormRoot(node, sum(node.mul(wide, wide)));
    wide = node.abs(wide);
    if (p == 1)
      return sum(wide);
    Value power = node.create<pop::PowOp>({wide, node.splatLike(p, wide)});
    Value total = sum(power);
    return node.create<pop::PowOp>({total, node.splatLike(1 / p, total)});
  });
}

static void importLpPool(Node &node) {
  Value x = node.getInput(0);
  bool ceilMode = node.getOpset() >= 18 && node.getInt("ceil_mode", 0) != 0;
  Windows windows = getPoolWindows(node, x, ceilMode);
  if (auto shape = getEmptyShape(x, windows, ceilMode))
    return node.setResult(node.splat(0, getElement(x), *shape));
  SmallVector<pop::WindowDim> dims = getDims(x, windows, ceilMode);
  node.setResult(buildPowerMean(node, getExponent(node), [&](Value powers) {
    SmallVector<int64_t> shape(getShape(x).take_front(2));
    for (auto [i, dim] : llvm::enumerate(dims)) {
      powers = padDim(node, powers, static_cast<int64_t>(i) + 2, dim,
                      node.getZeroAttr(getElement(powers)));
      shape.push_back(dim.getNumWindows());
    }
    return node.create<pop::ReduceWindowOp>(
        {powers},
        {node.attr("kind", pop::ReduceKindAttr::get(node.getContext(),
                                                    pop::ReduceKind::Sum)),
         node.attr("kernel", windows.kernel),
         node.attr("strides", windows.strides),
         node.attr("dilations", windows.dilations)},
        RankedTensorType::get(shape, getElement(powers)));
  }));
}

/// Fails if the operand has no batch or no channels. Returns its spatial
/// dimensions.
static SmallVector<int64_t> getGlobalAxes(Node &node) {
  Value x = node.getInput(0);
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   Twine(getRank(x)));
  return getAxesFrom(2, getRank(x));
}

static void importGlobalLpPool(Node &node) {
  SmallVector<int64_t> axes = getGlobalAxes(node);
  node.setResult(buildPowerMean(node, getExponent(node), [&](Value powers) {
    return node.sum(powers, axes, /*keepDims=*/true);
  }));
}

//===----------------------------------------------------------------------===//
// Means and global pools
//===----------------------------------------------------------------------===//

Value ipu::onnx::buildAveragePool(Node &node, Value x) {
  if (node.getInt("count_include_pad", 0) == 0)
    return buildPool<pop::AvgPoolOp>(node, x);
  return buildPool<pop::AvgPoolOp>(
      node, x, node.attr("count_include_pad", node.getUnitAttr()));
}

static void importAveragePool(Node &node) {
  node.setResult(buildAveragePool(node, node.getInput(0)));
}

static void importGlobalAveragePool(Node &node) {
  node.setResult(node.mean(node.getInput(0), getGlobalAxes(node), true));
}

static void importGlobalMaxPool(Node &node) {
  node.setResult(node.reduce(pop::ReduceKind::Max, node.getInput(0),
                             getGlobalAxes(node), true));
}

ArrayRef<OpEntry> ipu::onnx::getPoolingOps() {
  static const OpEntry kOps[] = {
      {"AveragePool", 1, 1, 1, 1, importAveragePool,
       "positions beyond the declared pads are never counted, also with "
       "`ceil_mode` and `count_include_pad`, as in PyTorch and ONNX Runtime"},
      {"GlobalAveragePool", 1, 1, 1, 1, importGlobalAveragePool,
       "the sum is in f32 for narrower floats"},
      {"GlobalLpPool", 1, 1, 1, 1, importGlobalLpPool,
       "in f32 for narrower floats"},
      {"GlobalMaxPool", 1, 1, 1, 1, importGlobalMaxPool},
      {"LpPool", 1, 1, 1, 1, importLpPool, "in f32 for narrower floats"},
      {"MaxPool", 1, 1, 1, 2, importMaxPool,
       "of equal elements, `Indices` has the first one"},
  };
  return kOps;
}
