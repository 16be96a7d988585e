//===- Contractions.cpp - ONNX products and convolutions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"

#include "Windows.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// MatMul, Gemm
//===----------------------------------------------------------------------===//

Value ipu::onnx::multiplyMatrices(Node &node, Value a, Value b) {
  node.require(getRank(a) > 0 && getRank(b) > 0,
               "expects operands of rank 1 or more but got " +
                   Twine(getRank(a)) + " and " + Twine(getRank(b)));
  // A vector becomes a matrix of one row or one column. The dimension of size 1
  // is removed from the result.
  bool isRow = getRank(a) == 1, isColumn = getRank(b) == 1;
  if (isRow)
    a = node.reshape(a, {1, getDim(a, 0)});
  if (isColumn)
    b = node.reshape(b, {getDim(b, 0), 1});
  Value y = node.create<pop::MatmulOp>({a, b});
  SmallVector<int64_t> shape(getShape(y));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return node.reshape(y, shape);
}

static void importMatMul(Node &node) {
  node.setResult(multiplyMatrices(node, node.getInput(0), node.getInput(1)));
}

Value ipu::onnx::scale(Node &node, Value x, float factor) {
  if (factor == 1)
    return x;
  if (!isa<FloatType>(getElement(x)) &&
      (std::floor(factor) != factor || std::abs(factor) >= (1 << 24)))
    node.unsupported("fractions with integer operands");
  return node.mul(x, node.splatLike(factor, x));
}

