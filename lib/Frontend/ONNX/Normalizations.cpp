//===- Normalizations.cpp - ONNX normalisations ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalizations.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::ReduceKind;

/// Fails unless `value` has one dimension, whose size is the number of channels
/// of `x`.
static void checkChannels(Node &node, Value x, Value value, StringRef what) {
  node.require(getRank(value) == 1 && getDim(value, 0) == getDim(x, 1),
               "expects " + what + " of " + Twine(getDim(x, 1)) +
                   " elements, one for each channel, but got " +
                   quote(value.getType()));
}

/// Reshapes `value`, which has an element for each channel, such that it
/// broadcasts to a tensor [N, C, ...] of `rank`.
static Value forChannels(Node &node, Value value, int64_t rank) {
  SmallVector<int64_t> shape(rank - 1, 1);
  shape.front() = getDim(value, 0);
  return node.reshape(value, shape);
}

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

static bool isTraining(Node &node) {
  bool hasStatistics = false;
  for (size_t i = 1; i < node.getNumOutputs(); ++i)
    hasStatistics |= node.hasOutput(i);
  if (node.getOpset() < 7)
    return node.getInt("is_test", 0) == 0;
  if (node.getOpset() >= 14)
    return node.getInt("training_mode", 0) != 0;
  return hasStatistics;
}

/// Normalises with the statistics of the batch. The other outputs are running
/// means of these statistics.
static void importTraining(Node &node, Value x, Type type, float epsilon) {
  SmallVector<Value> operands = {x, node.cast(node.getInput(1), type),
                                 node.cast(node.getInput(2), type)};
  auto statistic = RankedTensorType::get(getShape(operands[1]), type);
  SmallVector<Value> results = node.createAll<pop::BatchNormTrainingOp>(
      operands, node.attr("epsilon", node.getF32FloatAttr(epsilon)),
      {x.getType(), statistic, statistic});
  node.setResult(results[0]);
  double momentum = node.getFloat("momentum", 0.9f);
  for (size_t i : {1, 2}) {
    Value running = node.getInput(i + 2);
    Type wide = pop::getComputeType(getElement(running));
    auto scale = [&](Value value, double factor) {
      value = node.cast(value, wide);
      return node.mul(value, node.splatLike(factor, value));
    };
    Value before = scale(running, momentum);
    Value next = node.add(before, scale(results[i], 1 - momentum));
    next = node.cast(next, getElement(running));
    node.setResult(i, next);
    if (node.hasOutput(i))
      node.setNext(i + 2, next);
  }
}

static void importBatchNormalization(Node &node) {
  bool trains = isTraining(node);
  if (trains && node.getOpset() < 14)
    node.unsupported("training mode before opset 14");
  if (node.getOpset() < 9 && node.getInt("spatial", 1) == 0)
    node.unsupported("spatial = 0");
  Value x = node.getInput(0);
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   Twine(getRank(x)));
  float epsilon = node.getFloat("epsilon", 1e-5f);
  node.require(epsilon >= 0, "expects 'epsilon' not to be negative");
  // The type of scale and bias may differ from the type of the statistics.
  SmallVector<Value> operands = {x};
  Type type = getElement(node.getInput(1));
  for (size_t i = 1; i < 5; ++i) {
    checkChannels(node, x, node.getInput(i), "input " + std::to_string(i));
    if (getElement(node.getInput(i)) != type)
      type = pop::getComputeType(getElement(x));
  }
  if (type != getElement(x))
    type = pop::getComputeType(getElement(x));
  if (trains)
    return importTraining(node, x, type, epsilon);
  for (size_t i = 1; i < 5; ++i)
    operands.push_back(node.cast(node.getInput(i), type));
  node.setResult(node.create<pop::BatchNormOp>(
      operands, node.attr("epsilon", node.getF32FloatAttr(epsilon)),
      x.getType()));
}

//===----------------------------------------------------------------------===//
// Normalisations with statistics of the operand
//===----------------------------------------------------------------------===//

