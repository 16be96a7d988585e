//===- Signal.cpp - ONNX Fourier transforms and windows -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Fourier transform is a product with a matrix. A transform of a composite
// length becomes transforms of its factors, so that the matrices are small.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of elements of a window or of a matrix of weights.
static constexpr int64_t kMaxElements = 1 << 24;
/// The greatest length of a transform.
static constexpr int64_t kMaxLength = 1 << 22;
/// The greatest length whose transform is one product with a matrix.
static constexpr int64_t kMaxDirect = 64;
/// The greatest prime length whose transform is a product with a matrix.
static constexpr int64_t kMaxPrime = 512;

static constexpr double kPi = 3.14159265358979323846;

/// Builds a tensor of numbers that are known at import.
static Value buildNumbers(Node &node, ArrayRef<double> numbers, Type type,
                          ArrayRef<int64_t> shape) {
  auto floatType = dyn_cast<FloatType>(type);
  auto wide = RankedTensorType::get(shape, node.getF64Type());
  if (!floatType)
    return node.cast(node.constant(DenseElementsAttr::get(wide, numbers)),
                     type);
  SmallVector<APFloat> elements;
  for (double number : numbers) {
    APFloat element(number);
    bool losesInfo;
    element.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    elements.push_back(element);
  }
  return node.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, type), elements));
}

/// Returns the integer that constant operand `i` has.
static int64_t getConstantInt(Node &node, size_t i) {
  SmallVector<int64_t> ints = node.getConstantInts(i);
  node.require(ints.size() == 1, "expects input " + Twine(i) +
                                     " to be one integer but got " +
                                     Twine(ints.size()));
  return ints.front();
}

