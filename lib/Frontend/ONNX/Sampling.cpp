//===- Sampling.cpp - ONNX operators that sample at computed positions ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of samples are floats that the program computes. Each spatial
// dimension on its own has a few taps for a sample: positions of elements, and
// the weights of these elements. One gather reads the elements of all
// combinations of taps.
//
//===----------------------------------------------------------------------===//

#include "Interpolation.h"
#include "Windows.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::ReduceKind;

/// The greatest number of samples of a bin of RoiAlign along an axis.
static constexpr int64_t kMaxSamples = 1 << 10;
/// The greatest size of a grid.
static constexpr int64_t kMaxGrid = 1 << 20;
/// The greatest number of bins of a region along an axis.
static constexpr int64_t kMaxBins = 1 << 16;

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

namespace {
/// What a position outside of a dimension stands for.
enum class Padding { Zeros, Border, Reflection };

/// The elements of one dimension that contribute to each sample. The last
/// dimension of both tensors has the taps.
struct AxisTaps {
  /// Whole numbers, as floats. A position outside of the dimension stands for
  /// an element 0.
  Value positions;
  Value weights;
};
} // namespace

static Value appendDim(Node &node, Value x) {
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(1);
  return node.reshape(x, shape);
}

static Value floor(Node &node, Value x) {
  return node.create<pop::FloorOp>({x});
}

static Value clamp(Node &node, Value x, double low, double high) {
  return node.max(node.min(x, node.splatLike(high, x)), node.splatLike(low, x));
}

static Value both(Node &node, Value a, Value b) {
  return node.create<pop::AndOp>({a, b});
}

/// Returns whether `low` <= `x` < `high`, as i1.
static Value isBetween(Node &node, Value low, Value x, Value high) {
  return both(node, node.create<pop::LessEqualOp>({low, x}),
              node.less(x, high));
}

static Value addScalar(Node &node, Value x, double a) {
  return node.add(x, node.splatLike(a, x));
}

static Value mulScalar(Node &node, Value x, double a) {
  return node.mul(x, node.splatLike(a, x));
}

/// Builds the floats 0 to `count` - 1 along dimension `axis` of `rank`.
static Value countUp(Node &node, int64_t count, Type type, int64_t axis,
                     int64_t rank) {
  return node.cast(node.iota(count, node.getI32Type(), axis, rank), type);
}

/// Rounds to the nearest whole number, and halves away from 0.
static Value roundHalfAway(Node &node, Value x) {
  Value magnitude = node.abs(x);
  Value whole = floor(node, magnitude);
  Value isUp = node.create<pop::GreaterEqualOp>(
      {node.sub(magnitude, whole), node.splatLike(0.5, x)});
  whole = node.add(whole, node.cast(isUp, getElement(x)));
  return node.mul(whole, node.create<pop::SignOp>({x}));
}

/// Returns the weights of Keys' cubic convolution, with the coefficient -0.75
/// of PyTorch, at `distance` from a position.
static Value getCubicWeights(Node &node, Value distance) {
  static constexpr double a = -0.75;
  auto polynomial = [&](ArrayRef<double> coefficients) {
    Value sum = node.splatLike(coefficients.front(), distance);
    for (double coefficient : coefficients.drop_front())
      sum = addScalar(node, node.mul(sum, distance), coefficient);
    return sum;
  };
  return node.select(node.less(distance, node.splatLike(1, distance)),
                     polynomial({a + 2, -(a + 3), 0, 1}),
                     polynomial({a, -5 * a, 8 * a, -4 * a}));
}

/// Returns the taps around the positions `x`.
static AxisTaps getTaps(Node &node, Value x, Interpolation mode) {
  if (mode == Interpolation::Nearest)
    return {appendDim(node, x), Value()};
  int64_t count = mode == Interpolation::Linear ? 2 : 4, rank = getRank(x) + 1;
  Value base = floor(node, x);
  Value fraction = appendDim(node, node.sub(x, base));
  Value offsets = addScalar(
      node, countUp(node, count, getElement(x), rank - 1, rank), 1 - count / 2);
  Value distance = node.abs(node.sub(fraction, offsets));
  return {node.add(appendDim(node, base), offsets),
          mode == Interpolation::Linear
              ? node.sub(node.splatLike(1, distance), distance)
              : getCubicWeights(node, distance)};
}

