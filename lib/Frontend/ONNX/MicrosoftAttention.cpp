//===- MicrosoftAttention.cpp - Attention of ONNX Runtime -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention of the domain com.microsoft. Queries, keys and values are [batch,
// heads, sequence, size].
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

namespace {
/// The operands of an attention.
struct Heads {
  Value query, key, value;
};

/// What changes the scores of queries and keys.
struct ScoreChanges {
  /// Values that are added to the scores. All may be null.
  SmallVector<Value, 2> addends;
  /// Whether a query sees a key, or null if each query sees all keys.
  Value condition;
};
} // namespace

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

/// Returns the attribute `name`, a number of heads.
static int64_t getNumHeads(Node &node, StringRef name) {
  int64_t count = node.getInt(name);
  node.require(count > 0 && count < (1 << 20),
               "expects '" + name + "' to be positive but got " + Twine(count));
  return count;
}

static Value toHeads(Node &node, Value x, int64_t numHeads) {
  return node.transpose(splitHeads(node, x, numHeads), {0, 2, 1, 3});
}

static void requireRank(Node &node, Value x, int64_t rank) {
  node.require(getRank(x) == rank, "expects an operand of rank " + Twine(rank) +
                                       " but got " + quote(x.getType()));
}

/// Fails unless the operands of an attention fit each other.
static void checkHeads(Node &node, const Heads &heads) {
  ArrayRef<int64_t> query = getShape(heads.query), key = getShape(heads.key),
                    value = getShape(heads.value);
  Type type = getElement(heads.query);
  node.require(
      query[0] == key[0] && query[0] == value[0] && key[1] > 0 &&
          key[1] == value[1] && query[1] % key[1] == 0 && key[2] == value[2] &&
          query[3] == key[3] && query[3] > 0 && isa<FloatType>(type) &&
          getElement(heads.key) == type && getElement(heads.value) == type,
      "expects queries, keys and values of floats that fit but got " +
          quote(heads.query.getType()) + ", " + quote(heads.key.getType()) +
          " and " + quote(heads.value.getType()));
}

/// Returns the attention [batch, heads, queries, size]. Scores are in f32 for
/// narrower floats.
static Value attend(Node &node, const Heads &heads,
                    const ScoreChanges &changes) {
  checkHeads(node, heads);
  Type wide = pop::getComputeType(getElement(heads.query));
  float scale = node.getFloat("scale", 0);
  double factor =
      scale != 0 ? scale
                 : 1 / std::sqrt(static_cast<double>(getDim(heads.query, 3)));
  Value keys = node.transpose(heads.key, {0, 1, 3, 2});
  Value scores = multiplyHeads(node, heads.query, keys, wide);
  SmallVector<int64_t> shape(getShape(scores));
  scores = capScores(node, node.mul(scores, node.splatLike(factor, scores)));
  for (Value addend : changes.addends)
    if (addend)
      scores = node.add(scores, node.cast(addend, wide));
  if (changes.condition) {
    double infinity = std::numeric_limits<double>::infinity();
    scores = node.select(changes.condition, scores,
                         node.splatLike(-infinity, scores));
  }
  node.require(getShape(scores) == ArrayRef<int64_t>(shape),
               "expects masks that broadcast to " +
                   quote(RankedTensorType::get(shape, wide)));
  Type type = getElement(heads.value);
  Value weights = node.cast(node.softmax(scores, 3), type);
  return multiplyHeads(node, weights, heads.value, type);
}

/// Returns the condition that keys are not after their query. The last query is
/// at the position of the last key.
static Value getCausalCondition(Node &node, const Heads &heads) {
  Type type = node.getI32Type();
  int64_t numQueries = getDim(heads.query, 2), numKeys = getDim(heads.key, 2);
  Value queries = node.iota(numQueries, type, 2, 4);
  auto offset = static_cast<double>(numKeys - numQueries + 1);
  return node.less(node.iota(numKeys, type, 3, 4),
                   node.add(queries, node.splat(offset, type)));
}