static Type getOutputType(Node &node) {
  int32_t number = node.getElementTypeNumber("output_datatype", 1);
  Type type = getElementType(number, node.getContext());
  if (!type)
    node.unsupported("a result of type " + getElementTypeName(number));
  node.require(!type.isInteger(1), "expects numbers but got bool");
  return type;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Builds a window that is a sum of cosines: `weights[i]` is the weight of i
/// periods.
static void buildWindow(Node &node, ArrayRef<double> weights) {
  int64_t size = getConstantInt(node, 0);
  node.require(size >= 0,
               "expects a size that is not negative but got " + Twine(size));
  if (size > kMaxElements)
    node.unsupported("a window of more than " + Twine(kMaxElements) +
                     " elements");
  bool isPeriodic = node.getInt("periodic", 1) != 0;
  // A symmetric window of one element has no period.
  auto period =
      static_cast<double>(std::max<int64_t>(isPeriodic ? size : size - 1, 1));
  SmallVector<double> numbers;
  for (int64_t i = 0; i < size; ++i) {
    double sum = 0;
    for (auto [k, weight] : llvm::enumerate(weights))
      sum += weight * std::cos(2 * kPi * static_cast<double>(k) *
                               static_cast<double>(i) / period);
    numbers.push_back(sum);
  }
  node.setResult(buildNumbers(node, numbers, getOutputType(node), {size}));
}

static void importHannWindow(Node &node) { buildWindow(node, {0.5, -0.5}); }

static void importHammingWindow(Node &node) {
  buildWindow(node, {25.0 / 46, -21.0 / 46});
}

static void importBlackmanWindow(Node &node) {
  buildWindow(node, {0.42, -0.5, 0.08});
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

static double getConstantFloat(Node &node, size_t i) {
  DenseElementsAttr value = node.getConstant(i);
  node.require(isa<FloatType>(value.getElementType()) &&
                   value.getNumElements() == 1,
               "expects input " + Twine(i) + " to be one float but got " +
                   quote(value.getType()));
  return (*value.value_begin<APFloat>()).convertToDouble();
}

/// Returns the bins of the spectrum at which the triangles of the mel filters
/// begin, peak and end: filter i has the bins i, i + 1 and i + 2.
static SmallVector<int64_t> getMelBins(Node &node, int64_t numFilters,
                                       int64_t length) {
  int64_t rate = getConstantInt(node, 2);
  node.require(rate > 0,
               "expects a positive sample rate but got " + Twine(rate));
  double bounds[2];
  for (size_t i : {0, 1}) {
    double hertz = getConstantFloat(node, 3 + i);
    node.require(hertz >= 0 && std::isfinite(hertz),
                 "expects finite edges that are not negative");
    bounds[i] = 2595 * std::log10(1 + hertz / 700);
  }
  int64_t count = numFilters + 2;
  double step = (bounds[1] - bounds[0]) / static_cast<double>(count);
  SmallVector<int64_t> bins;
  for (int64_t i = 0; i < count; ++i) {
    double mel = bounds[0] + static_cast<double>(i) * step;
    double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    double bin = std::floor(static_cast<double>(length + 1) * hertz /
                            static_cast<double>(rate));
    node.require(bin >= 0 && bin <= static_cast<double>(length / 2),
                 "expects edges up to half of the sample rate");
    bins.push_back(static_cast<int64_t>(bin));
  }
  return bins;
}

static void importMelWeightMatrix(Node &node) {
  int64_t numFilters = getConstantInt(node, 0);
  int64_t length = getConstantInt(node, 1);
  node.require(numFilters > 0 && length > 0,
               "expects positive numbers of filters and of samples but got " +
                   Twine(numFilters) + " and " + Twine(length));
  int64_t numBins = length / 2 + 1;
  if (numFilters > kMaxElements || numBins > kMaxElements / numFilters)
    node.unsupported("more than " + Twine(kMaxElements) + " weights");
  SmallVector<int64_t> bins = getMelBins(node, numFilters, length);
  SmallVector<double> weights(numBins * numFilters, 0);
  for (int64_t i = 0; i < numFilters; ++i) {
    int64_t begin = bins[i], peak = bins[i + 1], end = bins[i + 2];
    node.require(begin <= peak && peak <= end,
                 "expects an upper edge that is above the lower edge");
    for (int64_t bin = begin; bin < peak; ++bin)
      weights[bin * numFilters + i] =
          static_cast<double>(bin - begin) / static_cast<double>(peak - begin);
    for (int64_t bin = peak; bin < end; ++bin)
      weights[bin * numFilters + i] =
          static_cast<double>(end - bin) / static_cast<double>(end - peak);
    weights[peak * numFilters + i] = 1;
  }
  node.setResult(
      buildNumbers(node, weights, getOutputType(node), {numBins, numFilters}));
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

namespace {
/// Complex numbers [rows, length].
struct Complex {
  Value real;
  /// Null if all imaginary parts are 0.
  Value imaginary;
};

/// A discrete Fourier transform. `sign` is that of the exponent: -1 for the
/// forward and 1 for the inverse transform, which is not scaled here.
struct FourierTransform {
  Node &node;
  int sign;

  Complex forEach(Complex x, function_ref<Value(Value)> fn) const {
    return {fn(x.real), x.imaginary ? fn(x.imaginary) : Value()};
  }
  Complex getRoots(ArrayRef<int64_t> numerators, int64_t denominator,
                   ArrayRef<int64_t> shape, Type type) const;
  Complex multiply(Complex x, Complex y) const;
  Complex buildDirect(Complex x) const;
  Complex buildComposite(Complex x, int64_t factor) const;
  Complex buildChirp(Complex x) const;
  Complex build(Complex x) const;
};
} // namespace

/// Builds the numbers e^(sign * 2 pi i * numerator / denominator).
Complex FourierTransform::getRoots(ArrayRef<int64_t> numerators,
                                   int64_t denominator, ArrayRef<int64_t> shape,
                                   Type type) const {
  SmallVector<double> real, imaginary;
  for (int64_t numerator : numerators) {
    // A multiple of a quarter turn has exact parts.
    auto quarters = std::div(4 * (numerator % denominator), denominator);
    double angle = kPi / 2 * static_cast<double>(quarters.rem) /
                   static_cast<double>(denominator);
    double x = std::cos(angle), y = std::sin(angle);
    for (int64_t i = 0; i < quarters.quot; ++i)
      std::tie(x, y) = std::pair(-y, x);
    real.push_back(x);
    imaginary.push_back(sign * y);
  }
  return {buildNumbers(node, real, type, shape),
          buildNumbers(node, imaginary, type, shape)};
}

Complex FourierTransform::multiply(Complex x, Complex y) const {
  if (!x.imaginary)
    return {node.mul(x.real, y.real), node.mul(x.real, y.imaginary)};
  return {
      node.sub(node.mul(x.real, y.real), node.mul(x.imaginary, y.imaginary)),
      node.add(node.mul(x.real, y.imaginary), node.mul(x.imaginary, y.real))};
}

/// Multiplies real and imaginary parts, side by side, by one matrix.
Complex FourierTransform::buildDirect(Complex x) const {
  int64_t length = getDim(x.real, 1);
  SmallVector<int64_t> numerators;
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j < length; ++j)
      numerators.push_back(i * j);
  Complex roots =
      getRoots(numerators, length, {length, length}, getElement(x.real));
  Value row = node.concat({roots.real, roots.imaginary}, 1), operand = x.real;
  if (x.imaginary) {
    operand = node.concat({x.real, x.imaginary}, 1);
    row = node.concat(
        {row, node.concat({node.neg(roots.imaginary), roots.real}, 1)}, 0);
  }
  Value y = node.create<pop::MatmulOp>({operand, row});
  return {node.slice(y, 1, 0, length), node.slice(y, 1, length, length)};
}

/// Transforms the length factor * rest: `rest` transforms of length `factor`,
/// whose results are multiplied by roots of 1, then `factor` transforms of
/// length `rest`.
Complex FourierTransform::buildComposite(Complex x, int64_t factor) const {
  int64_t rows = getDim(x.real, 0), length = getDim(x.real, 1);
  int64_t rest = length / factor;
  auto exchange = [&](int64_t first, int64_t second, int64_t newRows,
                      int64_t columns) {
    return [this, rows, first, second, newRows, columns](Value value) {
      value =
          node.transpose(node.reshape(value, {rows, first, second}), {0, 2, 1});
      return node.reshape(value, {newRows, columns});
    };
  };
  Complex y = build(forEach(x, exchange(factor, rest, rows * rest, factor)));
  SmallVector<int64_t> numerators;
  for (int64_t i = 0; i < rest; ++i)
    for (int64_t j = 0; j < factor; ++j)
      numerators.push_back(i * j);
  Complex roots =
      getRoots(numerators, length, {rest, factor}, getElement(x.real));
  y = multiply(forEach(y,
                       [&](Value value) {
                         return node.reshape(value, {rows, rest, factor});
                       }),
               roots);
  y = build(forEach(y, exchange(rest, factor, rows * factor, rest)));
  return forEach(y, exchange(factor, rest, rows, length));
}

/// Transforms a prime length by a convolution (Bluestein's algorithm): with
/// jk = (j^2 + k^2 - (k - j)^2) / 2, the transform is a convolution with roots
/// of 1, which are multiplied before and after it, too.
Complex FourierTransform::buildChirp(Complex x) const {
  int64_t length = getDim(x.real, 1);
  Type type = getElement(x.real);
  auto padded = static_cast<int64_t>(llvm::PowerOf2Ceil(2 * length - 1));
  SmallVector<int64_t> numerators, spread(padded, 0);
  for (int64_t i = 0; i < length; ++i) {
    numerators.push_back(i * i % (2 * length));
    spread[i] = numerators.back();
    spread[(padded - i) % padded] = numerators.back();
  }
  Complex chirp = getRoots(numerators, 2 * length, {1, length}, type);
  FourierTransform forward{node, -1}, inverse{node, 1}, opposite{node, -sign};
  Complex kernel = opposite.getRoots(spread, 2 * length, {1, padded}, type);
  Complex y = forEach(multiply(x, chirp), [&](Value value) {
    return node.pad(value, {0, 0}, {0, padded - length});
  });
  y = inverse.build(multiply(forward.build(y), forward.build(kernel)));
  y = forEach(y, [&](Value value) {
    value = node.slice(value, 1, 0, length);
    return node.mul(value,
                    node.splatLike(1 / static_cast<double>(padded), value));
  });
  return multiply(y, chirp);
}

/// Returns the greatest factor of `length` up to kMaxDirect, or its least prime
/// factor if this factor is greater.
static int64_t getFactor(int64_t length) {
  for (int64_t factor = kMaxDirect; factor > 1; --factor)
    if (length % factor == 0)
      return factor;
  for (int64_t factor = kMaxDirect + 1; factor * factor <= length; ++factor)
    if (length % factor == 0)
      return factor;
  return length;
}

Complex FourierTransform::build(Complex x) const {
  int64_t length = getDim(x.real, 1);
  if (length <= kMaxDirect)
    return buildDirect(x);
  int64_t factor = getFactor(length);
  if (factor < length)
    return buildComposite(x, factor);
  return length <= kMaxPrime ? buildDirect(x) : buildChirp(x);
}

/// Transforms rows of complex numbers [rows, length, 1 or 2] to [rows, length,
/// 2]. With `isOneSided`, returns the first length / 2 + 1 elements of each
/// row.
static Value transform(Node &node, Value x, int sign, bool isOneSided) {
  int64_t rows = getDim(x, 0), length = getDim(x, 1);
  auto getPart = [&](int64_t i) {
    return node.reshape(node.slice(x, 2, i, 1), {rows, length});
  };
  Complex parts = {getPart(0), getDim(x, 2) == 2 ? getPart(1) : Value()};
  Complex y = FourierTransform{node, sign}.build(parts);
  int64_t count = isOneSided ? length / 2 + 1 : length;
  SmallVector<Value> results;
  for (Value value : {y.real, y.imaginary})
    results.push_back(
        node.reshape(node.slice(value, 1, 0, count), {rows, count, 1}));
  return node.concat(results, 2);
}

static void checkSignal(Node &node, Value x, bool isOneSided) {
  int64_t last = getRank(x) - 1;
  node.require(isa<FloatType>(getElement(x)) && last >= 1 &&
                   (getDim(x, last) == 1 || getDim(x, last) == 2),
               "expects floats with a last dimension of size 1 or 2 but got " +
                   quote(x.getType()));
  node.require(!isOneSided || getDim(x, last) == 1,
               "expects real numbers for 'onesided' but got " +
                   quote(x.getType()));
}

static void checkLength(Node &node, int64_t length) {
  node.require(length > 0,
               "expects a positive length but got " + Twine(length));
  if (length > kMaxLength)
    node.unsupported("transforms of more than " + Twine(kMaxLength) +
                     " elements");
}

/// Returns the axis of a DFT node: an attribute before opset 20, and an operand
/// from this opset on.
static int64_t getAxis(Node &node, int64_t rank) {
  int64_t axis = node.getOpset() < 20 ? node.getInt("axis", 1)
                 : node.hasInput(2)   ? getConstantInt(node, 2)
                                      : -2;
  axis = node.normalizeAxis(axis, rank);
  node.require(axis < rank - 1,
               "expects an axis other than the last one, which has the parts "
               "of complex numbers");
  return axis;
}

static void importDFT(Node &node) {
  Value x = node.getInput(0);
  bool isInverse = node.getInt("inverse", 0) != 0;
  bool isOneSided = node.getInt("onesided", 0) != 0;
  if (isInverse && isOneSided)
    node.unsupported("an inverse transform with 'onesided'");
  checkSignal(node, x, isOneSided);
  int64_t rank = getRank(x), axis = getAxis(node, rank);
  int64_t length = node.hasInput(1) ? getConstantInt(node, 1) : getDim(x, axis);
  checkLength(node, length);
  node.setResult(buildWide(node, x, [&](Value wide) {
    int64_t size = getDim(wide, axis);
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    high[axis] = std::max<int64_t>(length - size, 0);
    wide = node.slice(node.pad(wide, low, high), axis, 0, length);
    SmallVector<int64_t> order = getAxesFrom(0, rank);
    std::swap(order[axis], order[rank - 2]);
    wide = node.transpose(wide, order);
    SmallVector<int64_t> shape(getShape(wide));
    wide = node.reshape(
        wide, {getProduct(ArrayRef(shape).drop_back(2)), length, shape.back()});
    Value y = transform(node, wide, isInverse ? 1 : -1, isOneSided);
    shape[rank - 2] = getDim(y, 1);
    shape[rank - 1] = 2;
    y = node.transpose(node.reshape(y, shape), order);
    return isInverse
               ? node.div(y, node.splatLike(static_cast<double>(length), y))
               : y;
  }));
}

static void importSTFT(Node &node) {
  Value x = node.getInput(0);
  bool isOneSided = node.getInt("onesided", 1) != 0;
  checkSignal(node, x, isOneSided);
  node.require(getRank(x) == 3,
               "expects a signal of rank 3 but got " + quote(x.getType()));
  int64_t step = getConstantInt(node, 1);
  node.require(step > 0, "expects a positive step but got " + Twine(step));
  Value window = node.getOptionalInput(2);
  node.require(!window || getRank(window) == 1,
               "expects a window of rank 1 but got " +
                   (window ? quote(window.getType()) : ""));
  int64_t size = getDim(x, 1);
  int64_t length = node.hasInput(3) ? getConstantInt(node, 3)
                   : window         ? getDim(window, 0)
                                    : size;
  checkLength(node, length);
  node.require(!window || getDim(window, 0) == length,
               "expects a window of " + Twine(length) + " elements but got " +
                   (window ? quote(window.getType()) : ""));
  node.require(length <= size, "expects frames of at most " + Twine(size) +
                                   " elements but got " + Twine(length));
  int64_t count = (size - length) / step + 1, batch = getDim(x, 0);
  if (count > kMaxElements / length)
    node.unsupported("frames of more than " + Twine(kMaxElements) +
                     " elements");
  SmallVector<int64_t> positions;
  for (int64_t frame = 0; frame < count; ++frame)
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(frame * step + i);
  node.setResult(buildWide(node, x, [&](Value wide) {
    int64_t parts = getDim(wide, 2);
    Value frames = node.reshape(gatherRows(node, wide, 1, positions),
                                {batch * count, length, parts});
    if (window)
      frames =
          node.mul(frames, node.reshape(node.cast(window, getElement(frames)),
                                        {length, 1}));
    Value y = transform(node, frames, -1, isOneSided);
    return node.reshape(y, {batch, count, getDim(y, 1), 2});
  }));
}

ArrayRef<OpEntry> ipu::onnx::getSignalOps() {
  static const OpEntry kOps[] = {
      {"BlackmanWindow", 17, 1, 1, 1, importBlackmanWindow, "constant size"},
      {"DFT", 17, 1, 3, 1, importDFT,
       "constant length and axis, any length; products with matrices of up to "
       "64 rows for lengths whose prime factors are not greater; no inverse "
       "with `onesided`; in f32 for narrower floats"},
      {"HammingWindow", 17, 1, 1, 1, importHammingWindow, "constant size"},
      {"HannWindow", 17, 1, 1, 1, importHannWindow, "constant size"},
      {"MelWeightMatrix", 17, 5, 5, 1, importMelWeightMatrix,
       "constant operands"},
      {"STFT", 17, 2, 4, 1, importSTFT,
       "constant step and length of frames; as `DFT`"},
  };
  return kOps;
}
