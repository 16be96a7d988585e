//===- Unpooling.cpp - ONNX operators that scatter windows ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of elements of windows whose positions are constants.
static constexpr int64_t kMaxPositions = 1 << 24;

static Value scatter(Node &node, pop::ScatterKind kind, Value x, Value indices,
                     Value updates, int64_t numBatch = 0) {
  return node.create<pop::ScatterOp>(
      {x, indices, updates},
      {node.attr("kind", pop::ScatterKindAttr::get(node.getContext(), kind)),
       node.attr("batch_dims", numBatch)},
      x.getType());
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

static void importMaxUnpool(Node &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  checkSpatial(node, x);
  node.require(getShape(indices) == getShape(x),
               "expects indices with the shape of " + quote(x.getType()) +
                   " but got " + quote(indices.getType()));
  int64_t numDims = getRank(x) - 2;
  SmallVector<int64_t> kernel = node.getInts("kernel_shape");
  node.require(static_cast<int64_t>(kernel.size()) == numDims,
               "expects " + Twine(numDims) +
                   " values in attribute 'kernel_shape' but got " +
                   Twine(kernel.size()));
  Windows windows = getWindows(node, kernel);
  windows.pads = node.getInts("pads", 2 * numDims, 0);
  SmallVector<int64_t> shape(getShape(x).take_front(2));
  for (int64_t i = 0; i < numDims; ++i) {
    int64_t low = windows.pads[i], high = windows.pads[numDims + i];
    node.require(std::abs(low) < (1 << 30) && std::abs(high) < (1 << 30),
                 "expects pads of absolute value below 2^30");
    node.require(getDim(x, i + 2) > 0 && llvm::isInt<32>(getDim(x, i + 2)),
                 "expects spatial dimensions between 1 and 2^31 but got " +
                     Twine(getDim(x, i + 2)));
    shape.push_back((getDim(x, i + 2) - 1) * windows.strides[i] +
                    windows.getExtent(i) - low - high);
  }
  node.require(llvm::all_of(shape, [](int64_t size) { return size >= 0; }) &&
                   pop::isPopShape(shape),
               "expects a result of sizes that are not negative, and of at "
               "most 2^56 elements");
  int64_t count = getProduct(shape), numUpdates = getProduct(getShape(x));
  Value zeros = node.splat(0, getElement(x), {count});
  Value y = scatter(node, pop::ScatterKind::Replace, zeros,
                    node.reshape(indices, {numUpdates}),
                    node.reshape(x, {numUpdates}));
  y = node.reshape(y, shape);
  if (!node.hasInput(2))
    return node.setResult(y);
  // The indices are those of the usual shape; more elements are added after
  // its dimensions.
  SmallVector<int64_t> given = node.getConstantInts(2);
  node.require(given.size() == shape.size(),
               "expects an output shape of " + Twine(shape.size()) +
                   " sizes but got " + Twine(given.size()));
  SmallVector<int64_t> low(shape.size(), 0), high;
  for (auto [size, least] : llvm::zip_equal(given, shape)) {
    node.require(size >= least && size < (int64_t(1) << 40),
                 "expects an output size of at least " + Twine(least) +
                     " but got " + Twine(size));
    high.push_back(size - least);
  }
  node.setResult(node.pad(y, low, high));
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// Returns, for each element of a window (outer loop) and each window (inner
/// loop), its position in an image, or -1 if it is outside.
static SmallVector<int32_t> getImagePositions(ArrayRef<int64_t> image,
                                              const Windows &windows,
                                              ArrayRef<int64_t> numWindows) {
  SmallVector<int32_t> positions(
      getProduct(windows.kernel) * getProduct(numWindows), 0);
  for (auto [i, position] : llvm::enumerate(positions)) {
    auto rest = static_cast<int64_t>(i);
    int64_t unit = 1, index = 0;
    bool isInside = true;
    // From the last to the first dimension.
    SmallVector<int64_t> windowIndex(image.size());
    for (int64_t dim = image.size() - 1; dim >= 0; --dim) {
      windowIndex[dim] = rest % numWindows[dim];
      rest /= numWindows[dim];
    }
    for (int64_t dim = image.size() - 1; dim >= 0; --dim) {
      int64_t element = rest % windows.kernel[dim];
      rest /= windows.kernel[dim];
      int64_t at = windowIndex[dim] * windows.strides[dim] +
                   element * windows.dilations[dim] - windows.pads[dim];
      isInside &= at >= 0 && at < image[dim];
      index += at * unit;
      unit *= image[dim];
    }
    position = isInside ? static_cast<int32_t>(index) : -1;
  }
  return positions;
}

static void importCol2Im(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> image = node.getConstantInts(1);
  Windows windows = getWindows(node, node.getConstantInts(2));
  size_t numDims = image.size();
  node.require(numDims > 0 && windows.getNumDims() == numDims,
               "expects an image and a block of equally many sizes but got " +
                   Twine(numDims) + " and " + Twine(windows.getNumDims()));
  windows.pads = node.getInts("pads", 2 * numDims, 0);
  SmallVector<int64_t> numWindows;
  for (size_t i = 0; i < numDims; ++i) {
    node.require(image[i] > 0 && image[i] < (1 << 30) && windows.pads[i] >= 0 &&
                     windows.pads[i] < (1 << 30) &&
                     windows.pads[numDims + i] >= 0 &&
                     windows.pads[numDims + i] < (1 << 30),
                 "expects image sizes from 1 to 2^30 - 1, and pads from 0 to "
                 "2^30 - 1");
    int64_t slack = image[i] + windows.pads[i] + windows.pads[numDims + i] -
                    windows.getExtent(i);
    node.require(slack >= 0, "expects a block that fits into dimension " +
                                 Twine(i) + " of the image with its pads");
    numWindows.push_back(slack / windows.strides[i] + 1);
  }
  SmallVector<int64_t> columns = windows.kernel;
  llvm::append_range(columns, numWindows);
  if (!pop::isPopShape(columns) || !pop::isPopShape(image) ||
      getProduct(columns) > kMaxPositions ||
      !llvm::isInt<32>(getProduct(image)))
    node.unsupported("more than " + Twine(kMaxPositions) +
                     " elements of blocks");
  int64_t blockSize = getProduct(windows.kernel);
  int64_t count = getProduct(numWindows);
  node.require(getRank(x) == 3 && getDim(x, 1) % blockSize == 0 &&
                   getDim(x, 2) == count,
               "expects an operand of rank 3 with a multiple of " +
                   Twine(blockSize) + " rows and with " + Twine(count) +
                   " columns but got " + quote(x.getType()));

  // Each position of the image is a row of the scatter, which has an element
  // for each batch and channel.
  int64_t batch = getDim(x, 0), channels = getDim(x, 1) / blockSize;
  Value updates = node.transpose(
      node.reshape(x, {batch * channels, blockSize * count}), {1, 0});
  Value positions = node.constant(DenseElementsAttr::get(
      RankedTensorType::get(blockSize * count, node.getI32Type()),
      ArrayRef<int32_t>(getImagePositions(image, windows, numWindows))));
  Value zeros =
      node.splat(0, getElement(x), {getProduct(image), batch * channels});
  Value y = scatter(node, pop::ScatterKind::Add, zeros, positions, updates);
  SmallVector<int64_t> shape = {batch, channels};
  llvm::append_range(shape, image);
  node.setResult(node.reshape(node.transpose(y, {1, 0}), shape));
}

ArrayRef<OpEntry> ipu::onnx::getUnpoolingOps() {
  static const OpEntry kOps[] = {
      {"Col2Im", 18, 3, 3, 1, importCol2Im,
       "constant sizes; any number of spatial dimensions"},
      {"MaxUnpool", 9, 2, 3, 1, importMaxUnpool,
       "constant output shape; the indices are those of the shape without it; "
       "an index that is out of range has no effect"},
  };
  return kOps;
}
