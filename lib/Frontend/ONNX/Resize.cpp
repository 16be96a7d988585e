//===- Resize.cpp - ONNX resizing by interpolation ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each dimension is resized on its own. The number of its taps and its size
// decide which ops add the weighted elements.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Interpolation.h"

#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest size of a resized dimension. The importer stores weights for
/// each position.
static constexpr int64_t kMaxResized = 1 << 20;
/// The number of rows of an interpolation matrix for each tap, up to which a
/// product with the matrix costs less than one gather for each tap. The
/// estimated cycles of both forms on gc200 are equal at 128 rows for two taps,
/// and at 256 rows for eight taps of a filter.
static constexpr int64_t kMatrixRowsPerTap = 64;
/// The greatest number of elements of an interpolation matrix.
static constexpr int64_t kMaxMatrix = 1 << 20;
/// The greatest number of gathers that replace an interpolation matrix.
static constexpr size_t kMaxGathers = 256;
/// The greatest number of dimensions of integers, whose combinations of taps
/// are gathered.
static constexpr size_t kMaxIntegerDims = 4;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
enum class AspectRatioPolicy { Stretch, NotLarger, NotSmaller };
} // namespace

static Interpolation getInterpolation(Node &node) {
  using Choice = std::pair<StringRef, Interpolation>;
  SmallVector<Choice> choices = {{"nearest", Interpolation::Nearest},
                                 {"linear", Interpolation::Linear}};
  if (node.getOpset() >= 11)
    choices.push_back({"cubic", Interpolation::Cubic});
  return getChoice<Interpolation>(node, "mode", "nearest", choices);
}

static Transformation getTransformation(Node &node) {
  using Choice = std::pair<StringRef, Transformation>;
  SmallVector<Choice> choices = {
      {"half_pixel", Transformation::HalfPixel},
      {"pytorch_half_pixel", Transformation::PytorchHalfPixel},
      {"align_corners", Transformation::AlignCorners},
      {"asymmetric", Transformation::Asymmetric},
      {"tf_crop_and_resize", Transformation::TfCropAndResize}};
  if (node.getOpset() < 13)
    choices.push_back(
        {"tf_half_pixel_for_nn", Transformation::TfHalfPixelForNN});
  if (node.getOpset() >= 19)
    choices.push_back(
        {"half_pixel_symmetric", Transformation::HalfPixelSymmetric});
  return getChoice<Transformation>(node, "coordinate_transformation_mode",
                                   "half_pixel", choices);
}

static NearestMode getNearestMode(Node &node) {
  return getChoice<NearestMode>(
      node, "nearest_mode", "round_prefer_floor",
      {{"round_prefer_floor", NearestMode::RoundPreferFloor},
       {"round_prefer_ceil", NearestMode::RoundPreferCeil},
       {"floor", NearestMode::Floor},
       {"ceil", NearestMode::Ceil}});
}

static AspectRatioPolicy getAspectRatioPolicy(Node &node) {
  return getChoice<AspectRatioPolicy>(
      node, "keep_aspect_ratio_policy", "stretch",
      {{"stretch", AspectRatioPolicy::Stretch},
       {"not_larger", AspectRatioPolicy::NotLarger},
       {"not_smaller", AspectRatioPolicy::NotSmaller}});
}