/// Reshapes the taps of dimension `dim` of `numDims` to [..., 1, taps, 1], such
/// that the taps of all dimensions broadcast to all combinations.
static Value spreadTaps(Node &node, Value taps, size_t dim, size_t numDims) {
  SmallVector<int64_t> shape(getShape(taps).drop_back());
  shape.append(numDims, 1);
  shape[getRank(taps) - 1 + dim] = getShape(taps).back();
  return node.reshape(taps, shape);
}

/// Gathers the elements of `x` [B, C, spatial...] at positions [B, ...], one
/// tensor for each spatial dimension, which broadcast to each other. Returns
/// [B, ..., C].
static Value gatherElements(Node &node, Value x, ArrayRef<Value> positions) {
  ArrayRef<int64_t> spatial = getShape(x).drop_front(2);
  int64_t count = getProduct(spatial);
  Type indexType =
      llvm::isInt<32>(count) ? node.getI32Type() : node.getI64Type();
  Value index, least;
  for (auto [position, size] : llvm::zip_equal(positions, spatial)) {
    Value isInside =
        isBetween(node, node.splatLike(0, position), position,
                  node.splatLike(static_cast<double>(size), position));
    Value part =
        node.cast(node.select(isInside, position, node.splatLike(-1, position)),
                  indexType);
    if (!index) {
      index = least = part;
      continue;
    }
    index = node.add(mulScalar(node, index, static_cast<double>(size)), part);
    least = node.min(least, part);
  }
  if (positions.size() > 1)
    index = node.select(node.less(least, node.splatLike(0, least)),
                        node.splatLike(-1, index), index);
  Value table = node.reshape(x, {getDim(x, 0), getDim(x, 1), count});
  return node.create<pop::GatherOp>({node.transpose(table, {0, 2, 1}), index},
                                    node.attr("batch_dims", 1));
}

/// Returns the product of weights that broadcast to each other.
static Value multiplyAll(Node &node, ArrayRef<Value> weights) {
  Value product;
  for (Value weight : weights)
    product = product ? node.mul(product, weight) : weight;
  return product;
}

/// Samples `x` [B, C, spatial...] with taps [B, ..., taps] of each spatial
/// dimension. Returns [B, ..., C].
static Value sample(Node &node, Value x, ArrayRef<AxisTaps> taps) {
  SmallVector<Value> positions, weights;
  for (auto [i, axis] : llvm::enumerate(taps)) {
    positions.push_back(spreadTaps(node, axis.positions, i, taps.size()));
    if (axis.weights)
      weights.push_back(spreadTaps(node, axis.weights, i, taps.size()));
  }
  Value elements = gatherElements(node, x, positions);
  int64_t last = getRank(elements) - 1;
  SmallVector<int64_t> axes =
      getAxesFrom(last - static_cast<int64_t>(taps.size()), last);
  if (weights.empty()) {
    SmallVector<int64_t> shape(getShape(elements));
    shape.erase(shape.begin() + axes.front(), shape.begin() + last);
    return node.reshape(elements, shape);
  }
  Value weight = appendDim(node, multiplyAll(node, weights));
  return node.sum(node.mul(elements, node.cast(weight, getElement(elements))),
                  axes);
}

/// Converts samples [B, P, C] to [B, C, `spatial`...].
static Value moveChannels(Node &node, Value samples,
                          ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> shape = {getDim(samples, 0), getDim(samples, 2)};
  shape.append(spatial.begin(), spatial.end());
  return node.reshape(node.transpose(samples, {0, 2, 1}), shape);
}

static void requireFloats(Node &node, size_t i) {
  node.require(isa<FloatType>(getElement(node.getInput(i))),
               "expects input " + Twine(i) + " to be floats but got " +
                   quote(node.getInput(i).getType()));
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of a GridSample node.
struct GridSampling {
  Node &node;
  Interpolation mode;
  Padding padding;
  bool alignCorners;

  explicit GridSampling(Node &node);
  Value denormalize(Value x, int64_t size) const;
  Value round(Value x, size_t numDims) const;
  Value reflect(Value x, int64_t size) const;
  Value moveInside(Value x, int64_t size) const;
  AxisTaps getAxisTaps(Value x, int64_t size, size_t numDims) const;
};
} // namespace

GridSampling::GridSampling(Node &node)
    : node(node), alignCorners(node.getInt("align_corners", 0) != 0) {
  bool isOld = node.getOpset() < 20;
  mode = getChoice<Interpolation>(
      node, "mode", isOld ? "bilinear" : "linear",
      {{"nearest", Interpolation::Nearest},
       {isOld ? "bilinear" : "linear", Interpolation::Linear},
       {isOld ? "bicubic" : "cubic", Interpolation::Cubic}});
  padding = getChoice<Padding>(node, "padding_mode", "zeros",
                               {{"zeros", Padding::Zeros},
                                {"border", Padding::Border},
                                {"reflection", Padding::Reflection}});
}