void ipu::onnx::importGemm(Node &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  node.require(getRank(a) == 2 && getRank(b) == 2,
               "expects operands of rank 2 but got " + Twine(getRank(a)) +
                   " and " + Twine(getRank(b)));
  if (node.getInt("transA", 0) != 0)
    a = node.transpose(a, {1, 0});
  if (node.getInt("transB", 0) != 0)
    b = node.transpose(b, {1, 0});
  float alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  Value y = scale(node, node.create<pop::MatmulOp>({a, b}), alpha);
  if (Value c = node.getOptionalInput(2)) {
    SmallVector<int64_t> shape(getShape(y));
    y = node.add(y, scale(node, c, beta));
    node.require(getShape(y) == ArrayRef<int64_t>(shape),
                 "expects C to broadcast to the shape of A * B but got " +
                     quote(c.getType()));
  } else {
    node.require(node.getOpset() >= 11, "expects input 2 but got none");
  }
  node.setResult(y);
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

Value ipu::onnx::alignToChannels(Node &node, Value values, Value y) {
  node.require(getRank(values) == 1 && getDim(values, 0) == getDim(y, 1),
               "expects a bias of " + Twine(getDim(y, 1)) +
                   " elements, one for each channel, but got " +
                   quote(values.getType()));
  SmallVector<int64_t> shape(getRank(y) - 1, 1);
  shape.front() = getDim(values, 0);
  return node.reshape(values, shape);
}

Value ipu::onnx::addBias(Node &node, Value y, size_t input) {
  Value bias = node.getOptionalInput(input);
  return bias ? node.add(y, alignToChannels(node, bias, y)) : y;
}

Windows ipu::onnx::getConvWindows(Node &node, Value x, Value weights) {
  checkSpatial(node, x);
  node.require(getRank(weights) == getRank(x),
               "expects weights of rank " + Twine(getRank(x)) + " but got " +
                   Twine(getRank(weights)));
  ArrayRef<int64_t> kernel = getShape(weights).drop_front(2);
  if (auto given = node.getOptionalInts("kernel_shape"))
    node.require(
        ArrayRef<int64_t>(*given) == kernel,
        "expects 'kernel_shape' to be the kernel shape of the weights");
  return getWindows(node, kernel);
}

static Value buildConv(Node &node, Value x, Value weights,
                       const Windows &windows, int64_t groups,
                       ArrayRef<int64_t> inputDilations = {}) {
  return node.create<pop::ConvOp>({x, weights},
                                  {node.attr("strides", windows.strides),
                                   node.attr("dilations", windows.dilations),
                                   node.attr("input_dilations", inputDilations),
                                   node.attr("pads", windows.pads),
                                   node.attr("groups", groups)});
}

Value ipu::onnx::convolve(Node &node, Value x, Value weights) {
  Windows windows = getConvWindows(node, x, weights);
  setPads(node, getShape(x).drop_front(2), windows);
  return buildConv(node, x, weights, windows, node.getInt("group", 1));
}

static void importConv(Node &node) {
  Value y = convolve(node, node.getInput(0), node.getInput(1));
  node.setResult(addBias(node, y, 2));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// Converts weights [G*I, O, kernel...] of a transposed convolution to weights
/// [G*O, I, flipped kernel...] of a convolution.
static Value flipWeights(Node &node, Value weights, int64_t groups) {
  ArrayRef<int64_t> shape = getShape(weights);
  int64_t in = shape[0] / groups, out = shape[1];
  ArrayRef<int64_t> kernel = shape.drop_front(2);
  SmallVector<int64_t> split = {groups, in, out}, joined = {groups * out, in};
  split.append(kernel.begin(), kernel.end());
  joined.append(kernel.begin(), kernel.end());
  SmallVector<int64_t> permutation = getAxesFrom(0, split.size());
  std::swap(permutation[1], permutation[2]);
  Value y = node.transpose(node.reshape(weights, split), permutation);
  y = node.reshape(y, joined);
  SmallVector<int64_t> starts(2, 0), steps(2, 1);
  for (int64_t size : kernel) {
    starts.push_back(size - 1);
    steps.push_back(-1);
  }
  return node.slice(y, starts, joined, steps);
}

static void checkTransposedSize(Node &node, size_t dim, int64_t size) {
  node.require(size >= 0 && size < (int64_t(1) << 40),
               "expects spatial dimension " + Twine(dim) +
                   " of the result to have a size between 0 and 2^40 but got " +
                   Twine(size));
}

/// Computes the region of the full result that a transposed convolution
/// returns: `low` is the number of elements that are removed before each
/// dimension (a negative number adds elements), and `sizes` are the sizes of
/// the result.
static void getTransposedRegion(Node &node, ArrayRef<int64_t> spatial,
                                const Windows &windows,
                                SmallVectorImpl<int64_t> &low,
                                SmallVectorImpl<int64_t> &sizes) {
  size_t count = windows.getNumDims();
  SmallVector<int64_t> extra = node.getInts("output_padding", count, 0);
  std::optional<SmallVector<int64_t>> shape =
      node.getOptionalInts("output_shape");
  // In some models, the attribute also has the sizes of the batch and of the
  // channels.
  if (shape && shape->size() == count + 2)
    shape->erase(shape->begin(), shape->begin() + 2);
  node.require(!shape || shape->size() == count,
               "expects " + Twine(count) +
                   " values in attribute 'output_shape' but got " +
                   Twine(shape ? shape->size() : 0));
  AutoPad mode = getAutoPad(node);
  SmallVector<int64_t> pads = node.getInts("pads", 2 * count, 0);
  for (size_t i = 0; i < count; ++i) {
    node.require(extra[i] >= 0 && extra[i] < (1 << 30),
                 "expects output paddings from 0 to 2^30 - 1 but got " +
                     Twine(extra[i]));
    int64_t full =
        windows.strides[i] * (spatial[i] - 1) + extra[i] + windows.getExtent(i);
    int64_t size = full;
    if (shape) {
      size = (*shape)[i];
      checkTransposedSize(node, i, size);
    } else if (mode == AutoPad::SameUpper || mode == AutoPad::SameLower)
      size = spatial[i] * windows.strides[i];
    int64_t total = full - size;
    if (shape || mode != AutoPad::NotSet) {
      // The result may be larger than the full result; `total` is then
      // negative.
      int64_t half = llvm::divideFloorSigned(total, 2);
      low.push_back(mode == AutoPad::SameUpper ? half : total - half);
    } else {
      node.require(std::abs(pads[i]) < (1 << 30) &&
                       std::abs(pads[count + i]) < (1 << 30),
                   "expects pads of absolute value below 2^30 but got " +
                       Twine(pads[i]) + " and " + Twine(pads[count + i]));
      low.push_back(pads[i]);
      size = full - pads[i] - pads[count + i];
    }
    checkTransposedSize(node, i, size);
    sizes.push_back(size);
  }
}

static void importConvTranspose(Node &node) {
  Value x = node.getInput(0), weights = node.getInput(1);
  Windows windows = getConvWindows(node, x, weights);
  int64_t groups = node.getInt("group", 1);
  node.require(groups > 0 && getDim(weights, 0) == getDim(x, 1) &&
                   getDim(x, 1) % groups == 0,
               "expects weights for " + Twine(getDim(x, 1)) + " channels in " +
                   Twine(groups) + " groups but got " +
                   quote(weights.getType()));
  ArrayRef<int64_t> spatial = getShape(x).drop_front(2);
  for (int64_t size : spatial)
    node.require(size > 0 && size < (int64_t(1) << 31),
                 "expects spatial dimensions between 1 and 2^31 but got " +
                     Twine(size));
  SmallVector<int64_t> low, sizes;
  getTransposedRegion(node, spatial, windows, low, sizes);

  // The result is a convolution with the flipped kernel on the input, whose
  // elements are spread by the strides. The convolution begins at the first
  // window that contains an element.
  Windows plain = windows;
  size_t count = windows.getNumDims();
  SmallVector<int64_t> starts(2, 0), regionSizes = {getDim(x, 0), 0};
  for (size_t i = 0; i < count; ++i) {
    int64_t reach = windows.getExtent(i) - 1;
    int64_t spread = (spatial[i] - 1) * windows.strides[i] + 1;
    plain.strides[i] = 1;
    plain.pads[i] = std::max<int64_t>(reach - low[i], 0);
    starts.push_back(std::max<int64_t>(low[i] - reach, 0));
    plain.pads[count + i] = std::max<int64_t>(
        starts.back() + sizes[i] + reach - plain.pads[i] - spread, 0);
    regionSizes.push_back(sizes[i]);
  }
  weights = flipWeights(node, weights, groups);
  Value y = buildConv(node, x, weights, plain, groups, windows.strides);
  regionSizes[1] = getDim(y, 1);
  if (getShape(y) != ArrayRef<int64_t>(regionSizes))
    y = node.slice(y, starts, regionSizes, SmallVector<int64_t>(getRank(y), 1));
  node.setResult(addBias(node, y, 2));
}

ArrayRef<OpEntry> ipu::onnx::getContractionOps() {
  static const OpEntry kOps[] = {
      {"Conv", 1, 2, 3, 1, importConv,
       "`auto_pad`, groups, dilations; no negative pads"},
      {"ConvTranspose", 1, 2, 3, 1, importConvTranspose,
       "as a convolution with input dilations and a flipped kernel; with "
       "`output_shape` or `auto_pad`, the total padding, which may be "
       "negative, is halved and rounded down for one side"},
      {"Gemm", 1, 2, 3, 1, importGemm,
       "for integers, `alpha` and `beta` are whole numbers"},
      {"MatMul", 1, 2, 2, 1, importMatMul},
  };
  return kOps;
}