/// Returns what a padding mask, operand `input`, adds to scores: the attribute
/// `mask_filter_value` where it hides a key. A mask of rank 1 has the number of
/// keys of each batch that are not padding. Others are 0 at hidden keys.
static Value getPaddingAddend(Node &node, size_t input, int64_t batch,
                              int64_t numKeys) {
  Value mask = node.getOptionalInput(input);
  if (!mask)
    return {};
  int64_t rank = getRank(mask);
  Type type = node.getI32Type();
  Value isVisible;
  if (rank == 1) {
    if (getDim(mask, 0) != batch)
      node.unsupported("a mask of type " + quote(mask.getType()));
    Value lengths = node.reshape(node.cast(mask, type), {batch, 1, 1, 1});
    isVisible = node.less(node.iota(numKeys, type, 3, 4), lengths);
  } else {
    if (rank > 3)
      node.unsupported("a mask of type " + quote(mask.getType()));
    node.require(getDim(mask, 0) == batch && getDim(mask, rank - 1) == numKeys,
                 "expects a mask for " + Twine(numKeys) + " keys but got " +
                     quote(mask.getType()));
    SmallVector<int64_t> shape = {batch, 1, rank == 3 ? getDim(mask, 1) : 1,
                                  numKeys};
    Value numbers = node.reshape(node.cast(mask, type), shape);
    isVisible = node.less(node.splatLike(0, numbers), numbers);
  }
  Value zero = node.splat(0, node.getF32Type());
  return node.select(
      isVisible, zero,
      node.splatLike(node.getFloat("mask_filter_value", -10000), zero));
}