static Sampling getSampling(Node &node) {
  Sampling sampling;
  sampling.mode = getInterpolation(node);
  if (node.getOpset() < 11)
    return sampling;
  sampling.transformation = getTransformation(node);
  sampling.nearestMode = getNearestMode(node);
  sampling.cubicCoefficient = node.getFloat("cubic_coeff_a", -0.75f);
  sampling.extrapolationValue = node.getFloat("extrapolation_value", 0);
  sampling.excludeOutside = node.getInt("exclude_outside", 0) != 0;
  sampling.antialias =
      node.getOpset() >= 18 && node.getInt("antialias", 0) != 0;
  node.require(!sampling.antialias || sampling.mode != Interpolation::Nearest,
               "expects mode linear or cubic for 'antialias' but got nearest");
  return sampling;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Returns the floats of constant operand `i`, one for each of `count`
/// dimensions.
static SmallVector<float> getConstantFloats(Node &node, size_t i,
                                            size_t count) {
  DenseElementsAttr value = node.getConstant(i);
  if (!isa<FloatType>(value.getElementType()) ||
      value.getType().getRank() != 1 ||
      value.getNumElements() != static_cast<int64_t>(count))
    node.fail("expects input " + Twine(i) + " to be " + Twine(count) +
              " floats but got " + quote(value.getType()));
  SmallVector<float> floats;
  for (APFloat element : value.getValues<APFloat>()) {
    node.require(element.isFinite(),
                 "expects finite numbers in input " + Twine(i));
    floats.push_back(static_cast<float>(element.convertToDouble()));
  }
  return floats;
}

/// Returns whether the node has operand `i`, and the operand has elements. An
/// empty operand counts as none.
static bool hasElements(Node &node, size_t i) {
  return node.hasInput(i) &&
         getTensorType(node.getInput(i)).getNumElements() > 0;
}

static std::string formatNumber(float value) {
  return llvm::formatv("{0}", value).str();
}

/// Fails if a dimension is resized to a length that is not supported.
static void checkLength(Node &node, const ResizedDim &dim, double length) {
  if (length > kMaxResized && length != static_cast<double>(dim.inputSize))
    node.unsupported("a dimension that is resized to more than " +
                     Twine(kMaxResized) + " elements");
}

static void setScales(Node &node, ArrayRef<float> scales,
                      MutableArrayRef<ResizedDim> dims) {
  for (auto [dim, scale] : llvm::zip_equal(dims, scales)) {
    node.require(std::isfinite(scale) && scale > 0,
                 "expects finite scales greater than 0 but got " +
                     formatNumber(scale));
    dim.scale = scale;
    dim.outputLength = scale * static_cast<float>(dim.inputSize);
    checkLength(node, dim, dim.outputLength);
    dim.outputSize =
        scale == 1 ? dim.inputSize : static_cast<int64_t>(dim.outputLength);
  }
}

/// Replaces the scales of all dimensions by the least or the greatest of them,
/// such that the sizes keep their ratio.
static void keepAspectRatio(Node &node, AspectRatioPolicy policy,
                            MutableArrayRef<ResizedDim> dims) {
  float scale = dims.front().scale;
  for (const ResizedDim &dim : dims)
    scale = policy == AspectRatioPolicy::NotLarger ? std::min(scale, dim.scale)
                                                   : std::max(scale, dim.scale);
  for (ResizedDim &dim : dims) {
    dim.scale = scale;
    dim.outputLength = scale * static_cast<float>(dim.inputSize);
    checkLength(node, dim, dim.outputLength);
    dim.outputSize = static_cast<int64_t>(std::round(dim.outputLength));
  }
}

static void setSizes(Node &node, ArrayRef<int64_t> sizes,
                     MutableArrayRef<ResizedDim> dims) {
  for (auto [dim, size] : llvm::zip_equal(dims, sizes)) {
    node.require(size >= 0,
                 "expects sizes not to be negative but got " + Twine(size));
    node.require(dim.inputSize > 0 || size == 0,
                 "expects size 0 for dimension " + Twine(dim.axis) +
                     ", which has no elements, but got " + Twine(size));
    dim.outputSize = size;
    dim.outputLength = static_cast<float>(size);
    dim.scale = dim.inputSize == size
                    ? 1
                    : dim.outputLength / static_cast<float>(dim.inputSize);
  }
}

static void setRoi(Node &node, MutableArrayRef<ResizedDim> dims) {
  node.require(hasElements(node, 1),
               "expects input 1, the region of interest, for "
               "tf_crop_and_resize but got none");
  SmallVector<float> roi = getConstantFloats(node, 1, 2 * dims.size());
  for (auto [i, dim] : llvm::enumerate(dims)) {
    dim.roiStart = roi[i];
    dim.roiEnd = roi[dims.size() + i];
  }
}

/// Returns the dimensions that the operands of the node describe.
static SmallVector<ResizedDim> getDims(Node &node, Value x) {
  SmallVector<int64_t> axes = getAxesFrom(0, getRank(x));
  if (node.getOpset() >= 18)
    if (SmallVector<int64_t> given =
            node.getOptionalInts("axes").value_or(SmallVector<int64_t>());
        !given.empty())
      axes = given;
  node.normalizeAxes(axes, getRank(x));
  SmallVector<ResizedDim> dims;
  for (int64_t axis : axes) {
    axis = node.normalizeAxis(axis, getRank(x));
    int64_t size = getDim(x, axis);
    dims.push_back({axis, size, size, 1, static_cast<float>(size)});
  }
  return dims;
}

/// Sets the sizes and scales from the operands `scales` and `sizes`.
static void readSizes(Node &node, MutableArrayRef<ResizedDim> dims) {
  bool hasScales = hasElements(node, 2), hasSizes = hasElements(node, 3);
  node.require(hasScales != hasSizes,
               "expects either scales or sizes but got " +
                   Twine(hasScales ? "both" : "none"));
  AspectRatioPolicy policy = node.getOpset() < 18 ? AspectRatioPolicy::Stretch
                                                  : getAspectRatioPolicy(node);
  bool isStretch = policy == AspectRatioPolicy::Stretch;
  if (hasScales) {
    node.require(isStretch, "expects 'keep_aspect_ratio_policy' to be stretch "
                            "for scales but got " +
                                node.getString("keep_aspect_ratio_policy", ""));
    return setScales(node, getConstantFloats(node, 2, dims.size()), dims);
  }
  SmallVector<int64_t> sizes = node.getConstantInts(3);
  node.require(sizes.size() == dims.size(), "expects " + Twine(dims.size()) +
                                                " sizes but got " +
                                                Twine(sizes.size()));
  setSizes(node, sizes, dims);
  if (!isStretch && !dims.empty())
    return keepAspectRatio(node, policy, dims);
  for (const ResizedDim &dim : dims)
    checkLength(node, dim, dim.outputLength);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns whether each element of `indices`, which are positions of a
/// dimension of `size`, occurs equally often, in ascending order.
static bool isRepetition(ArrayRef<int64_t> indices, int64_t size) {
  int64_t count = indices.size();
  if (size == 0 || count == 0 || count % size != 0)
    return false;
  for (auto [i, index] : llvm::enumerate(indices))
    if (index != static_cast<int64_t>(i) / (count / size))
      return false;
  return true;
}

/// Repeats each row of dimension `axis`.
static Value repeatRows(Node &node, Value x, int64_t axis, int64_t count) {
  SmallVector<int64_t> result(getShape(x)), split(result);
  result[axis] *= count;
  split.insert(split.begin() + axis + 1, 1);
  SmallVector<int64_t> repeated(split);
  repeated[axis + 1] = count;
  return node.reshape(node.expand(node.reshape(x, split), repeated), result);
}

/// Returns the rows `indices` of dimension `axis`.
static Value selectRows(Node &node, Value x, int64_t axis,
                        ArrayRef<int64_t> indices) {
  int64_t size = getDim(x, axis), count = indices.size();
  return isRepetition(indices, size) ? repeatRows(node, x, axis, count / size)
                                     : gatherRows(node, x, axis, indices);
}

/// Builds a constant in the element type of `like`, which is f32 or f64.
static Value buildWeights(Node &node, Value like, ArrayRef<int64_t> shape,
                          ArrayRef<float> weights) {
  auto type = RankedTensorType::get(shape, getElement(like));
  if (getElement(like).isF32())
    return node.constant(DenseElementsAttr::get(type, weights));
  SmallVector<double> wide(weights);
  return node.constant(DenseElementsAttr::get(type, ArrayRef(wide)));
}

namespace {
/// One tap of each position of a dimension.
struct WeightedRows {
  SmallVector<int64_t> indices;
  SmallVector<float> weights;
};
} // namespace

/// Returns tap `k` of each position. A position with fewer taps repeats its
/// last one, whose copies share its weight: the weight 0 would make a NaN of an
/// infinite element.
static WeightedRows getTapRows(const DimTaps &taps, size_t k) {
  WeightedRows rows;
  size_t maxCount = taps.getMaxCount();
  for (const auto &position : taps.positions) {
    size_t last = position.size() - 1;
    size_t numCopies = k < last ? 1 : maxCount - last;
    const Tap &tap = position[std::min(k, last)];
    rows.indices.push_back(tap.index);
    rows.weights.push_back(
        static_cast<float>(tap.weight / static_cast<double>(numCopies)));
  }
  return rows;
}

/// Returns weights in a shape that broadcasts to `x` along dimension `axis`.
static Value buildRowWeights(Node &node, Value x, int64_t axis,
                             ArrayRef<float> weights) {
  SmallVector<int64_t> shape(getRank(x), 1);
  shape[axis] = weights.size();
  return buildWeights(node, x, shape, weights);
}

/// Returns the sum of the weighted taps: one gather for each tap.
static Value addWeightedRows(Node &node, Value x, int64_t axis,
                             const DimTaps &taps) {
  Value sum;
  for (size_t k = 0; k < taps.getMaxCount(); ++k) {
    WeightedRows rows = getTapRows(taps, k);
    Value term = node.mul(selectRows(node, x, axis, rows.indices),
                          buildRowWeights(node, x, axis, rows.weights));
    sum = sum ? node.add(sum, term) : term;
  }
  return sum;
}

/// Multiplies dimension `axis` by a matrix that has the weights of all taps.
static Value multiplyByTaps(Node &node, Value x, int64_t axis,
                            const DimTaps &taps) {
  int64_t inputSize = getDim(x, axis), outputSize = taps.positions.size();
  SmallVector<float> weights(inputSize * outputSize, 0);
  for (auto [i, position] : llvm::enumerate(taps.positions))
    for (const Tap &tap : position)
      weights[tap.index * outputSize + i] = static_cast<float>(tap.weight);
  Value matrix = buildWeights(node, x, {inputSize, outputSize}, weights);

  SmallVector<int64_t> order = getAxesFrom(0, getRank(x));
  std::swap(order[axis], order.back());
  x = node.transpose(x, order);
  SmallVector<int64_t> shape(getShape(x));
  int64_t numRows = getProduct(ArrayRef(shape).drop_back());
  Value y = node.create<pop::MatmulOp>(
      {node.reshape(x, {numRows, inputSize}), matrix});
  shape.back() = outputSize;
  return node.transpose(node.reshape(y, shape), order);
}

/// Resizes one dimension of floats.
static Value resizeDim(Node &node, Value x, const ResizedDim &dim,
                       const DimTaps &taps) {
  size_t numTaps = taps.getMaxCount();
  if (numTaps == 1)
    return selectRows(node, x, dim.axis, getTapRows(taps, 0).indices);
  bool isMatrixCheaper =
      dim.inputSize <= kMatrixRowsPerTap * static_cast<int64_t>(numTaps) &&
      dim.inputSize * dim.outputSize <= kMaxMatrix;
  if (isMatrixCheaper)
    return multiplyByTaps(node, x, dim.axis, taps);
  if (numTaps > kMaxGathers)
    node.unsupported("more than " + Twine(kMaxGathers) +
                     " elements that are added for each element of the result");
  return addWeightedRows(node, x, dim.axis, taps);
}

/// Replaces the positions that are outside of the input.
static Value extrapolate(Node &node, Value y, const ResizedDim &dim,
                         const DimTaps &taps, float value) {
  if (taps.isOutside.empty())
    return y;
  SmallVector<int64_t> shape(getRank(y), 1);
  shape[dim.axis] = taps.isOutside.size();
  Value isOutside = node.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, node.getI1Type()), taps.isOutside));
  return node.select(isOutside, node.splatLike(value, y), y);
}

