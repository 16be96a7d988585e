//===- ConvGradients.cpp - Gradients of a convolution -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows read the input at `p * stride + q * dilation - pad`. With strides, no
// two input positions of a period use the same kernel positions q. So each
// input position of a period has a separate convolution of dy with its kernel
// positions. A single convolution would need zeros between the elements of dy,
// and most of its products would be zero.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildOperand;
using pop::detail::getTypeOf;

/// `tensor`, with its first two dimensions as the three of `split`, these
/// permuted by `permutation`, and two of them joined to `joined`.
static Value buildRegrouped(GradientBuilder &b, Value tensor,
                            ArrayRef<int64_t> split,
                            ArrayRef<int64_t> permutation,
                            ArrayRef<int64_t> joined) {
  ArrayRef<int64_t> spatial = getTypeOf(tensor).getShape().drop_front(2);
  SmallVector<int64_t> shape(split), order(permutation), result(joined);
  llvm::append_range(shape, spatial);
  llvm::append_range(result, spatial);
  for (size_t i = 0; i < spatial.size(); ++i)
    order.push_back(order.size());
  Value transposed = b.transpose(b.reshape(tensor, shape), order);
  return b.reshape(transposed, result);
}

static Value buildExchanged(GradientBuilder &b, Value tensor) {
  SmallVector<int64_t> order(getTypeOf(tensor).getRank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  return b.transpose(tensor, order);
}

namespace {
/// The attributes of a convolution that is a part of a gradient.
struct ConvAttrs {
  SmallVector<int64_t> strides, dilations, inputDilations, low, high;

  /// Builds the convolution and rounds its sums to `elementType`. Tiles can
  /// round sums where they compute them, but not after a transposition.
  Value build(GradientBuilder &b, Value input, Value weights, int64_t groups,
              Type elementType) const;
};
} // namespace

/// `values`, or none if all are `value`, which none stands for.
static ArrayRef<int64_t> getUnless(ArrayRef<int64_t> values, int64_t value) {
  bool isDefault = llvm::all_of(values, [&](int64_t v) { return v == value; });
  return isDefault ? ArrayRef<int64_t>() : values;
}

Value ConvAttrs::build(GradientBuilder &b, Value input, Value weights,
                       int64_t groups, Type elementType) const {
  RankedTensorType inputType = getTypeOf(input);
  RankedTensorType weightsType = getTypeOf(weights);
  SmallVector<int64_t> pads = low;
  llvm::append_range(pads, high);
  SmallVector<int64_t> sizes = {inputType.getDimSize(0),
                                weightsType.getDimSize(0)};
  for (const WindowDim &window :
       getWindowDims(inputType.getShape().drop_front(2),
                     {weightsType.getShape().drop_front(2), strides, dilations,
                      pads, /*ceilMode=*/false, inputDilations}))
    sizes.push_back(window.getNumWindows());
  auto type =
      RankedTensorType::get(sizes, getComputeType(inputType.getElementType()));
  Value sums = b.create<ConvOp>(type, input, weights, /*acc=*/Value(),
                                getUnless(strides, 1), getUnless(dilations, 1),
                                getUnless(inputDilations, 1),
                                getUnless(pads, 0), groups, AccumAttr());
  return b.cast(sums, elementType);
}

static int64_t getInputDilation(ConvOp op, size_t i) {
  return op.getInputDilations().empty() ? 1 : op.getInputDilations()[i];
}

//===----------------------------------------------------------------------===//
// The gradient of the input
//===----------------------------------------------------------------------===//

namespace {
/// Neighbouring positions of each period of the input along one dimension, from
/// `start` on, the gradients of which are made of the same elements of dy. Its
/// windows have `low` and `high` pads or, if these are negative, go without as
/// many elements. The i-th position meets the `kernel` positions `first` +
/// i * `next` + t * `step` of the kernel; `next` and `step` are the
/// dimension's.
struct Phase {
  int64_t start = 0;
  int64_t count = 1;
  int64_t first = 0;
  int64_t kernel = 0;
  int64_t low = 0;
  int64_t high = 0;
};

/// One spatial dimension of the gradient of the input.
struct PhasedDim {
  int64_t period = 1;
  /// The windows over dy: as many as there are periods.
  int64_t numWindows = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t next = 1;
  int64_t step = 1;
  /// Ascending. Positions that are in none have a gradient of zero.
  SmallVector<Phase> phases;

  PhasedDim(const WindowDim &window, int64_t size, int64_t inputDilation);
};
} // namespace

PhasedDim::PhasedDim(const WindowDim &window, int64_t size,
                     int64_t inputDilation) {
  int64_t common = std::gcd(window.stride, inputDilation);
  period = std::min(window.stride / common, size);
  numWindows = llvm::divideCeilSigned(size, period);
  stride = inputDilation / common;
  common = std::gcd(window.stride, window.dilation);
  dilation = window.dilation / common;
  step = window.stride / common;
  next = inputDilation / window.dilation;
  int64_t numOutputs = window.getNumWindows();
  for (int64_t start = 0; start < period; ++start) {
    int64_t position = start * inputDilation + window.padLow;
    int64_t end = std::min(window.kernel, step), first = 0;
    while (first < end &&
           (position - first * window.dilation) % window.stride != 0)
      ++first;
    if (first == end)
      continue;
    Phase phase;
    phase.start = start;
    phase.first = first;
    phase.kernel = llvm::divideCeilSigned(window.kernel - first, step);
    int64_t offset = (position - first * window.dilation) / window.stride;
    phase.low = (phase.kernel - 1) * dilation - offset;
    phase.high = stride * (numWindows - 1) + 1 + offset - numOutputs;
    if (std::max<int64_t>(-phase.low, 0) + std::max<int64_t>(-phase.high, 0) >=
        numOutputs)
      continue;
    Phase *last = phases.empty() ? nullptr : &phases.back();
    if (last && last->start + last->count == start &&
        last->first + last->count * next == first &&
        last->kernel == phase.kernel && last->low == phase.low)
      ++last->count;
    else
      phases.push_back(phase);
  }
}

namespace {
/// Builds the gradient of the input of a convolution.
struct InputGradient {
  GradientBuilder &b;
  int64_t groups;
  Type elementType;
  /// [N, G*O, windows...]
  Value dy;
  /// [G*O, I, kernel...]
  Value weights;
  ArrayRef<PhasedDim> dims;
  /// A phase of each dimension, of those that one was chosen of.
  SmallVector<const Phase *> chosen = {};

  Value build();

private:
  Value buildKernel();
  Value buildConv();
};
} // namespace

/// The kernel of the chosen phases as weights [G*I*counts..., O, kernel...].
Value InputGradient::buildKernel() {
  // The kernel is flipped.
  RankedTensorType type = getTypeOf(weights);
  SmallVector<int64_t> starts(2, 0), sizes(type.getShape()), steps(2, 1);
  SmallVector<int64_t> split(sizes.begin(), sizes.begin() + 2), joined = split;
  SmallVector<int64_t> order = {0, 1}, kernelDims;
  for (auto [i, dim, phase] : llvm::enumerate(dims, chosen)) {
    bool isOne = phase->count == 1;
    starts.push_back(isOne ? phase->first + (phase->kernel - 1) * dim.step : 0);
    steps.push_back(isOne ? -dim.step : 1);
    sizes[2 + i] = isOne ? phase->kernel : sizes[2 + i];
    split.append({phase->kernel, phase->count});
    joined[1] *= phase->count;
    joined.push_back(phase->kernel);
    order.push_back(3 + 2 * i);
    kernelDims.push_back(2 + 2 * i);
  }
  Value kernel = b.slice(weights, starts, sizes, steps);
  // Of several positions, each has one element of each slice.
  for (auto [i, dim, phase] : llvm::enumerate(dims, chosen)) {
    if (phase->count == 1)
      continue;
    SmallVector<Value> slices;
    starts.assign(starts.size(), 0);
    steps.assign(steps.size(), 1);
    sizes.assign(getTypeOf(kernel).getShape().begin(),
                 getTypeOf(kernel).getShape().end());
    sizes[2 + i] = phase->count;
    steps[2 + i] = dim.next;
    for (int64_t t = phase->kernel - 1; t >= 0; --t) {
      starts[2 + i] = phase->first + t * dim.step;
      slices.push_back(b.slice(kernel, starts, sizes, steps));
    }
    kernel = slices.size() == 1 ? slices.front()
                                : b.create<ConcatOp>(slices, /*axis=*/2 + i);
  }
  if (joined[1] > type.getDimSize(1)) {
    llvm::append_range(order, kernelDims);
    kernel = b.transpose(b.reshape(kernel, split), order);
    kernel = b.reshape(kernel, joined);
  }
  int64_t outputs = joined[0] / groups;
  return buildRegrouped(b, kernel, {groups, outputs, joined[1]}, {0, 2, 1},
                        {groups * joined[1], outputs});
}

/// The gradient at the chosen phases: [N, G*I, (windows, count)...] or, without
/// strides, [N, G*I, windows...].
Value InputGradient::buildConv() {
  RankedTensorType type = getTypeOf(dy);
  ConvAttrs conv;
  SmallVector<int64_t> starts(2, 0), sizes(type.getShape().take_front(2));
  SmallVector<int64_t> steps(type.getRank(), 1);
  SmallVector<int64_t> split = {type.getDimSize(0),
                                groups * getTypeOf(weights).getDimSize(1)};
  SmallVector<int64_t> order = {0, 1}, joined = split, windows;
  for (auto [i, dim, phase] : llvm::enumerate(dims, chosen)) {
    conv.strides.push_back(dim.stride);
    conv.dilations.push_back(dim.dilation);
    conv.inputDilations.push_back(1);
    conv.low.push_back(std::max<int64_t>(phase->low, 0));
    conv.high.push_back(std::max<int64_t>(phase->high, 0));
    starts.push_back(conv.low.back() - phase->low);
    sizes.push_back(type.getDimSize(2 + i) - starts.back() -
                    (conv.high.back() - phase->high));
    split.push_back(phase->count);
    windows.push_back(dim.numWindows);
    joined.append({dim.numWindows, phase->count});
    order.append({int64_t(2 + dims.size() + i), int64_t(2 + i)});
  }
  Value slice = b.slice(dy, starts, sizes, steps);
  Value result = conv.build(b, slice, buildKernel(), groups, elementType);
  if (llvm::all_of(dims, [](const PhasedDim &dim) { return dim.period == 1; }))
    return result;
  llvm::append_range(split, windows);
  if (getTypeOf(result).getDimSize(1) > split[1])
    result = b.transpose(b.reshape(result, split), order);
  return b.reshape(result, joined);
}

/// The gradient at the chosen phases and at all of other dimensions, as above,
/// with the period of these in place of the count.
Value InputGradient::build() {
  if (chosen.size() == dims.size())
    return buildConv();
  size_t axis = 3 + 2 * chosen.size();
  const PhasedDim &dim = dims[chosen.size()];
  SmallVector<Value> parts;
  int64_t end = 0;
  for (const Phase &phase : dim.phases) {
    chosen.push_back(&phase);
    Value part = build();
    chosen.pop_back();
    SmallVector<int64_t> low(2 + 2 * dims.size(), 0), high = low;
    low[axis] = phase.start - end;
    end = phase.start + phase.count;
    if (&phase == &dim.phases.back())
      high[axis] = dim.period - end;
    parts.push_back(b.pad(part, low, high));
  }
  return parts.size() == 1 ? parts.front() : b.create<ConcatOp>(parts, axis);
}

/// More convolutions than these, and longer periods, are not worth it.
static constexpr int64_t kMaxPhases = 32;
static constexpr int64_t kMaxPeriod = 4096;

/// The dimensions of the gradient of the input; none if there are too many
/// phases.
static SmallVector<PhasedDim> getPhasedDims(ConvOp op,
                                            ArrayRef<WindowDim> windows) {
  SmallVector<PhasedDim> dims;
  int64_t numPhases = 1;
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t size = op.getInput().getType().getDimSize(2 + i);
    if (std::min(size, window.stride) > kMaxPeriod)
      return {};
    dims.emplace_back(window, size, getInputDilation(op, i));
    numPhases *= dims.back().phases.size();
    if (numPhases > kMaxPhases)
      return {};
  }
  return dims;
}