/// Returns the type in which elements of `type` are normalised if statistics
/// are in `statistics`: this type, or f16 where the import chooses f16.
static Type getElementCompute(Node &node, Type type, Type statistics) {
  bool isInF16 = node.getState().options.computesInF16 && type.isF16();
  return isInF16 ? type : statistics;
}

/// Builds the mean over `axes`, which become dimensions of size 1, in `type`.
static Value buildMean(Node &node, Value x, ArrayRef<int64_t> axes, Type type) {
  if (!pop::isAccumulatorType(getElement(x), type))
    x = node.cast(x, type);
  return node.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true,
                     /*order=*/{}, type);
}

static Value buildInverseRoot(Node &node, Value variance, float epsilon) {
  return node.create<pop::RsqrtOp>(
      {node.add(variance, node.splatLike(epsilon, variance))});
}

/// Normalises `x` over `axes`. Statistics are in `statistics`. The result is in
/// the type in which elements are normalised.
static Normalized normalize(Node &node, Value x, ArrayRef<int64_t> axes,
                            float epsilon, Type statistics) {
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  Type type = getElementCompute(node, getElement(x), statistics);
  x = node.cast(x, type);
  Value mean = buildMean(node, x, axes, statistics);
  Value centered = node.sub(x, node.cast(mean, type));
  Value wide = node.cast(centered, statistics);
  Value variance = buildMean(node, node.mul(wide, wide), axes, statistics);
  Value inverse = buildInverseRoot(node, variance, epsilon);
  return {node.mul(centered, node.cast(inverse, type)), mean, inverse};
}

Type ipu::onnx::getPrecision(Node &node, StringRef name) {
  int32_t number = node.getElementTypeNumber(name, proto::TensorProto::FLOAT);
  auto type =
      dyn_cast_or_null<FloatType>(getElementType(number, node.getContext()));
  if (!type || type.getWidth() < 16)
    node.fail("expects '" + name +
              "' to be a float of 16 bits or more but got " +
              getElementTypeName(number));
  return type;
}

Normalized ipu::onnx::normalizeLayer(Node &node, Value x, int64_t axis,
                                     Value scale, Value bias, float epsilon,
                                     Type precision) {
  Type type = getElement(x);
  bool isWider = isa<FloatType>(type) && precision.getIntOrFloatBitWidth() >
                                             type.getIntOrFloatBitWidth();
  Normalized y = normalize(node, x, getAxesFrom(axis, getRank(x)), epsilon,
                           isWider ? precision : type);
  y.value = node.mul(node.cast(y.value, type), scale);
  if (bias)
    y.value = node.add(y.value, bias);
  node.require(getShape(y.value) == getShape(x),
               "expects scale and bias that broadcast to " +
                   quote(x.getType()) + " but got a result of type " +
                   quote(y.value.getType()));
  return y;
}

static void importLayerNormalization(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), getRank(x));
  Type precision = getPrecision(node, "stash_type");
  Normalized y =
      normalizeLayer(node, x, axis, node.getInput(1), node.getOptionalInput(2),
                     node.getFloat("epsilon", 1e-5f), precision);
  node.setResult(y.value);
  node.setResult(1, node.cast(y.mean, precision));
  node.setResult(2, node.cast(y.inverseDeviation, precision));
}

Normalized ipu::onnx::normalizeRootMeanSquare(Node &node, Value x, int64_t axis,
                                              Value scale, float epsilon,
                                              Type precision) {
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  Type type = getElementCompute(node, getElement(x), precision);
  Value wide = node.cast(x, precision);
  Value mean = buildMean(node, node.mul(wide, wide),
                         getAxesFrom(axis, getRank(x)), precision);
  Value inverse = buildInverseRoot(node, mean, epsilon);
  Value ofType = node.cast(x, type);
  Value normalized = node.mul(ofType, node.cast(inverse, type));
  Value y = node.mul(node.cast(normalized, getElement(scale)), scale);
  node.require(getShape(y) == getShape(x),
               "expects a scale that broadcasts to " + quote(x.getType()) +
                   " but got " + quote(scale.getType()));
  return {y, {}, inverse};
}