namespace {
/// A dimension that changes, and its taps.
struct Step {
  ResizedDim dim;
  DimTaps taps;
};
} // namespace

/// Returns the dimensions that change.
static SmallVector<Step> getSteps(Node &node, const Sampling &sampling,
                                  ArrayRef<ResizedDim> dims) {
  SmallVector<Step> steps;
  for (const ResizedDim &dim : dims) {
    bool isWhole =
        !sampling.extrapolates() || (dim.roiStart == 0 && dim.roiEnd == 1);
    bool isUnchanged =
        dim.scale == 1 && dim.outputSize == dim.inputSize && isWhole;
    if (dim.inputSize == 0 || isUnchanged)
      continue;
    if (std::max(dim.inputSize, dim.outputSize) > kMaxResized)
      node.unsupported("a dimension of more than " + Twine(kMaxResized) +
                       " elements that is resized");
    steps.push_back({dim, getTaps(sampling, dim)});
  }
  return steps;
}

/// Sorts the dimensions that shrink before those that grow, because
/// intermediate results are then smaller.
static void sortByGrowth(MutableArrayRef<Step> steps) {
  auto getKey = [](const Step &step) {
    double growth = static_cast<double>(step.dim.outputSize) /
                    static_cast<double>(step.dim.inputSize);
    return std::pair(growth, step.dim.axis);
  };
  llvm::sort(steps, [&](const Step &a, const Step &b) {
    return getKey(a) < getKey(b);
  });
}