static Value buildInputGradient(GradientBuilder &b, ConvOp op, Value dy) {
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  SmallVector<PhasedDim> dims = getPhasedDims(op, windows);
  if (dims.empty()) {
    SmallVector<int64_t> strides = {1, 1};
    for (auto [i, window] : llvm::enumerate(windows)) {
      strides.push_back(window.stride);
      // With zeros between its elements, dy is that of windows one by one.
      window.padHigh = window.stride * (window.getNumWindows() - 1) +
                       window.getExtent() - window.input - window.padLow;
      window.stride = 1;
      dims.emplace_back(window, op.getInput().getType().getDimSize(2 + i),
                        getInputDilation(op, i));
    }
    dy = pop::detail::buildSpread(b, dy, strides);
  }
  if (llvm::any_of(dims,
                   [](const PhasedDim &dim) { return dim.phases.empty(); }))
    return {};
  Value weights = buildOperand(b, op.getWeights(), dy);
  Type elementType = getGradientType(op.getInput().getType()).getElementType();
  Value result =
      InputGradient{b, int64_t(op.getGroups()), elementType, dy, weights, dims}
          .build();
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  SmallVector<int64_t> joined(shape.take_front(2));
  for (const PhasedDim &dim : dims)
    joined.push_back(dim.numWindows * dim.period);
  return b.slice(b.reshape(result, joined),
                 SmallVector<int64_t>(shape.size(), 0), shape,
                 SmallVector<int64_t>(shape.size(), 1));
}

