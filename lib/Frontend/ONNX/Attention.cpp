//===- Attention.cpp - ONNX attention and rotary embeddings ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

Value ipu::onnx::splitHeads(Node &node, Value x, int64_t numHeads) {
  int64_t hidden = getDim(x, 2);
  node.require(hidden % numHeads == 0,
               "expects a last dimension that " + Twine(numHeads) +
                   " heads divide but got " + Twine(hidden));
  return node.reshape(
      x, {getDim(x, 0), getDim(x, 1), numHeads, hidden / numHeads});
}

Value ipu::onnx::joinHeads(Node &node, Value x) {
  return node.reshape(
      node.transpose(x, {0, 2, 1, 3}),
      {getDim(x, 0), getDim(x, 2), getDim(x, 1) * getDim(x, 3)});
}

static void requireRank3Or4(Node &node, Value x) {
  node.require(getRank(x) == 3 || getRank(x) == 4,
               "expects an operand of rank 3 or 4 but got " +
                   quote(x.getType()));
}

void ipu::onnx::requireShape(Node &node, size_t input,
                             ArrayRef<int64_t> shape) {
  Value value = node.getInput(input);
  if (getShape(value) != shape)
    node.fail("expects input " + Twine(input) + " of type " +
              quote(RankedTensorType::get(shape, getElement(value))) +
              " but got " + quote(value.getType()));
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// Returns the rows of cache `input` for all positions.
static Value getCacheRows(Node &node, size_t input, int64_t batch,
                          int64_t sequence, int64_t size) {
  Value cache = node.getInput(input), positions = node.getOptionalInput(3);
  if (!positions) {
    requireShape(node, input, {batch, sequence, size});
    return cache;
  }
  node.require(getRank(cache) == 2,
               "expects a cache of rank 2 for position ids but got " +
                   quote(cache.getType()));
  requireShape(node, input, {getDim(cache, 0), size});
  requireShape(node, 3, {batch, sequence});
  return node.create<pop::GatherOp>({cache, positions},
                                    node.attr("batch_dims", int64_t(0)));
}

static Value rotatePairs(Node &node, Value x, const Rotation &rotation,
                         bool isInterleaved) {
  int64_t last = getRank(x) - 1, half = getDim(x, last) / 2;
  int64_t step = isInterleaved ? 2 : 1;
  Value first = node.slice(x, last, 0, half, step);
  Value second = node.slice(x, last, isInterleaved ? 1 : half, half, step);
  Value part = node.mul(rotation.cos, first);
  Value real = node.sub(part, node.mul(rotation.sin, second));
  part = node.mul(rotation.sin, first);
  Value imaginary = node.add(part, node.mul(rotation.cos, second));
  if (!isInterleaved)
    return node.concat({real, imaginary}, last);
  SmallVector<int64_t> shape(getShape(x)), pairs(getShape(real));
  pairs.push_back(1);
  Value joined = node.concat(
      {node.reshape(real, pairs), node.reshape(imaginary, pairs)}, last + 1);
  return node.reshape(joined, shape);
}

Value ipu::onnx::rotateHeads(Node &node, Value x, const Rotation &rotation,
                             bool isInterleaved) {
  Type wide = pop::getComputeType(getElement(x));
  Rotation angles{node.cast(rotation.cos, wide), node.cast(rotation.sin, wide)};
  int64_t headSize = getDim(x, 3), size = 2 * getDim(angles.cos, 3);
  Value rotated = node.slice(x, 3, 0, size);
  Value y = buildWide(node, rotated, [&](Value part) {
    return rotatePairs(node, part, angles, isInterleaved);
  });
  if (size < headSize)
    y = node.concat({y, node.slice(x, 3, size, headSize - size)}, 3);
  return y;
}

static void importRotaryEmbedding(Node &node) {
  Value input = node.getInput(0);
  requireRank3Or4(node, input);
  node.require(isa<FloatType>(getElement(input)),
               "expects a float operand but got " + quote(input.getType()));
  Value x = input;
  int64_t sequenceAxis = 2, headAxis = 1;
  if (getRank(x) == 3) {
    int64_t numHeads = node.getInt("num_heads", 0);
    node.require(numHeads > 0,
                 "expects a positive 'num_heads' for an operand of rank 3 but "
                 "got " +
                     Twine(numHeads));
    x = splitHeads(node, x, numHeads);
    std::swap(sequenceAxis, headAxis);
  }
  int64_t headSize = getDim(x, 3);
  int64_t size = node.getInt("rotary_embedding_dim", 0);
  size = size == 0 ? headSize : size;
  node.require(size > 0 && size <= headSize && size % 2 == 0,
               "expects an even number of rotated elements up to " +
                   Twine(headSize) + " but got " + Twine(size));

  int64_t batch = getDim(x, 0), sequence = getDim(x, sequenceAxis);
  SmallVector<int64_t> angleShape = {batch, 1, 1, size / 2};
  angleShape[sequenceAxis] = sequence;
  requireShape(node, 2, getShape(node.getInput(1)));
  auto getAngles = [&](size_t i) {
    Value rows = getCacheRows(node, i, batch, sequence, size / 2);
    return node.reshape(rows, angleShape);
  };
  Value y = rotateHeads(node, x, {getAngles(1), getAngles(2)},
                        node.getInt("interleaved", 0) != 0);
  node.setResult(node.reshape(y, getShape(input)));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// The stage of the computation that the output `qk_matmul_output` returns.
enum ScoreStage : int64_t { Product, Capped, Masked, Probabilities };

/// An Attention node. Queries are [batch, query heads, queries, size]. Keys and
/// values are [batch, key heads, keys, size], with past keys and values first.
/// Several consecutive query heads share one key head.
struct Attention {
  Node &node;
  Value query, key, value;
  int64_t numPast = 0;
  /// The type in which scores are computed.
  Type scoreType;

  explicit Attention(Node &node);
  void appendToCache();
  void check();

  int64_t getNumQueries() const { return getDim(query, 2); }
  int64_t getNumKeys() const { return getDim(key, 2); }
  SmallVector<int64_t> getScoreShape() const {
    return {getDim(query, 0), getDim(query, 1), getNumQueries(), getNumKeys()};
  }

  Value buildScores();
  Value padMask(Value mask);
  Value getKeyLengths();
  Value getQueryLimits(Value lengths);
  Value buildCondition(Value boolMask);
  Value buildMask(Value scores);
  Value buildSoftmax(Value scores);
  void importNode();
};
} // namespace

/// Returns an operand of rank 4: [batch, heads, sequence, size].
static Value getHeads(Node &node, size_t input, StringRef numHeadsName) {
  Value x = node.getInput(input);
  int64_t numHeads = node.getInt(numHeadsName, 0);
  if (getRank(x) == 4) {
    node.require(numHeads == 0 || numHeads == getDim(x, 1),
                 "expects '" + numHeadsName + "' to be " + Twine(getDim(x, 1)) +
                     " but got " + Twine(numHeads));
    return x;
  }
  node.require(numHeads > 0, "expects a positive '" + numHeadsName +
                                 "' for operands of rank 3 but got " +
                                 Twine(numHeads));
  return node.transpose(splitHeads(node, x, numHeads), {0, 2, 1, 3});
}

Attention::Attention(Node &node) : node(node) {
  Value first = node.getInput(0);
  for (size_t i : {0, 1, 2}) {
    Value x = node.getInput(i);
    requireRank3Or4(node, x);
    node.require(getRank(x) == getRank(first) && isa<FloatType>(getElement(x)),
                 "expects float operands of equal ranks but got " +
                     quote(first.getType()) + " and " + quote(x.getType()));
  }
  query = getHeads(node, 0, "q_num_heads");
  key = getHeads(node, 1, "kv_num_heads");
  value = getHeads(node, 2, "kv_num_heads");
  scoreType = pop::getComputeType(getElement(query));
  check();
  appendToCache();
}

void Attention::check() {
  int64_t batch = getDim(query, 0), numHeads = getDim(key, 1);
  node.require(
      getDim(key, 0) == batch && getDim(value, 0) == batch,
      "expects queries, keys and values of equal batch sizes but got " +
          Twine(batch) + ", " + Twine(getDim(key, 0)) + " and " +
          Twine(getDim(value, 0)));
  node.require(getDim(value, 1) == numHeads && getDim(value, 2) == getNumKeys(),
               "expects as many values as keys but got " +
                   quote(value.getType()) + " and " + quote(key.getType()));
  node.require(getElement(key) == getElement(query) &&
                   getDim(key, 3) == getDim(query, 3) && getDim(key, 3) > 0,
               "expects queries and keys of equal sizes and types but got " +
                   quote(query.getType()) + " and " + quote(key.getType()));
  node.require(numHeads > 0 && getDim(query, 1) % numHeads == 0,
               "expects a number of query heads that the " + Twine(numHeads) +
                   " key heads divide but got " + Twine(getDim(query, 1)));
}

void Attention::appendToCache() {
  Value pastKey = node.getOptionalInput(4),
        pastValue = node.getOptionalInput(5);
  node.require(!pastKey == !pastValue,
               "expects both past keys and past values, or neither, but got " +
                   Twine(pastKey ? "no past values" : "no past keys"));
  if (!pastKey)
    return;
  numPast = getRank(pastKey) == 4 ? getDim(pastKey, 2) : 0;
  for (size_t i : {4, 5}) {
    SmallVector<int64_t> shape(getShape(i == 4 ? key : value));
    shape[2] = numPast;
    requireShape(node, i, shape);
  }
  key = node.concat({pastKey, key}, 2);
  value = node.concat({pastValue, value}, 2);
}

/// Reshapes [batch, query heads, queries, n] such that the queries of all heads
/// that share a key head are the rows of one matrix.
static Value groupByKeyHead(Node &node, Value x, int64_t numKeyHeads) {
  return node.reshape(x, {getDim(x, 0), numKeyHeads,
                          getDim(x, 1) / numKeyHeads * getDim(x, 2),
                          getDim(x, 3)});
}

Value ipu::onnx::multiplyHeads(Node &node, Value rows, Value columns,
                               Type type) {
  SmallVector<int64_t> shape(getShape(rows));
  shape.back() = getDim(columns, 3);
  Value groups = groupByKeyHead(node, rows, getDim(columns, 1));
  SmallVector<int64_t> groupShape(getShape(groups));
  groupShape.back() = shape.back();
  Value product = node.create<pop::MatmulOp>(
      {groups, columns}, {}, RankedTensorType::get(groupShape, type));
  return node.reshape(product, shape);
}

/// Returns the scaled products of queries and keys, which are not rounded to
/// the type of the operands.
Value Attention::buildScores() {
  double size = static_cast<double>(getDim(query, 3));
  double scale =
      node.hasAttr("scale") ? node.getFloat("scale", 1) : 1 / std::sqrt(size);
  Value scores =
      multiplyHeads(node, query, node.transpose(key, {0, 1, 3, 2}), scoreType);
  return node.mul(scores, node.splatLike(scale, scores));
}

Value ipu::onnx::capScores(Node &node, Value scores) {
  float cap = node.getFloat("softcap", 0);
  node.require(cap >= 0, "expects 'softcap' not to be negative but got " +
                             std::to_string(cap));
  if (cap == 0)
    return scores;
  Value limit = node.splatLike(cap, scores);
  Value tanh = node.create<pop::TanhOp>({node.div(scores, limit)});
  return node.mul(tanh, limit);
}

/// Pads the last dimension of a mask that is shorter than the keys. No query
/// sees the other keys.
Value Attention::padMask(Value mask) {
  int64_t rank = getRank(mask);
  node.require(rank > 0, "expects a mask of rank 1 or more but got " +
                             quote(mask.getType()));
  node.require(getDim(mask, rank - 1) <= getNumKeys(),
               "expects a mask for at most " + Twine(getNumKeys()) +
                   " keys but got " + quote(mask.getType()));
  Type type = getElement(mask);
  if (!type.isInteger(1))
    mask = node.cast(mask, type = scoreType);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  high.back() = getNumKeys() - getDim(mask, rank - 1);
  TypedAttr hidden = node.getZeroAttr(type);
  if (auto floatType = dyn_cast<FloatType>(type))
    hidden = FloatAttr::get(type, APFloat::getInf(floatType.getFloatSemantics(),
                                                  /*Negative=*/true));
  return node.pad(mask, low, high, hidden);
}

/// Returns the numbers of keys that are not padding, [batch, 1, 1, 1], or null
/// if no key is padding. A number that is out of range counts as the nearest
/// one that is in range.
Value Attention::getKeyLengths() {
  Value lengths = node.getOptionalInput(6);
  if (!lengths)
    return {};
  int64_t numKeys = getNumKeys();
  if (DenseElementsAttr constant = node.findConstant(6))
    for (auto length : constant.getValues<int64_t>())
      node.require(length >= 0 && length <= numKeys,
                   "expects lengths of keys from 0 to " + Twine(numKeys) +
                       " but got " + Twine(length));
  lengths = node.max(lengths, node.splatLike(0, lengths));
  lengths =
      node.min(lengths, node.splatLike(static_cast<double>(numKeys), lengths));
  return node.reshape(node.cast(lengths, node.getI32Type()),
                      {getDim(query, 0), 1, 1, 1});
}

/// Returns, for each query, the number of the first keys that a causal mask
/// lets it see. The last query sees all keys that are not padding. `lengths` is
/// the result of getKeyLengths().
Value Attention::getQueryLimits(Value lengths) {
  Type type = node.getI32Type();
  Value numbers = node.iota(getNumQueries(), type, 2, 4);
  if (lengths) {
    auto distance = static_cast<double>(1 - getNumQueries());
    return node.add(numbers, node.add(lengths, node.splat(distance, type)));
  }
  auto distance = static_cast<double>(numPast + 1);
  return node.add(numbers, node.splat(distance, type));
}

/// Returns which queries see which keys, or null if all queries see all keys.
Value Attention::buildCondition(Value boolMask) {
  Value condition = boolMask;
  auto addCondition = [&](Value other) {
    condition = condition ? node.create<pop::AndOp>({condition, other}) : other;
  };
  Value keys = node.iota(getNumKeys(), node.getI32Type(), 3, 4);
  Value lengths = getKeyLengths();
  if (node.getInt("is_causal", 0) != 0)
    addCondition(node.less(keys, getQueryLimits(lengths)));
  if (lengths)
    addCondition(node.less(keys, lengths));
  return condition;
}

Value Attention::buildMask(Value scores) {
  Value mask = node.getOptionalInput(3), boolMask;
  if (mask) {
    mask = padMask(mask);
    if (getElement(mask).isInteger(1))
      boolMask = mask;
    else
      scores = node.add(scores, mask);
  }
  if (Value condition = buildCondition(boolMask)) {
    double infinity = std::numeric_limits<double>::infinity();
    scores = node.select(condition, scores, node.splatLike(-infinity, scores));
  }
  SmallVector<int64_t> shape = getScoreShape();
  node.require(getShape(scores) == ArrayRef<int64_t>(shape),
               "expects a mask that broadcasts to " +
                   quote(RankedTensorType::get(shape, scoreType)) +
                   " but got scores of type " + quote(scores.getType()));
  return scores;
}

Value Attention::buildSoftmax(Value scores) {
  if (node.hasAttr("softmax_precision"))
    scores = node.cast(scores, getPrecision(node, "softmax_precision"));
  return node.softmax(scores, 3);
}

void Attention::importNode() {
  int64_t stage = node.getInt("qk_matmul_output_mode", 0);
  node.require(stage >= Product && stage <= Probabilities,
               "expects 'qk_matmul_output_mode' from 0 to 3 but got " +
                   Twine(stage));
  Value scores[4];
  scores[Product] = buildScores();
  scores[Capped] = capScores(node, scores[Product]);
  scores[Masked] = buildMask(scores[Capped]);
  scores[Probabilities] = buildSoftmax(scores[Masked]);

  Type type = getElement(query);
  Value weights = node.cast(scores[Probabilities], getElement(value));
  Value y = multiplyHeads(node, weights, value, getElement(value));
  if (getRank(node.getInput(0)) == 3)
    y = joinHeads(node, y);
  node.setResult(node.cast(y, type));
  node.setResult(1, key);
  node.setResult(2, value);
  if (node.hasOutput(3))
    node.setResult(3, node.cast(scores[stage], type));
}

static void importAttention(Node &node) {
  if (node.hasInput(6)) {
    node.require(node.getOpset() >= 24,
                 "expects at most 6 inputs in opset 23 but got 7");
    node.require(!node.hasInput(4) && !node.hasInput(5),
                 "expects either past keys or lengths of keys but got both");
    requireShape(node, 6, {getDim(node.getInput(0), 0)});
    node.require(getElement(node.getInput(6)).isSignlessInteger(64),
                 "expects lengths of keys of type int64 but got " +
                     quote(node.getInput(6).getType()));
  }
  Attention(node).importNode();
}

ArrayRef<OpEntry> ipu::onnx::getAttentionOps() {
  static const OpEntry kOps[] = {
      {"Attention", 23, 3, 7, 4, importAttention,
       "scores in f32 for narrower floats; `softcap` applies before the mask; "
       "see Limits"},
      {"RotaryEmbedding", 23, 3, 4, 1, importRotaryEmbedding,
       "in f32 for narrower floats; a position beyond the cache gives zeros"},
  };
  return kOps;
}