static Value resizeFloats(Node &node, Value x, MutableArrayRef<Step> steps) {
  sortByGrowth(steps);
  return buildWide(node, x, [&](Value y) {
    for (const Step &step : steps)
      y = resizeDim(node, y, step.dim, step.taps);
    return y;
  });
}

/// Adds to `sum` the products of elements and weights for all combinations of
/// the taps of `steps`. `rows` has the elements that the taps of the previous
/// dimensions select, and `weights` has the weights of these taps.
static void addCombinations(Node &node, Value rows, ArrayRef<Step> steps,
                            SmallVectorImpl<Value> &weights, Value &sum) {
  if (steps.empty()) {
    Value weight = weights.back();
    for (Value other : llvm::reverse(ArrayRef(weights).drop_back()))
      weight = node.mul(weight, other);
    Value term = node.mul(weight, rows);
    sum = sum ? node.add(sum, term) : term;
    return;
  }
  const Step &step = steps.front();
  for (size_t k = 0; k < step.taps.getMaxCount(); ++k) {
    WeightedRows tap = getTapRows(step.taps, k);
    weights.push_back(buildRowWeights(node, rows, step.dim.axis, tap.weights));
    addCombinations(node, selectRows(node, rows, step.dim.axis, tap.indices),
                    steps.drop_front(), weights, sum);
    weights.pop_back();
  }
}