//===----------------------------------------------------------------------===//
// The gradient of the weights
//===----------------------------------------------------------------------===//

/// For smaller batches, the gradient of weights also sums over positions as
/// channels.
static constexpr int64_t kMinBatch = 4;

/// The batch is what is summed over, and the channels are the batch. Windows
/// are those of kernel positions, with dy as the kernel.
static Value buildWeightsGradient(GradientBuilder &b, ConvOp op, Value dy) {
  SmallVector<int64_t> sizes(op.getInput().getType().getShape());
  SmallVector<int64_t> starts(sizes.size(), 0), steps(sizes.size(), 1);
  ArrayRef<int64_t> weights = op.getWeights().getType().getShape();
  ConvAttrs conv;
  for (auto [i, window] : llvm::enumerate(pop::detail::getWindows(op))) {
    int64_t inputDilation = getInputDilation(op, i);
    int64_t numOutputs = window.getNumWindows();
    int64_t &start = starts[2 + i], &step = steps[2 + i], &size = sizes[2 + i];
    int64_t low = window.padLow, stride = window.stride;
    // A kernel of one position meets those elements alone that strides do.
    if (window.kernel == 1 && inputDilation == 1 && stride > 1) {
      step = stride;
      start = llvm::mod(-low, stride);
      size = size > start ? llvm::divideCeilSigned(size - start, step) : 0;
      low = (low + start) / stride;
      stride = 1;
    }
    // What is after the last window would be more positions of the kernel.
    int64_t end = window.getExtent() + stride * (numOutputs - 1) - low;
    size = std::min(
        size, std::max<int64_t>(llvm::divideCeilSigned(end, inputDilation), 0));
    if (size == 0)
      return {};
    conv.strides.push_back(window.dilation);
    conv.dilations.push_back(stride);
    conv.inputDilations.push_back(inputDilation);
    conv.low.push_back(low);
    conv.high.push_back(end - inputDilation * (size - 1) - 1);
  }
  int64_t groups = op.getGroups();
  Value input = b.slice(b.getForward(op.getInput()), starts, sizes, steps);
  input = b.cast(input, getTypeOf(dy).getElementType());
  input = buildRegrouped(b, input, {sizes[0], groups, weights[1]}, {2, 1, 0},
                         {weights[1], groups * sizes[0]});
  Value kernel = buildExchanged(b, dy);
  // If each position of dy is the factor of one position of the input, the
  // positions of a small batch become channels, too. The batch alone would
  // leave most of the depth of a matrix unit unused.
  auto isAll = [](ArrayRef<int64_t> values, int64_t value) {
    return llvm::all_of(values, [&](int64_t v) { return v == value; });
  };
  bool isPointwise = isAll(weights.drop_front(2), 1) &&
                     isAll(conv.dilations, 1) &&
                     isAll(conv.inputDilations, 1) && isAll(conv.low, 0) &&
                     isAll(conv.high, 0);
  if (isPointwise && sizes[0] < kMinBatch) {
    int64_t terms = computeProduct(getTypeOf(kernel).getShape().drop_front());
    SmallVector<int64_t> shape(sizes.size(), 1);
    shape[0] = weights[1], shape[1] = groups * terms;
    input = b.reshape(input, shape);
    shape[0] = getTypeOf(kernel).getDimSize(0), shape[1] = terms;
    kernel = b.reshape(kernel, shape);
    conv.strides.assign(conv.strides.size(), 1);
  }
  Type elementType =
      getGradientType(op.getWeights().getType()).getElementType();
  return buildExchanged(b, conv.build(b, input, kernel, groups, elementType));
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// Checks that the tensors that gradients are computed in can exist.
static LogicalResult checkGradients(ConvOp op) {
  SmallVector<int64_t> shape(op.getInput().getType().getShape().take_front(2));
  shape[1] = std::max(shape[1], op.getWeights().getType().getDimSize(0));
  shape[0] = std::max(shape[0], op.getWeights().getType().getDimSize(1));
  // Periods may reach over the end of the input, which is less than once more.
  for (const WindowDim &window : pop::detail::getWindows(op))
    shape.push_back(window.padLow + 2 * window.input + window.padHigh +
                    window.getExtent());
  return pop::detail::checkGradientShape(op, shape);
}

LogicalResult ConvOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (getAcc())
    b.addGradient(getAcc(), dy);
  // Where there are no products, there are no gradients of their operands.
  if (getInput().getType().getNumElements() == 0 ||
      getType().getNumElements() == 0)
    return success();
  if (failed(checkGradients(*this)))
    return failure();
  if (b.isNeeded(getInput()))
    b.addGradient(getInput(), buildInputGradient(b, *this, dy));
  if (b.isNeeded(getWeights()))
    b.addGradient(getWeights(), buildWeightsGradient(b, *this, dy));
  return success();
}