static void importRMSNormalization(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), getRank(x));
  Normalized y = normalizeRootMeanSquare(node, x, axis, node.getInput(1),
                                         node.getFloat("epsilon", 1e-5f),
                                         getPrecision(node, "stash_type"));
  node.setResult(y.value);
  node.setResult(1, y.inverseDeviation);
}

static void importInstanceNormalization(Node &node) {
  Value x = node.getInput(0);
  Type type = getElement(x), wide = pop::getComputeType(type);
  int64_t rank = getRank(x);
  node.require(rank >= 3,
               "expects an operand of rank 3 or more but got " + Twine(rank));
  checkChannels(node, x, node.getInput(1), "scale");
  checkChannels(node, x, node.getInput(2), "bias");
  Value y = normalize(node, x, getAxesFrom(2, rank),
                      node.getFloat("epsilon", 1e-5f), wide)
                .value;
  auto getParameter = [&](size_t i) {
    return forChannels(node, node.cast(node.getInput(i), getElement(y)), rank);
  };
  y = node.add(node.mul(y, getParameter(1)), getParameter(2));
  node.setResult(node.cast(y, type));
}

static void importGroupNormalization(Node &node) {
  Value x = node.getInput(0);
  Type type = getElement(x), wide = pop::getComputeType(type);
  int64_t rank = getRank(x), groups = node.getInt("num_groups");
  node.require(rank >= 2,
               "expects an operand of rank 2 or more but got " + Twine(rank));
  int64_t channels = getDim(x, 1);
  node.require(groups > 0 && channels > 0 && channels % groups == 0,
               "cannot split " + Twine(channels) + " channels into " +
                   Twine(groups) + " groups");
  SmallVector<int64_t> shape(getShape(x));
  // Before opset 21, scale and bias have one element for each group.
  bool perChannel = node.getOpset() >= 21;
  for (size_t i = 1; i < 3; ++i)
    node.require(
        getRank(node.getInput(i)) == 1 &&
            getDim(node.getInput(i), 0) == (perChannel ? channels : groups),
        "expects scale and bias of " + Twine(perChannel ? channels : groups) +
            " elements but got " + quote(node.getInput(i).getType()));
  int64_t size =
      getProduct(ArrayRef<int64_t>(shape).drop_front(2)) * (channels / groups);
  Value y = node.reshape(x, {shape[0], groups, size});
  y = normalize(node, y, {2}, node.getFloat("epsilon", 1e-5f), wide).value;
  if (perChannel)
    y = node.reshape(y, shape);
  auto getParameter = [&](size_t i) {
    return forChannels(node, node.cast(node.getInput(i), getElement(y)),
                       getRank(y));
  };
  y = node.add(node.mul(y, getParameter(1)), getParameter(2));
  node.setResult(node.cast(node.reshape(y, shape), type));
}

static void importMeanVarianceNormalization(Node &node) {
  Value x = node.getInput(0);
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  SmallVector<int64_t> axes = node.normalizeAxes(
      node.getOptionalInts("axes").value_or(SmallVector<int64_t>{0, 2, 3}),
      getRank(x));
  Type type = getElement(x);
  x = node.widen(x);
  Value centered = node.sub(x, node.mean(x, axes, /*keepDims=*/true));
  Value variance = node.mean(node.mul(centered, centered), axes, true);
  Value deviation = buildNormRoot(node, variance);
  deviation = node.add(deviation, node.splatLike(1e-9, deviation));
  node.setResult(node.cast(node.div(centered, deviation), type));
}