/// Interpolates integers. Results are rounded towards zero, so that they depend
/// on the order of the additions. It is the order of onnxruntime, which adds
/// the elements of all dimensions at once.
static Value interpolateIntegers(Node &node, Value x, ArrayRef<Step> steps) {
  if (steps.empty())
    return x;
  if (steps.size() > kMaxIntegerDims)
    node.unsupported("more than " + Twine(kMaxIntegerDims) +
                     " dimensions of integers that are resized");
  SmallVector<Value> weights;
  Value sum;
  addCombinations(node, x, steps, weights, sum);
  return sum;
}

/// Interpolates integers with a wide filter. As in onnxruntime and Pillow, the
/// last dimension is the first one, and each dimension is rounded to nearest.
static Value filterIntegers(Node &node, Value x, Type type,
                            ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Value y = resizeDim(node, x, step.dim, step.taps);
    y = node.create<pop::FloorOp>({node.add(y, node.splatLike(0.5, y))});
    // The cast saturates.
    x = node.cast(node.cast(y, type), getElement(x));
  }
  return x;
}

static Value resizeIntegers(Node &node, Value x, const Sampling &sampling,
                            ArrayRef<Step> steps) {
  Type type = getElement(x);
  node.require(!type.isInteger(1),
               "expects numbers for mode linear or cubic but got " +
                   quote(x.getType()));
  if (sampling.mode == Interpolation::Cubic && !sampling.antialias)
    node.unsupported("mode cubic with integers and without 'antialias'");
  Value y = node.cast(x, type.getIntOrFloatBitWidth() <= 32
                             ? Type(node.getF32Type())
                             : Type(node.getF64Type()));
  y = sampling.antialias ? filterIntegers(node, y, type, steps)
                         : interpolateIntegers(node, y, steps);
  return node.cast(y, type);
}