/// Converts coordinates from -1 to 1 to positions in a dimension. The corners
/// are the centers of the outer elements or, by default, their outer edges.
Value GridSampling::denormalize(Value x, int64_t size) const {
  auto length = static_cast<double>(size);
  x = addScalar(node, x, 1);
  if (alignCorners)
    return mulScalar(node, mulScalar(node, x, 0.5), length - 1);
  return mulScalar(node, addScalar(node, mulScalar(node, x, length), -1), 0.5);
}

/// Rounds halves to even in up to two dimensions, and away from 0 in more, as
/// PyTorch and ONNX's reference implementation do.
Value GridSampling::round(Value x, size_t numDims) const {
  if (numDims < 3)
    return node.create<pop::RoundOp>({x});
  return roundHalfAway(node, x);
}

/// Reflects positions at the borders until they are inside.
Value GridSampling::reflect(Value x, int64_t size) const {
  double low = alignCorners ? 0 : -0.5;
  double high = static_cast<double>(size) - (alignCorners ? 1 : 0.5);
  if (low == high)
    return node.mul(x, node.splatLike(0, x));
  // A position is at `rest` from the low border if it passed an even number of
  // ranges above it or an odd number below it.
  Value isLow = node.less(x, node.splatLike(low, x));
  Value isHigh = node.greater(x, node.splatLike(high, x));
  Value distance = node.select(isLow, node.sub(node.splatLike(low, x), x),
                               node.sub(x, node.splatLike(high, x)));
  Value ranges = floor(node, node.div(distance, node.splatLike(high - low, x)));
  Value rest = node.sub(distance, mulScalar(node, ranges, high - low));
  Value pairs = mulScalar(node, floor(node, mulScalar(node, ranges, 0.5)), 2);
  Value isEven = node.equal(ranges, pairs);
  Value reflected =
      node.select(node.equal(isEven, isLow), addScalar(node, rest, low),
                  node.sub(node.splatLike(high, rest), rest));
  return node.select(node.create<pop::OrOp>({isLow, isHigh}), reflected, x);
}

/// Moves positions that are beyond the borders according to the padding.
Value GridSampling::moveInside(Value x, int64_t size) const {
  if (padding == Padding::Reflection)
    return reflect(x, size);
  // In mode cubic, only the taps are moved, as in PyTorch and ONNX Runtime.
  if (padding == Padding::Zeros || mode == Interpolation::Cubic)
    return x;
  auto last = static_cast<double>(size - 1);
  if (alignCorners)
    return clamp(node, x, 0, last);
  // Positions up to the outer edges of the outer elements stay.
  Value isInside =
      both(node, node.create<pop::LessEqualOp>({node.splatLike(-0.5, x), x}),
           node.create<pop::LessEqualOp>({x, node.splatLike(last + 0.5, x)}));
  return node.select(isInside, x, clamp(node, x, 0, last));
}

AxisTaps GridSampling::getAxisTaps(Value x, int64_t size,
                                   size_t numDims) const {
  x = denormalize(x, size);
  if (mode == Interpolation::Nearest)
    x = round(x, numDims);
  AxisTaps taps = getTaps(node, moveInside(x, size), mode);
  if (padding == Padding::Zeros)
    return taps;
  // Taps beside an outer element may be outside again.
  auto last = static_cast<double>(size - 1);
  if (padding == Padding::Reflection)
    taps.positions = reflect(taps.positions, size);
  taps.positions = clamp(node, taps.positions, 0, last);
  // A reflected position may have a fraction of 0.5.
  taps.positions = floor(node, taps.positions);
  return taps;
}

