//===- Pooling.cpp - ONNX pools and their windows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest size, stride or dilation. With this limit, sums of products of
/// two of these numbers fit 64 bits.
static constexpr int64_t kMaxWindow = int64_t(1) << 30;

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
  for (size_t i = 0; i < windows.pads.size(); ++i)
    if (windows.pads[i] >= windows.getExtent(i % windows.getNumDims()))
      node.unsupported("pads that are not smaller than the kernel");
  return windows;
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
  pop::WindowAttrs attrs;
  attrs.kernel = windows.kernel;
  attrs.strides = windows.strides;
  attrs.dilations = windows.dilations;
  attrs.pads = windows.pads;
  attrs.ceilMode = ceilMode;
  SmallVector<int64_t> shape(getShape(x).take_front(2));
  bool isEmpty = false;
  for (auto [i, dim] :
       llvm::enumerate(pop::getWindowDims(getShape(x).drop_front(2), attrs))) {
    bool hasWindow = getPaddedSize(x, windows, i) >= windows.getExtent(i);
    isEmpty |= !hasWindow;
    shape.push_back(hasWindow ? dim.getNumWindows() : 0);
  }
  if (!isEmpty)
    return std::nullopt;
  return shape;
}

/// Imports a pool by the op OpTy, whose attributes are those of the windows and
/// `attrs`.
template <typename OpTy>
static void importPool(Node &node, ArrayRef<NamedAttribute> attrs = {}) {
  Value x = node.getInput(0);
  bool ceilMode = node.getInt("ceil_mode", 0) != 0;
  Windows windows = getPoolWindows(node, x, ceilMode);
  if (auto shape = getEmptyShape(x, windows, ceilMode))
    return node.setResult(node.splat(0, getElement(x), *shape));
  SmallVector<NamedAttribute> all = getPoolAttrs(node, windows, ceilMode);
  llvm::append_range(all, attrs);
  node.setResult(node.create<OpTy>({x}, all));
}

static void importMaxPool(Node &node) {
  // The importer does not support the second output, the indices.
  importPool<pop::MaxPoolOp>(node);
}

static void importAveragePool(Node &node) {
  if (node.getInt("count_include_pad", 0) == 0)
    return importPool<pop::AvgPoolOp>(node);
  importPool<pop::AvgPoolOp>(
      node, node.attr("count_include_pad", node.getUnitAttr()));
}

static void importGlobalAveragePool(Node &node) {
  Value x = node.getInput(0);
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   Twine(getRank(x)));
  node.setResult(node.mean(x, getAxesFrom(2, getRank(x)), true));
}

static void importGlobalMaxPool(Node &node) {
  Value x = node.getInput(0);
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   Twine(getRank(x)));
  node.setResult(
      node.reduce(pop::ReduceKind::Max, x, getAxesFrom(2, getRank(x)), true));
}

ArrayRef<OpEntry> ipu::onnx::getPoolingOps() {
  static const OpEntry kOps[] = {
      {"AveragePool", 1, 1, 1, 1, importAveragePool,
       "positions beyond the declared pads are never counted, also with "
       "`ceil_mode` and `count_include_pad`, as in PyTorch and ONNX Runtime"},
      {"GlobalAveragePool", 1, 1, 1, 1, importGlobalAveragePool,
       "the sum is in f32 for narrower floats"},
      {"GlobalMaxPool", 1, 1, 1, 1, importGlobalMaxPool},
      {"MaxPool", 1, 1, 1, 2, importMaxPool,
       "first output only, for which `storage_order` has no effect"},
  };
  return kOps;
}