static Value resize(Node &node, Value x, const Sampling &sampling,
                    ArrayRef<ResizedDim> dims) {
  SmallVector<Step> steps = getSteps(node, sampling, dims);
  if (sampling.mode == Interpolation::Nearest) {
    sortByGrowth(steps);
    for (const Step &step : steps)
      x = resizeDim(node, x, step.dim, step.taps);
  } else if (isa<FloatType>(getElement(x))) {
    x = resizeFloats(node, x, steps);
  } else {
    x = resizeIntegers(node, x, sampling, steps);
  }
  for (const Step &step : steps)
    x = extrapolate(node, x, step.dim, step.taps, sampling.extrapolationValue);
  return x;
}

//===----------------------------------------------------------------------===//
// Resize, Upsample
//===----------------------------------------------------------------------===//

static void importResize(Node &node) {
  Value x = node.getInput(0);
  Sampling sampling = getSampling(node);
  SmallVector<ResizedDim> dims = getDims(node, x);
  if (node.getOpset() >= 11) {
    readSizes(node, dims);
    if (sampling.extrapolates())
      setRoi(node, dims);
  } else {
    node.require(node.getNumInputs() == 2,
                 "expects two inputs in opset 10 but got " +
                     Twine(node.getNumInputs()));
    setScales(node, getConstantFloats(node, 1, dims.size()), dims);
  }
  node.setResult(resize(node, x, sampling, dims));
}

/// Returns the attribute `scales`, which has one float for each of `count`
/// dimensions.
static SmallVector<float> getScalesAttr(Node &node, size_t count) {
  if (!node.hasAttr("scales"))
    node.fail("expects attribute 'scales' but got none");
  SmallVector<float> scales = node.getFloats("scales");
  node.require(scales.size() == count, "expects " + Twine(count) +
                                           " values in attribute 'scales' but "
                                           "got " +
                                           Twine(scales.size()));
  return scales;
}

static void importUpsample(Node &node) {
  node.require(node.getOpset() < 10,
               "expects opset 9 or older, because Resize replaces the "
               "operator, but got opset " +
                   Twine(node.getOpset()));
  Value x = node.getInput(0);
  Sampling sampling;
  sampling.mode = getInterpolation(node);
  SmallVector<ResizedDim> dims = getDims(node, x);
  SmallVector<float> scales = node.getOpset() < 9
                                  ? getScalesAttr(node, dims.size())
                                  : getConstantFloats(node, 1, dims.size());
  for (float scale : scales)
    node.require(scale >= 1,
                 "expects scales of at least 1 but got " + formatNumber(scale));
  setScales(node, scales, dims);
  node.setResult(resize(node, x, sampling, dims));
}

ArrayRef<OpEntry> ipu::onnx::getResizeOps() {
  static const OpEntry kOps[] = {
      {"Resize", 10, 1, 4, 1, importResize,
       "constant scales, sizes and region; all modes, of integers linear and "
       "with `antialias` only; in f32 for narrower floats; see Limits"},
      {"Upsample", 7, 1, 2, 1, importUpsample,
       "up to opset 9, which Resize replaces; constant scales"},
  };
  return kOps;
}