static void importGridSample(Node &node) {
  Value x = node.getInput(0), grid = node.getInput(1);
  requireFloats(node, 1);
  checkSpatial(node, x);
  int64_t numDims = getRank(x) - 2, last = getRank(grid) - 1;
  node.require(getRank(grid) == getRank(x) && getDim(grid, last) == numDims &&
                   getDim(grid, 0) == getDim(x, 0),
               "expects a grid of rank " + Twine(getRank(x)) + ", of " +
                   Twine(getDim(x, 0)) + " batches and with " + Twine(numDims) +
                   " coordinates but got " + quote(grid.getType()));
  GridSampling sampling(node);
  if (!isa<FloatType>(getElement(x)) && sampling.mode != Interpolation::Nearest)
    node.unsupported("interpolation of " + quote(getElement(x)));
  ArrayRef<int64_t> spatial = getShape(grid).drop_front().drop_back();
  if (llvm::is_contained(getShape(x).drop_front(2), 0))
    node.unsupported("an operand without elements");
  Value points = node.reshape(node.widen(grid),
                              {getDim(x, 0), getProduct(spatial), numDims});
  SmallVector<AxisTaps> taps;
  for (int64_t i = 0; i < numDims; ++i) {
    // The coordinates are in the reverse order of the dimensions.
    Value axis = node.reshape(node.slice(points, 2, numDims - 1 - i, 1),
                              getShape(points).drop_back());
    taps.push_back(sampling.getAxisTaps(axis, getDim(x, i + 2), numDims));
  }
  bool isFloat = isa<FloatType>(getElement(x));
  Value y = sample(node, isFloat ? node.widen(x) : x, taps);
  y = moveChannels(node, y, spatial);
  node.setResult(isFloat ? node.cast(y, getElement(x)) : y);
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// Builds the coordinates of the centers of `size` elements between -1 and 1.
/// With `alignCorners`, the outer centers are at -1 and 1.
static Value getCenters(Node &node, Type type, int64_t size, bool alignCorners,
                        int64_t axis, int64_t rank) {
  Value positions = countUp(node, size, type, axis, rank);
  auto length = static_cast<double>(size);
  if (!alignCorners)
    return addScalar(node, mulScalar(node, positions, 2 / length),
                     1 / length - 1);
  // The center of a single element is at -1.
  double step = size > 1 ? 2 / (length - 1) : 0;
  return addScalar(node, mulScalar(node, positions, step), -1);
}

static void importAffineGrid(Node &node) {
  Value theta = node.getInput(0);
  requireFloats(node, 0);
  SmallVector<int64_t> size = node.getConstantInts(1);
  auto numDims = static_cast<int64_t>(size.size()) - 2;
  node.require(numDims == 2 || numDims == 3,
               "expects a size of 4 or 5 numbers but got " +
                   Twine(size.size()));
  for (int64_t n : size) {
    node.require(n > 0, "expects positive sizes but got " + Twine(n));
    if (n > kMaxGrid)
      node.unsupported("a grid with a size of more than " + Twine(kMaxGrid));
  }
  SmallVector<int64_t> expected = {size[0], numDims, numDims + 1};
  node.require(getShape(theta) == ArrayRef<int64_t>(expected),
               "expects " + Twine(size[0]) + " matrices of " + Twine(numDims) +
                   " x " + Twine(numDims + 1) + " elements but got " +
                   quote(theta.getType()));
  bool alignCorners = node.getInt("align_corners", 0) != 0;
  node.setResult(buildWide(node, theta, [&](Value matrix) {
    SmallVector<int64_t> column(numDims + 2, 1);
    column.front() = size[0];
    column.back() = numDims;
    auto getColumn = [&](int64_t i) {
      return node.reshape(node.slice(matrix, 2, i, 1), column);
    };
    // Column i belongs to dimension i in the reverse order.
    Value grid = getColumn(numDims);
    for (int64_t i = 0; i < numDims; ++i) {
      int64_t axis = numDims - i;
      Value centers = getCenters(node, getElement(matrix), size[axis + 1],
                                 alignCorners, axis, numDims + 2);
      grid = node.add(node.mul(getColumn(i), centers), grid);
    }
    return grid;
  }));
}

//===----------------------------------------------------------------------===//
// RoiAlign, MaxRoiPool
//===----------------------------------------------------------------------===//

/// Reads the bounds of regions, operand 1 of a node, as wide floats.
static Value getRegions(Node &node, int64_t numColumns) {
  Value x = node.getInput(0), rois = node.getInput(1);
  requireFloats(node, 0);
  requireFloats(node, 1);
  node.require(getRank(x) == 4,
               "expects an operand of rank 4 but got " + quote(x.getType()));
  node.require(getRank(rois) == 2 && getDim(rois, 1) == numColumns,
               "expects regions of " + Twine(numColumns) + " numbers but got " +
                   quote(rois.getType()));
  if (getTensorType(x).getNumElements() == 0)
    node.unsupported("an operand without elements");
  return node.widen(rois);
}

namespace {
/// A RoiAlign node. A region has a grid of bins, and each bin has a grid of
/// samples. Tensors of one axis have the dimensions [1, region, bin, bin,
/// sample, sample] in the order vertical, horizontal.
struct RoiAlign {
  Node &node;
  Value bounds;
  int64_t numRegions;
  double scale;
  bool isHalfPixel, isMax;
  /// The number of samples of a bin along each axis, or 0 if it depends on the
  /// size of the bin.
  int64_t ratio;
  /// The numbers of samples of all bins, if they depend on the region.
  Value counts = {};

  explicit RoiAlign(Node &node);
  Value getBound(int64_t i) const;
  int64_t getMaxSamples(int64_t axis, int64_t numBins);
  AxisTaps getAxisTaps(int64_t axis, int64_t numBins);
  AxisTaps getBatchTaps() const;
  AxisTaps interpolate(Value x, Value exists, int64_t size) const;
  Value combine(Value x, ArrayRef<AxisTaps> taps) const;
};
} // namespace

RoiAlign::RoiAlign(Node &node)
    : node(node), bounds(getRegions(node, 4)), numRegions(getDim(bounds, 0)),
      scale(node.getFloat("spatial_scale", 1)),
      isHalfPixel(node.getOpset() >= 16 &&
                  getChoice<bool>(
                      node, "coordinate_transformation_mode", "half_pixel",
                      {{"half_pixel", true}, {"output_half_pixel", false}})),
      isMax(getChoice<bool>(node, "mode", "avg",
                            {{"avg", false}, {"max", true}})),
      ratio(node.getInt("sampling_ratio", 0)) {
  node.require(ratio >= 0 && ratio <= kMaxSamples,
               "expects 'sampling_ratio' to be from 0 to " +
                   Twine(kMaxSamples) + " but got " + Twine(ratio));
}

/// Returns bound `i` of all regions: x1, y1, x2 or y2.
Value RoiAlign::getBound(int64_t i) const {
  Value bound = mulScalar(node, node.slice(bounds, 1, i, 1), scale);
  if (isHalfPixel)
    bound = addScalar(node, bound, -0.5);
  return node.reshape(bound, {1, numRegions, 1, 1, 1, 1});
}

/// Returns the greatest number of samples of a bin along `axis`. The regions
/// must be constant.
int64_t RoiAlign::getMaxSamples(int64_t axis, int64_t numBins) {
  DenseElementsAttr value = node.getConstant(1);
  SmallVector<double> numbers;
  for (const APFloat &element : value.getValues<APFloat>())
    numbers.push_back(element.convertToDouble());
  double greatest = isHalfPixel ? 0 : 1;
  for (int64_t i = 0; i < numRegions; ++i)
    greatest = std::max(greatest, scale * (numbers[4 * i + 3 - axis] -
                                           numbers[4 * i + 1 - axis]));
  // Rounding in f32 may add a sample.
  double most = std::ceil(greatest / static_cast<double>(numBins)) + 1;
  if (!(most <= kMaxSamples))
    node.unsupported("more than " + Twine(kMaxSamples) + " samples of a bin");
  return static_cast<int64_t>(most);
}

/// Returns the taps of positions `x`. They are outside if they are more than 1
/// beyond the elements, or if their sample does not exist. Other positions are
/// clamped to the elements.
AxisTaps RoiAlign::interpolate(Value x, Value exists, int64_t size) const {
  auto length = static_cast<double>(size);
  auto isInside =
      both(node, node.create<pop::LessEqualOp>({node.splatLike(-1, x), x}),
           node.create<pop::LessEqualOp>({x, node.splatLike(length, x)}));
  if (exists)
    isInside = both(node, isInside, exists);
  x = clamp(node, x, 0, length - 1);
  AxisTaps taps = getTaps(node, x, Interpolation::Linear);
  Value last = node.splatLike(length - 1, x);
  taps.positions =
      node.select(appendDim(node, isInside), node.min(taps.positions, last),
                  node.splatLike(-1, x));
  return taps;
}

/// Returns the taps of the vertical axis 0 or the horizontal axis 1.
AxisTaps RoiAlign::getAxisTaps(int64_t axis, int64_t numBins) {
  Type type = getElement(bounds);
  Value start = getBound(1 - axis);
  Value extent = node.sub(getBound(3 - axis), start);
  // Without half pixels, regions have a size of at least 1.
  if (!isHalfPixel)
    extent = node.max(extent, node.splatLike(1, extent));
  Value bin =
      node.div(extent, node.splatLike(static_cast<double>(numBins), extent));
  int64_t numSamples = ratio > 0 ? ratio : getMaxSamples(axis, numBins);
  Value number = countUp(node, numSamples, type, 4 + axis, 6);
  Value count = node.splat(static_cast<double>(numSamples), type), exists;
  if (ratio == 0) {
    Value zero = node.splatLike(0, bin);
    count = node.max(node.create<pop::CeilOp>({bin}), zero);
    counts = counts ? node.mul(counts, count) : count;
    // A maximum does not change if a sample counts several times.
    if (isMax)
      number = node.min(number, addScalar(node, count, -1));
    exists = isMax ? node.less(zero, count) : node.less(number, count);
  }
  Value bins = countUp(node, numBins, type, 2 + axis, 6);
  Value offset = node.div(node.mul(addScalar(node, number, 0.5), bin), count);
  Value x = node.add(node.add(start, node.mul(bins, bin)), offset);
  return interpolate(x, exists, getDim(node.getInput(0), 2 + axis));
}

AxisTaps RoiAlign::getBatchTaps() const {
  Value batches = node.cast(node.getInput(2), getElement(bounds));
  return {node.reshape(batches, {1, numRegions, 1, 1, 1, 1, 1}), Value()};
}

/// Returns the mean or the maximum of the samples of each bin.
Value RoiAlign::combine(Value x, ArrayRef<AxisTaps> taps) const {
  if (isMax) {
    // As in ONNX Runtime, this is the greatest product of a weight and an
    // element.
    SmallVector<Value> positions, weights;
    for (auto [i, axis] : llvm::enumerate(taps)) {
      positions.push_back(spreadTaps(node, axis.positions, i, taps.size()));
      if (axis.weights)
        weights.push_back(spreadTaps(node, axis.weights, i, taps.size()));
    }
    Value products = node.mul(
        gatherElements(node, x, positions),
        appendDim(node, node.cast(multiplyAll(node, weights), getElement(x))));
    return node.reduce(ReduceKind::Max, products, {4, 5, 6, 7, 8});
  }
  Value sum = node.sum(sample(node, x, taps), {4, 5});
  Value count = node.splatLike(static_cast<double>(ratio * ratio), sum);
  if (counts)
    count = node.reshape(
        node.cast(node.max(counts, node.splatLike(1, counts)), getElement(sum)),
        {1, numRegions, 1, 1, 1});
  return node.div(sum, count);
}

static int64_t getOutputSize(Node &node, StringRef name) {
  int64_t size = node.getInt(name, 1);
  node.require(size > 0 && size <= kMaxBins,
               "expects '" + name + "' to be from 1 to " + Twine(kMaxBins) +
                   " but got " + Twine(size));
  return size;
}

static void importRoiAlign(Node &node) {
  RoiAlign align(node);
  Value x = node.getInput(0);
  node.require(
      getShape(node.getInput(2)) == ArrayRef<int64_t>(align.numRegions),
      "expects " + Twine(align.numRegions) + " batch indices but got " +
          quote(node.getInput(2).getType()));
  int64_t height = getOutputSize(node, "output_height");
  int64_t width = getOutputSize(node, "output_width");
  SmallVector<AxisTaps> taps = {align.getBatchTaps(),
                                align.getAxisTaps(0, height),
                                align.getAxisTaps(1, width)};
  // The batch is one more dimension of positions.
  SmallVector<int64_t> shape = {1, getDim(x, 1), getDim(x, 0), getDim(x, 2),
                                getDim(x, 3)};
  Value table =
      node.reshape(node.transpose(node.widen(x), {1, 0, 2, 3}), shape);
  Value y = align.combine(table, taps);
  y = moveChannels(
      node, node.reshape(y, {align.numRegions, height * width, getDim(x, 1)}),
      {height, width});
  node.setResult(node.cast(y, getElement(x)));
}

/// Returns whether position h of a dimension of `size` elements is in bin b of
/// region r, as [r, b, h].
static Value getBinMask(Node &node, Value low, Value high, int64_t numBins,
                        int64_t size) {
  Type type = getElement(low);
  Value one = node.splatLike(1, low);
  Value extent = node.max(node.add(node.sub(high, low), one), one);
  Value bin =
      node.div(extent, node.splatLike(static_cast<double>(numBins), extent));
  Value bins = countUp(node, numBins, type, 1, 2);
  Value start = node.add(floor(node, node.mul(bins, bin)), low);
  Value end = node.add(
      node.create<pop::CeilOp>({node.mul(addScalar(node, bins, 1), bin)}), low);
  return isBetween(node, appendDim(node, start),
                   countUp(node, size, type, 2, 3), appendDim(node, end));
}

static void importMaxRoiPool(Node &node) {
  Value regions = getRegions(node, 5), x = node.getInput(0);
  SmallVector<int64_t> pooled = node.getInts("pooled_shape");
  node.require(
      pooled.size() == 2 && llvm::all_of(pooled,
                                         [](int64_t size) {
                                           return size > 0 && size <= kMaxBins;
                                         }),
      "expects 'pooled_shape' to be two sizes from 1 to " + Twine(kMaxBins));
  double scale = node.getFloat("spatial_scale", 1);
  int64_t count = getDim(regions, 0);
  auto getBound = [&](int64_t i) {
    return roundHalfAway(node,
                         mulScalar(node, node.slice(regions, 1, i, 1), scale));
  };
  Value batches = node.cast(node.reshape(node.slice(regions, 1, 0, 1), {count}),
                            node.getI32Type());
  Value y =
      node.create<pop::GatherOp>({x, batches}, node.attr("batch_dims", 0));
  // Each axis on its own: the maximum over the elements of each bin.
  Value hasElements;
  for (int64_t axis : {0, 1}) {
    int64_t size = getDim(x, 2 + axis), numBins = pooled[axis];
    Value mask =
        getBinMask(node, getBound(2 - axis), getBound(4 - axis), numBins, size);
    Value any = node.reduce(ReduceKind::Or, mask, {2});
    SmallVector<int64_t> binShape = {count, 1, 1, 1}, maskShape(5, 1),
                         dataShape(getShape(y));
    binShape[2 + axis] = numBins;
    any = node.reshape(any, binShape);
    hasElements = hasElements ? both(node, hasElements, any) : any;
    maskShape[0] = count;
    maskShape[2 + axis] = numBins;
    maskShape[3 + axis] = size;
    dataShape.insert(dataShape.begin() + 2 + axis, 1);
    Value lowest = node.splatLike(-std::numeric_limits<double>::infinity(), y);
    y = node.reduce(ReduceKind::Max,
                    node.select(node.reshape(mask, maskShape),
                                node.reshape(y, dataShape), lowest),
                    {3 + axis});
  }
  node.setResult(node.mask(hasElements, y));
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {
/// A DeformConv node.
struct DeformConv {
  Node &node;
  Value x, weights;
  int64_t numDims, groups, offsetGroups;
  Windows windows;
  /// The product of the kernel's sizes.
  int64_t kernelSize;
  SmallVector<int64_t> outputSpatial;

  explicit DeformConv(Node &node);
  Value getOffsets(size_t input, int64_t numParts);
  Value getPositions(Value offsets, int64_t dim) const;
  Value buildColumns();
  Value multiply(Value columns) const;
};
} // namespace

DeformConv::DeformConv(Node &node)
    : node(node), x(node.getInput(0)), weights(node.getInput(1)),
      numDims(getRank(x) - 2), groups(node.getInt("group", 1)),
      offsetGroups(node.getInt("offset_group", 1)),
      windows(getConvWindows(node, x, weights)) {
  requireFloats(node, 0);
  setPads(node, getShape(x).drop_front(2), windows);
  kernelSize = getProduct(windows.kernel);
  int64_t channels = getDim(x, 1);
  node.require(groups > 0 && getDim(weights, 1) * groups == channels &&
                   getDim(weights, 0) % groups == 0,
               "expects weights for " + Twine(channels) + " channels in " +
                   Twine(groups) + " groups but got " +
                   quote(weights.getType()));
  node.require(offsetGroups > 0 && channels % offsetGroups == 0,
               "expects 'offset_group' to divide " + Twine(channels) +
                   " channels but got " + Twine(offsetGroups));
  if (getTensorType(x).getNumElements() == 0)
    node.unsupported("an operand without elements");
  for (int64_t i = 0; i < numDims; ++i) {
    int64_t slack = getDim(x, i + 2) + windows.pads[i] +
                    windows.pads[numDims + i] - windows.getExtent(i);
    node.require(slack >= 0, "expects a kernel that fits into dimension " +
                                 Twine(i + 2) + " with its pads");
    outputSpatial.push_back(slack / windows.strides[i] + 1);
  }
}

/// Returns operand `input`, which has `numParts` numbers for each element of
/// the kernel, as [N * groups of offsets, kernel elements, parts, positions].
Value DeformConv::getOffsets(size_t input, int64_t numParts) {
  Value offsets = node.getInput(input);
  SmallVector<int64_t> expected = {getDim(x, 0),
                                   offsetGroups * kernelSize * numParts};
  llvm::append_range(expected, outputSpatial);
  node.require(getShape(offsets) == ArrayRef<int64_t>(expected),
               "expects input " + Twine(input) + " of type " +
                   quote(RankedTensorType::get(expected, getElement(x))) +
                   " but got " + quote(offsets.getType()));
  return node.reshape(node.widen(offsets),
                      {getDim(x, 0) * offsetGroups, kernelSize, numParts,
                       getProduct(outputSpatial)});
}

/// Returns the positions along `dim` of the elements that each kernel element
/// [..., kernel elements, positions] reads.
Value DeformConv::getPositions(Value offsets, int64_t dim) const {
  auto getPart = [&](int64_t size, double step, double start,
                     ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> full(sizes);
    Value part = countUp(node, size, getElement(offsets), dim, numDims);
    part = addScalar(node, mulScalar(node, part, step), start);
    return node.reshape(node.expand(part, full), shape);
  };
  Value kernel =
      getPart(windows.kernel[dim], static_cast<double>(windows.dilations[dim]),
              -static_cast<double>(windows.pads[dim]), windows.kernel,
              {1, kernelSize, 1});
  Value origin =
      getPart(outputSpatial[dim], static_cast<double>(windows.strides[dim]), 0,
              outputSpatial, {1, 1, getProduct(outputSpatial)});
  Value offset =
      node.reshape(node.slice(offsets, 2, dim, 1),
                   {getDim(offsets, 0), kernelSize, getDim(offsets, 3)});
  return node.add(node.add(kernel, origin), offset);
}

/// Samples the input for each kernel element and each position of the result.
/// Returns [N, C, kernel elements, positions].
Value DeformConv::buildColumns() {
  Value offsets = getOffsets(2, numDims);
  int64_t batch = getDim(offsets, 0), channels = getDim(x, 1) / offsetGroups;
  SmallVector<int64_t> shape = {batch, channels};
  llvm::append_range(shape, getShape(x).drop_front(2));
  SmallVector<AxisTaps> taps;
  for (int64_t dim = 0; dim < numDims; ++dim)
    taps.push_back(
        getTaps(node, getPositions(offsets, dim), Interpolation::Linear));
  Value columns = sample(node, node.reshape(node.widen(x), shape), taps);
  if (node.hasInput(4))
    columns = node.mul(
        columns, node.reshape(getOffsets(4, 1),
                              {batch, kernelSize, getDim(columns, 2), 1}));
  return node.reshape(
      node.transpose(columns, {0, 3, 1, 2}),
      {getDim(x, 0), getDim(x, 1), kernelSize, getDim(columns, 2)});
}

Value DeformConv::multiply(Value columns) const {
  int64_t batch = getDim(x, 0), positions = getDim(columns, 3);
  int64_t inner = getDim(x, 1) / groups * kernelSize;
  int64_t outputs = getDim(weights, 0);
  Value y = node.create<pop::MatmulOp>(
      {node.reshape(node.cast(weights, getElement(columns)),
                    {1, groups, outputs / groups, inner}),
       node.reshape(columns, {batch, groups, inner, positions})});
  SmallVector<int64_t> shape = {batch, outputs};
  llvm::append_range(shape, outputSpatial);
  return node.reshape(y, shape);
}

static void importDeformConv(Node &node) {
  DeformConv conv(node);
  Value y = conv.multiply(conv.buildColumns());
  node.setResult(addBias(node, node.cast(y, getElement(node.getInput(0))), 3));
}

ArrayRef<OpEntry> ipu::onnx::getSamplingOps() {
  static const OpEntry kOps[] = {
      {"AffineGrid", 20, 2, 2, 1, importAffineGrid,
       "constant size; in f32 for narrower floats"},
      {"DeformConv", 19, 3, 5, 1, importDeformConv,
       "one to three spatial dimensions; in f32 for narrower floats"},
      {"GridSample", 16, 2, 2, 1, importGridSample,
       "one to three spatial dimensions, all modes; integers only with mode "
       "nearest; in f32 for narrower floats"},
      {"MaxRoiPool", 1, 2, 2, 1, importMaxRoiPool},
      {"RoiAlign", 10, 3, 3, 1, importRoiAlign,
       "constant regions if `sampling_ratio` is 0; mode max is the greatest "
       "product of a weight and an element, as in ONNX Runtime; in f32 for "
       "narrower floats"},
  };
  return kOps;
}