/// Returns columns of the vector `bias`, which may be null, added to `x`.
static Value addBiasPart(Node &node, Value x, Value bias, int64_t start) {
  if (!bias)
    return x;
  int64_t size = getDim(x, getRank(x) - 1);
  node.require(getRank(bias) == 1 && start + size <= getDim(bias, 0),
               "expects a bias of " + Twine(start + size) +
                   " elements but got " + quote(bias.getType()));
  return node.add(x, node.slice(bias, 0, start, size));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Returns the sizes of queries, keys and values in the last dimension of the
/// product with the weights.
static SmallVector<int64_t> getHiddenSizes(Node &node, Value weights) {
  int64_t total = getDim(weights, 1);
  SmallVector<int64_t> sizes =
      node.getOptionalInts("qkv_hidden_sizes").value_or(SmallVector<int64_t>());
  if (sizes.empty())
    sizes.assign(3, total / 3);
  int64_t sum = 0;
  for (int64_t size : sizes) {
    node.require(size >= 0 && size <= total,
                 "expects sizes of queries, keys and values from 0 to " +
                     Twine(total) + " but got " + Twine(size));
    sum += size;
  }
  node.require(sizes.size() == 3 && sum == total,
               "expects three sizes of queries, keys and values with the sum " +
                   Twine(total));
  return sizes;
}

/// Prepends the past keys and values, [2, batch, heads, sequence, size], which
/// are operand `input`, and returns all keys and values in this form, or null
/// if there is no such operand and no use of the result.
static Value appendToPast(Node &node, size_t input, Heads &heads) {
  Value past = node.getOptionalInput(input);
  if (!past && !node.hasOutput(1))
    return {};
  if (past) {
    requireRank(node, past, 5);
    node.require(getDim(past, 0) == 2, "expects past keys and values but got " +
                                           quote(past.getType()));
    SmallVector<int64_t> shape(getShape(past).drop_front());
    auto prepend = [&](int64_t i, Value x) {
      Value old = node.reshape(node.slice(past, 0, i, 1), shape);
      return node.concat({old, x}, 2);
    };
    heads.key = prepend(0, heads.key);
    heads.value = prepend(1, heads.value);
  }
  SmallVector<int64_t> shape(getShape(heads.key));
  shape.insert(shape.begin(), 1);
  node.require(getShape(heads.key) == getShape(heads.value),
               "expects keys and values of equal sizes but got " +
                   quote(heads.key.getType()) + " and " +
                   quote(heads.value.getType()));
  return node.concat(
      {node.reshape(heads.key, shape), node.reshape(heads.value, shape)}, 0);
}

static void importAttention(Node &node) {
  Value x = node.getInput(0), weights = node.getInput(1),
        bias = node.getOptionalInput(2);
  int64_t numHeads = getNumHeads(node, "num_heads");
  requireRank(node, x, 3);
  requireRank(node, weights, 2);
  if (node.getInt("do_rotary", 0) != 0 || node.hasInput(6))
    node.unsupported("'do_rotary' and past keys in a shared buffer");
  Value product = node.create<pop::MatmulOp>({x, weights});
  product = addBiasPart(node, product, bias, 0);
  SmallVector<Value> parts;
  int64_t start = 0;
  for (int64_t size : getHiddenSizes(node, weights)) {
    parts.push_back(
        toHeads(node, node.slice(product, 2, start, size), numHeads));
    start += size;
  }
  Heads heads{parts[0], parts[1], parts[2]};
  Value present = appendToPast(node, 4, heads);
  ScoreChanges changes;
  changes.addends = {
      getPaddingAddend(node, 3, getDim(x, 0), getDim(heads.key, 2)),
      node.getOptionalInput(5)};
  if (node.getInt("unidirectional", 0) != 0)
    changes.condition = getCausalCondition(node, heads);
  node.setResult(joinHeads(node, attend(node, heads, changes)));
  node.setResult(1, present);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Returns the keys or values, operand `input`, in heads. `start` is the
/// position of their bias.
static Value getMultiHeads(Node &node, size_t input, int64_t numHeads,
                           int64_t start) {
  Value x = node.getInput(input);
  // Keys and values of another sequence may already be heads.
  if (getRank(x) == 4 && input > 0)
    return x;
  if (getRank(x) == 5)
    node.unsupported("packed queries, keys and values");
  requireRank(node, x, 3);
  x = addBiasPart(node, x, node.getOptionalInput(3), start);
  return toHeads(node, x, numHeads);
}

static void importMultiHeadAttention(Node &node) {
  int64_t numHeads = getNumHeads(node, "num_heads");
  for (size_t i : {8, 9})
    if (node.hasInput(i))
      node.unsupported("past keys in a shared buffer");
  Heads heads;
  heads.query = getMultiHeads(node, 0, numHeads, 0);
  if (!node.hasInput(1) || !node.hasInput(2))
    node.unsupported("packed queries, keys and values");
  int64_t size = getDim(node.getInput(0), 2);
  heads.key = getMultiHeads(node, 1, numHeads, size);
  heads.value = getMultiHeads(node, 2, numHeads, 2 * size);
  for (size_t i : {6, 7})
    if (node.hasInput(i)) {
      Value &x = i == 6 ? heads.key : heads.value;
      x = node.concat({node.getInput(i), x}, 2);
    }
  checkHeads(node, heads);
  ScoreChanges changes;
  changes.addends = {
      getPaddingAddend(node, 4, getDim(heads.query, 0), getDim(heads.key, 2)),
      node.getOptionalInput(5)};
  if (node.getInt("unidirectional", 0) != 0)
    changes.condition = getCausalCondition(node, heads);
  node.setResult(joinHeads(node, attend(node, heads, changes)));
  node.setResult(1, heads.key);
  node.setResult(2, heads.value);
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// Returns the angles of the caches, operands `input` and `input + 1`, at
/// positions [batch, sequence] as [batch, 1, sequence, size].
static Rotation getRotation(Node &node, size_t input, Value positions) {
  auto getRows = [&](size_t i) {
    Value cache = node.getInput(i);
    requireRank(node, cache, 2);
    Value rows = node.create<pop::GatherOp>(
        {cache, positions}, node.attr("batch_dims", int64_t(0)));
    return node.reshape(rows,
                        {getDim(rows, 0), 1, getDim(rows, 1), getDim(rows, 2)});
  };
  return {getRows(input), getRows(input + 1)};
}

static void requireAngles(Node &node, Value x, const Rotation &rotation) {
  node.require(getShape(rotation.cos) == getShape(rotation.sin) &&
                   2 * getDim(rotation.cos, 3) <= getDim(x, 3),
               "expects caches of one shape for at most " +
                   Twine(getDim(x, 3)) + " elements but got " +
                   quote(rotation.cos.getType()) + " and " +
                   quote(rotation.sin.getType()));
}

static void importRotaryEmbedding(Node &node) {
  Value x = node.getInput(0), positions = node.getInput(1);
  node.require(getRank(x) == 3 || getRank(x) == 4,
               "expects an operand of rank 3 or 4 but got " +
                   quote(x.getType()));
  if (node.getFloat("scale", 1) != 1 || node.getInt("is_packed_batching", 0))
    node.unsupported("'scale' and 'is_packed_batching'");
  requireIndices(node, getElement(positions));
  requireRank(node, node.getInput(2), 2);
  Value heads = x;
  if (getRank(x) == 3) {
    int64_t numHeads = node.getInt("num_heads", 0);
    int64_t size = 2 * getDim(node.getInput(2), 1);
    if (numHeads == 0 && size > 0)
      numHeads = getDim(x, 2) / size;
    node.require(numHeads > 0,
                 "expects a positive 'num_heads' but got " + Twine(numHeads));
    heads = toHeads(node, x, numHeads);
  }
  int64_t batch = getDim(heads, 0), sequence = getDim(heads, 2);
  // A single position is that of the first element of each sequence.
  if (getTensorType(positions).getNumElements() == 1)
    positions =
        node.expand(node.add(node.reshape(positions, {1, 1}),
                             node.iota(sequence, getElement(positions), 1, 2)),
                    {batch, sequence});
  else
    requireShape(node, 1, {batch, sequence});
  Rotation rotation = getRotation(node, 2, positions);
  requireAngles(node, heads, rotation);
  Value y =
      rotateHeads(node, heads, rotation, node.getInt("interleaved", 0) != 0);
  node.setResult(getRank(x) == 3 ? joinHeads(node, y) : y);
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {
/// A GroupQueryAttention node. Keys and values of a sequence are in the first
/// slots of a buffer; the new ones follow the past ones.
struct GroupQueryAttention {
  Node &node;
  Heads heads;
  /// The number of slots of the buffer.
  int64_t numSlots = 0;
  /// The number of past keys of each sequence, [batch].
  Value numPast;

  explicit GroupQueryAttention(Node &node);
  int64_t getBatch() const { return getDim(heads.query, 0); }
  int64_t getNumNew() const { return getDim(heads.query, 2); }
  void splitOperands();
  Value getPositions(int64_t axis, int64_t rank);
  void rotate();
  Value append(size_t input, Value x);
  Value getCondition();
  void build();
};
} // namespace

GroupQueryAttention::GroupQueryAttention(Node &node) : node(node) {
  for (StringRef name : {"smooth_softmax", "qk_output"})
    if (node.getInt(name, 0) > 0)
      node.unsupported("'" + name + "'");
  for (size_t i = 11; i < node.getNumInputs(); ++i)
    if (node.hasInput(i))
      node.unsupported("input " + Twine(i));
  splitOperands();
  SmallVector<int64_t> total = node.getConstantInts(6);
  node.require(total.size() == 1 && total[0] >= getNumNew() &&
                   total[0] < (1 << 30),
               "expects a total length of at least " + Twine(getNumNew()));
  if (Value past = node.getOptionalInput(3)) {
    requireRank(node, past, 4);
    numSlots = getDim(past, 2);
  }
  numSlots = std::max(numSlots, total[0]);
  Value last = node.getInput(5);
  node.require(getTensorType(last).getNumElements() == getBatch(),
               "expects a length of " + Twine(getBatch()) +
                   " sequences but got " + quote(last.getType()));
  // A first prompt has no past, and its sequences may be padded.
  Type type = node.getI32Type();
  if (total[0] == getNumNew()) {
    numPast = node.splat(0, type, {getBatch()});
    return;
  }
  last = node.reshape(node.cast(last, type), {getBatch()});
  numPast =
      node.add(last, node.splat(static_cast<double>(1 - getNumNew()), type));
}

/// Splits queries, keys and values, which may be in one operand, into heads.
void GroupQueryAttention::splitOperands() {
  int64_t numHeads = getNumHeads(node, "num_heads");
  int64_t numKeyHeads = getNumHeads(node, "kv_num_heads");
  Value query = node.getInput(0), key = node.getOptionalInput(1),
        value = node.getOptionalInput(2);
  requireRank(node, query, 3);
  if (!key) {
    int64_t hidden = getDim(query, 2), count = numHeads + 2 * numKeyHeads;
    node.require(hidden % count == 0 && !value,
                 "expects queries, keys and values of " + Twine(count) +
                     " heads but got " + quote(query.getType()));
    int64_t size = hidden / count;
    value = node.slice(query, 2, (numHeads + numKeyHeads) * size,
                       numKeyHeads * size);
    key = node.slice(query, 2, numHeads * size, numKeyHeads * size);
    query = node.slice(query, 2, 0, numHeads * size);
  }
  node.require(value && getRank(key) == 3 && getRank(value) == 3,
               "expects keys and values of rank 3");
  heads = {toHeads(node, query, numHeads), toHeads(node, key, numKeyHeads),
           toHeads(node, value, numKeyHeads)};
  checkHeads(node, heads);
  node.require(getDim(heads.key, 2) == getNumNew(),
               "expects as many keys as queries but got " +
                   quote(key.getType()) + " and " + quote(query.getType()));
}

/// Returns the positions of the new elements, [batch, ..., sequence, ...] with
/// the sequence in dimension `axis`.
Value GroupQueryAttention::getPositions(int64_t axis, int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape.front() = getBatch();
  return node.add(node.reshape(numPast, shape),
                  node.iota(getNumNew(), node.getI32Type(), axis, rank));
}

void GroupQueryAttention::rotate() {
  if (node.getInt("do_rotary", 0) == 0)
    return;
  Value positions = node.getOptionalInput(9);
  if (positions)
    requireShape(node, 9, {getBatch(), getNumNew()});
  else
    positions = getPositions(1, 2);
  Rotation rotation = getRotation(node, 7, positions);
  requireAngles(node, heads.query, rotation);
  bool isInterleaved = node.getInt("rotary_interleaved", 0) != 0;
  heads.query = rotateHeads(node, heads.query, rotation, isInterleaved);
  heads.key = rotateHeads(node, heads.key, rotation, isInterleaved);
}

/// Writes new keys or values into the buffer with the past ones, operand
/// `input`, and returns the buffer.
Value GroupQueryAttention::append(size_t input, Value x) {
  SmallVector<int64_t> shape(getShape(x));
  Value buffer = node.getOptionalInput(input);
  if (buffer) {
    shape[2] = getRank(buffer) == 4 ? getDim(buffer, 2) : 0;
    requireShape(node, input, shape);
    node.require(getElement(buffer) == getElement(x),
                 "expects past keys and values of type " +
                     quote(getElement(x)) + " but got " +
                     quote(buffer.getType()));
    SmallVector<int64_t> zeros(4, 0), high(4, 0);
    high[2] = numSlots - shape[2];
    buffer = node.pad(buffer, zeros, high);
  } else {
    shape[2] = numSlots;
    buffer = node.splat(0, getElement(x), shape);
  }
  Value slots =
      node.expand(getPositions(2, 3), {getBatch(), getDim(x, 1), getNumNew()});
  auto kind = pop::ScatterKind::Replace;
  return node.create<pop::ScatterOp>(
      {buffer, slots, x},
      {node.attr("kind", pop::ScatterKindAttr::get(node.getContext(), kind)),
       node.attr("batch_dims", int64_t(2))},
      buffer.getType());
}

/// A query sees the keys up to its position, or only the last ones of them.
Value GroupQueryAttention::getCondition() {
  Value queries = getPositions(2, 4);
  Value keys = node.iota(numSlots, node.getI32Type(), 3, 4);
  Value condition = node.create<pop::LessEqualOp>({keys, queries});
  int64_t window = node.getInt("local_window_size", -1);
  if (window < 0 || window >= numSlots)
    return condition;
  Value first =
      node.sub(queries, node.splatLike(static_cast<double>(window), queries));
  return node.create<pop::AndOp>({condition, node.less(first, keys)});
}

void GroupQueryAttention::build() {
  rotate();
  heads.key = append(3, heads.key);
  heads.value = append(4, heads.value);
  ScoreChanges changes;
  changes.condition = getCondition();
  changes.addends = {node.getOptionalInput(10)};
  node.setResult(0, joinHeads(node, attend(node, heads, changes)));
  node.setResult(1, heads.key);
  node.setResult(2, heads.value);
}

static void importGroupQueryAttention(Node &node) {
  GroupQueryAttention(node).build();
}

ArrayRef<OpEntry> ipu::onnx::getMicrosoftAttentionOps() {
  static const OpEntry kOps[] = {
      {"Attention", 1, 2, 7, 2, importAttention,
       "scores in f32 for narrower floats; masks of ranks 1 (lengths), 2 and "
       "3",
       "do_rotary mask_filter_value num_heads past_present_share_buffer "
       "qkv_hidden_sizes rotary_embedding_dim scale unidirectional"},
      {"GroupQueryAttention", 1, 7, 14, 3, importGroupQueryAttention,
       "as `Attention`; constant total length; no smooth softmax and no "
       "quantised cache",
       "do_rotary kv_num_heads local_window_size num_heads qk_output "
       "rotary_interleaved scale smooth_softmax softcap"},
      {"MultiHeadAttention", 1, 1, 10, 3, importMultiHeadAttention,
       "as `Attention`; queries, keys and values are three operands",
       "mask_filter_value num_heads scale unidirectional"},
      {"RotaryEmbedding", 1, 4, 4, 1, importRotaryEmbedding,
       "as in the domain of ONNX; no `scale`",
       "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
  };
  return kOps;
}