static void importLpNormalization(Node &node) {
  Value x = node.getInput(0);
  node.require(isa<FloatType>(getElement(x)),
               "expects a float operand but got " + quote(x.getType()));
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), getRank(x));
  int64_t p = node.getInt("p", 2);
  node.require(p == 1 || p == 2,
               "expects 'p' to be 1 or 2 but got " + Twine(p));
  Value rows = scaleRows(node, x, axis).value;
  Value magnitude = p == 1 ? node.abs(rows) : node.mul(rows, rows);
  Value norm = node.reduce(ReduceKind::Sum, magnitude, axis, true);
  // A row of zeros stays as it is. Its gradient is 0.
  Value zero = node.splatLike(0, norm);
  Value isZero = node.equal(norm, zero);
  norm = node.select(isZero, node.splatLike(1, norm), norm);
  if (p == 2)
    norm = node.sqrt(norm);
  Value y = node.select(isZero, zero, node.div(rows, norm));
  node.setResult(node.cast(y, getElement(x)));
}

//===----------------------------------------------------------------------===//
// LRN
//===----------------------------------------------------------------------===//

/// Builds x / (bias + alpha / size * sum)^beta, where sum is the sum of the
/// squares of `size` neighbouring channels.
static Value buildLRN(Node &node, Value x) {
  int64_t size = node.getInt("size");
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   Twine(getRank(x)));
  node.require(size > 0 && size < (1 << 30),
               "expects a positive 'size' but got " + Twine(size));
  SmallVector<int64_t> shape(getShape(x));
  // The channels become a spatial dimension of a pool.
  Value squares =
      node.reshape(node.mul(x, x), {shape[0], 1, shape[1],
                                    getProduct(ArrayRef(shape).drop_front(2))});
  squares = node.pad(squares, {0, 0, (size - 1) / 2, 0}, {0, 0, size / 2, 0});
  ReduceKind kind = ReduceKind::Sum;
  Value sums = node.create<pop::ReduceWindowOp>(
      {squares},
      {node.attr("kind", pop::ReduceKindAttr::get(node.getContext(), kind)),
       node.attr("kernel", {size, 1})});
  sums = node.reshape(sums, shape);
  float alpha = node.getFloat("alpha", 1e-4f);
  Value scaled =
      node.mul(sums, node.splatLike(alpha / static_cast<double>(size), x));
  Value base = node.add(scaled, node.splatLike(node.getFloat("bias", 1), x));
  Value power = node.create<pop::PowOp>(
      {base, node.splatLike(node.getFloat("beta", 0.75f), x)});
  return node.div(x, power);
}

static void importLRN(Node &node) {
  node.setResult(buildWide(node, node.getInput(0),
                           [&](Value x) { return buildLRN(node, x); }));
}

ArrayRef<OpEntry> ipu::onnx::getNormalizationOps() {
  static const OpEntry kOps[] = {
      {"BatchNormalization", 1, 5, 5, 5, importBatchNormalization,
       "in training mode (`training_mode` from opset 14 on), becomes "
       "`pop.batch_norm_training`, and elementwise ops compute the running "
       "statistics"},
      {"GroupNormalization", 18, 3, 3, 1, importGroupNormalization,
       "in f32 for narrower floats"},
      {"InstanceNormalization", 6, 3, 3, 1, importInstanceNormalization,
       "in f32 for narrower floats"},
      {"LRN", 1, 1, 1, 1, importLRN,
       "rank 2 or more; in f32 for narrower floats"},
      {"LayerNormalization", 1, 2, 3, 3, importLayerNormalization,
       "the statistics are computed in the wider one of the operand's type and "
       "the type of `stash_type`, and are returned in the latter; before opset "
       "17, as ONNX Runtime writes it",
       "axis epsilon stash_type"},
      {"LpNormalization", 1, 1, 1, 1, importLpNormalization,
       "in f32 for narrower floats; a row of zeros gives zeros, with a "
       "gradient of 0; rows of very large or small numbers are scaled"},
      {"MeanVarianceNormalization", 9, 1, 1, 1, importMeanVarianceNormalization,
       "in f32 for narrower floats"},
      {"RMSNormalization", 23, 2, 2, 1, importRMSNormalization,
       "the statistics are in the type of `stash_type`"},
      {"SimplifiedLayerNormalization", 1, 2, 2, 2, importRMSNormalization,
       "`RMSNormalization`, as ONNX Runtime writes it",
       "axis epsilon stash_type"},
  };
  return kOps;
}
