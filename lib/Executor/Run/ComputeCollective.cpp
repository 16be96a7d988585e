//===- ComputeCollective.cpp - Values of collectives ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeCollective.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Elements are reduced in blocks that stay in the cache.
constexpr int64_t kBlock = 1024;

/// Floats that are combined in `T`.
template <typename T>
struct FloatTraits {
  using Value = T;

  static T load(CollectiveElements elements, const char *data) {
    uint64_t bits = loadScalar(elements.kind, data);
    if (elements.kind == ScalarKind::F32)
      return bitCast<float>(static_cast<uint32_t>(bits));
    if (elements.kind == ScalarKind::F64)
      return bitCast<double>(bits);
    return decodeScalar(elements.kind, bits);
  }
  static void store(CollectiveElements elements, T value, char *data) {
    uint64_t bits = encodeScalar(elements.kind, value);
    storeScalar(elements.kind, canonicalizeNaN(elements.kind, bits), data);
  }
  static T divide(CollectiveElements, T sum, int64_t count) {
    return sum / static_cast<T>(count);
  }
  static T multiply(T a, T b) { return a * b; }
  static T combine(CollectiveElements, CollectiveOperator operation, T a, T b) {
    switch (operation) {
    case CollectiveOperator::Mul:
      return a * b;
    case CollectiveOperator::Min:
    case CollectiveOperator::Max:
      if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<T>::quiet_NaN();
      if (a == b)
        return std::signbit(a) == (operation == CollectiveOperator::Min) ? a
                                                                         : b;
      return (a < b) == (operation == CollectiveOperator::Min) ? a : b;
    case CollectiveOperator::LogicalAnd:
      return a != 0 && b != 0;
    case CollectiveOperator::LogicalOr:
      return a != 0 || b != 0;
    default:
      llvm_unreachable("sums are made elsewhere");
    }
  }
};

struct IntegerTraits {
  using Value = uint64_t;

  static uint64_t load(CollectiveElements elements, const char *data) {
    return loadScalar(elements.kind, data);
  }
  static void store(CollectiveElements elements, uint64_t value, char *data) {
    storeScalar(elements.kind, maskTo(value, getScalarWidth(elements.kind)),
                data);
  }
  /// In the type, with its sign.
  static int64_t extend(CollectiveElements elements, uint64_t value) {
    unsigned width = getScalarWidth(elements.kind);
    // A bit has no sign.
    return elements.isUnsigned || width == 1
               ? static_cast<int64_t>(maskTo(value, width))
               : signExtend(value, width);
  }
  static uint64_t divide(CollectiveElements elements, uint64_t sum,
                         int64_t count) {
    if (elements.isUnsigned)
      return maskTo(sum, getScalarWidth(elements.kind)) /
             static_cast<uint64_t>(count);
    return extend(elements, sum) / count;
  }
  static uint64_t multiply(uint64_t a, uint64_t b) { return a * b; }
  static uint64_t combine(CollectiveElements elements,
                          CollectiveOperator operation, uint64_t a,
                          uint64_t b) {
    switch (operation) {
    case CollectiveOperator::Mul:
      return a * b;
    case CollectiveOperator::Min:
    case CollectiveOperator::Max: {
      bool isLess = elements.isUnsigned
                        ? a < b
                        : extend(elements, a) < extend(elements, b);
      return isLess == (operation == CollectiveOperator::Min) ? a : b;
    }
    case CollectiveOperator::LogicalAnd:
      return a != 0 && b != 0;
    case CollectiveOperator::LogicalOr:
      return a != 0 || b != 0;
    default:
      llvm_unreachable("sums are made elsewhere");
    }
  }
};
} // namespace

/// Whether elements are what they are combined in.
template <typename Traits>
static bool areValues(CollectiveElements elements) {
  return std::is_same_v<Traits, FloatTraits<float>> &&
         elements.kind == ScalarKind::F32;
}

/// `values` become those of a member, ready to be combined.
template <typename Traits>
static void loadBlock(CollectiveOperator operation, CollectiveElements elements,
                      const char *data, int64_t size,
                      typename Traits::Value *values) {
  if (areValues<Traits>(elements))
    std::memcpy(values, data, size * sizeof(values[0]));
  else
    for (int64_t i = 0; i < size; ++i)
      values[i] = Traits::load(elements, data + i * elements.getBytes());
  if (operation == CollectiveOperator::SquareAdd)
    for (int64_t i = 0; i < size; ++i)
      values[i] = Traits::multiply(values[i], values[i]);
  if (operation == CollectiveOperator::LogicalAnd ||
      operation == CollectiveOperator::LogicalOr)
    for (int64_t i = 0; i < size; ++i)
      values[i] = values[i] != 0;
}

/// Elements that are `values` already; a loop without calls.
template <typename Value>
static void storeValues(const Value *values, int64_t size, char *target) {
  for (int64_t i = 0; i < size; ++i) {
    auto bits = bitCast<uint32_t>(static_cast<float>(values[i]));
    bits = (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : bits;
    std::memcpy(target + i * sizeof(bits), &bits, sizeof(bits));
  }
}

template <typename Traits>
static void
reduceBlock(CollectiveOperator operation, CollectiveElements elements,
            ArrayRef<const char *> sources, int64_t offset, int64_t size,
            char *target, const std::optional<CollectiveRounding> &rounding,
            ArrayRef<uint32_t> bits) {
  if (rounding)
    bits = bits.slice(offset, size);
  typename Traits::Value sums[kBlock], values[kBlock];
  offset *= elements.getBytes();
  loadBlock<Traits>(operation, elements, sources.front() + offset, size, sums);
  bool isSum = operation == CollectiveOperator::Add ||
               operation == CollectiveOperator::Mean ||
               operation == CollectiveOperator::SquareAdd;
  bool isPlain =
      areValues<Traits>(elements) && operation != CollectiveOperator::SquareAdd;
  for (const char *source : sources.drop_front()) {
    if (isSum && isPlain) {
      // The buffers of replicas are aligned as their elements are.
      const auto *others =
          reinterpret_cast<const typename Traits::Value *>(source + offset);
      for (int64_t i = 0; i < size; ++i)
        sums[i] += others[i];
      continue;
    }
    loadBlock<Traits>(operation, elements, source + offset, size, values);
    if (isSum)
      for (int64_t i = 0; i < size; ++i)
        sums[i] += values[i];
    else
      for (int64_t i = 0; i < size; ++i)
        sums[i] = Traits::combine(elements, operation, sums[i], values[i]);
  }
  if (operation == CollectiveOperator::Mean)
    for (int64_t i = 0; i < size; ++i)
      sums[i] = Traits::divide(elements, sums[i], sources.size());
  if (areValues<Traits>(elements) && !rounding)
    return storeValues(sums, size, target + offset);
  for (int64_t i = 0; i < size; ++i) {
    char *to = target + offset + i * elements.getBytes();
    if (rounding)
      storeScalar(elements.kind,
                  roundStochastic(rounding->format, sums[i], bits[i],
                                  rounding->overflow),
                  to);
    else
      Traits::store(elements, sums[i], to);
  }
}

void mlir::ipu::reduceElements(
    CollectiveOperator operation, CollectiveElements elements,
    ArrayRef<const char *> sources, int64_t size, char *target,
    const std::optional<CollectiveRounding> &rounding,
    ArrayRef<uint32_t> bits) {
  for (int64_t at = 0; at < size; at += kBlock) {
    int64_t count = std::min(kBlock, size - at);
    if (elements.kind == ScalarKind::F64)
      reduceBlock<FloatTraits<double>>(operation, elements, sources, at, count,
                                       target, rounding, bits);
    else if (isFloat(elements.kind))
      reduceBlock<FloatTraits<float>>(operation, elements, sources, at, count,
                                      target, rounding, bits);
    else
      reduceBlock<IntegerTraits>(operation, elements, sources, at, count,
                                 target, rounding, bits);
  }
}

std::vector<uint32_t> mlir::ipu::drawElementBits(RngGenerator generator,
                                                 const TileLayout &layout,
                                                 int64_t numElements,
                                                 uint32_t *state,
                                                 CounterDraw draw) {
  std::vector<uint32_t> bits(numElements);
  state += layout.getTileMapping().getFirst() * kRngWordsOfTile;
  for (int64_t tile = 0; tile < layout.getNumTiles(); ++tile) {
    uint32_t *words = state + tile * kRngWordsOfTile;
    if (generator == RngGenerator::Stream) {
      getStreamBits(words, layout.getSize(tile),
                    [&](int64_t position, uint32_t drawn) {
                      bits[layout.getElement(tile, position)] = drawn;
                    });
      continue;
    }
    for (int64_t at = 0; at < layout.getSize(tile); ++at) {
      int64_t element = layout.getElement(tile, at);
      bits[element] = getCounterBits(words, element, draw);
    }
  }
  return bits;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// A tensor around an axis: `outer` times `size` runs of `inner` bytes.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;

  AxisView(ArrayRef<int64_t> shape, int64_t axis, int64_t elementBytes)
      : size(shape[axis]), inner(elementBytes) {
    for (int64_t dim : shape.take_front(axis))
      outer *= dim;
    for (int64_t dim : shape.drop_front(axis + 1))
      inner *= dim;
  }
};
} // namespace

void mlir::ipu::copyPart(ArrayRef<int64_t> shape, int64_t axis,
                         int64_t elementBytes, const char *source, int64_t part,
                         int64_t parts, char *target) {
  AxisView view(shape, axis, elementBytes);
  int64_t each = getPartSize(view.size, parts);
  int64_t begin = std::min(part * each, view.size);
  int64_t count = std::min(each, view.size - begin);
  for (int64_t i = 0; i < view.outer; ++i) {
    const char *from = source + (i * view.size + begin) * view.inner;
    char *to = target + i * each * view.inner;
    std::copy_n(from, count * view.inner, to);
    std::fill_n(to + count * view.inner, (each - count) * view.inner, 0);
  }
}

void mlir::ipu::copyFromPart(ArrayRef<int64_t> shape, int64_t axis,
                             int64_t elementBytes, const char *source,
                             int64_t part, int64_t parts, char *target) {
  AxisView view(shape, axis, elementBytes);
  int64_t each = getPartSize(view.size, parts);
  int64_t begin = std::min(part * each, view.size);
  int64_t count = std::min(each, view.size - begin);
  for (int64_t i = 0; i < view.outer; ++i)
    std::copy_n(source + i * each * view.inner, count * view.inner,
                target + (i * view.size + begin) * view.inner);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static int64_t getNumElements(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t dim : shape)
    size *= dim;
  return size;
}

/// Part `part` of what reducing whole tensors would give.
static void reduceScatter(const Collective &collective,
                          ArrayRef<const char *> members, int64_t part,
                          int64_t parts, char *target,
                          ArrayRef<uint32_t> bits) {
  int64_t bytes = collective.elements.getBytes();
  int64_t size = getNumElements(collective.targetShape);
  std::vector<std::vector<char>> pieces;
  for (const char *member : members) {
    pieces.emplace_back(size * bytes);
    copyPart(collective.sourceShape, collective.axis, bytes, member, part,
             parts, pieces.back().data());
  }
  reduceElements(
      collective.operation, collective.elements,
      llvm::to_vector_of<const char *>(llvm::map_range(
          pieces, [](const std::vector<char> &p) { return p.data(); })),
      size, target, collective.rounding, bits);
}

/// Part `index` of each member, one after the other.
static void allToAll(const Collective &collective,
                     ArrayRef<const char *> members, int64_t index,
                     char *target) {
  int64_t bytes = collective.elements.getBytes();
  int64_t parts = members.size();
  std::vector<char> piece(getNumElements(collective.sourceShape) / parts *
                          bytes);
  for (auto [number, member] : llvm::enumerate(members)) {
    copyPart(collective.sourceShape, collective.axis, bytes, member, index,
             parts, piece.data());
    copyFromPart(collective.targetShape, collective.concatAxis, bytes,
                 piece.data(), number, parts, target);
  }
}

/// The sources of the group of `replica`.
static SmallVector<const char *> getMembers(const Collective &collective,
                                            ArrayRef<const char *> sources,
                                            int64_t replica) {
  SmallVector<const char *> members;
  for (int64_t member :
       collective.groups.members(collective.groups.groupOf(replica)))
    members.push_back(sources[member]);
  return members;
}

void mlir::ipu::computeAllReduce(const Collective &collective,
                                 ArrayRef<const char *> sources,
                                 int64_t replica, int64_t begin, int64_t end,
                                 char *target, ArrayRef<uint32_t> bits) {
  int64_t offset = begin * collective.elements.getBytes();
  target += offset;
  if (collective.operation == CollectiveOperator::Local) {
    std::copy_n(sources[replica] + offset,
                (end - begin) * collective.elements.getBytes(), target);
    return;
  }
  SmallVector<const char *> members = getMembers(collective, sources, replica);
  for (const char *&member : members)
    member += offset;
  if (collective.rounding)
    bits = bits.slice(begin, end - begin);
  reduceElements(collective.operation, collective.elements, members,
                 end - begin, target, collective.rounding, bits);
}

void mlir::ipu::computeCollective(const Collective &collective,
                                  ArrayRef<const char *> sources,
                                  int64_t replica, char *target,
                                  ArrayRef<uint32_t> bits) {
  int64_t bytes = collective.elements.getBytes();
  int64_t size = getNumElements(collective.targetShape);
  if (collective.kind == CollectiveKind::Permute) {
    int64_t source = collective.sources[replica];
    if (source < 0)
      std::fill_n(target, size * bytes, 0);
    else
      std::copy_n(sources[source], size * bytes, target);
    return;
  }
  int64_t index = collective.groups.indexIn(replica);
  SmallVector<const char *> members = getMembers(collective, sources, replica);
  bool isLocal = collective.operation == CollectiveOperator::Local;
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    return computeAllReduce(collective, sources, replica, 0, size, target,
                            bits);
  case CollectiveKind::AllGather:
    for (auto [number, member] : llvm::enumerate(members))
      copyFromPart(collective.targetShape, collective.axis, bytes, member,
                   number, members.size(), target);
    return;
  case CollectiveKind::ReduceScatter:
    if (isLocal)
      copyPart(collective.sourceShape, collective.axis, bytes, sources[replica],
               index, members.size(), target);
    else
      reduceScatter(collective, members, index, members.size(), target, bits);
    return;
  case CollectiveKind::AllToAll:
    return allToAll(collective, members, index, target);
  case CollectiveKind::Broadcast:
    std::copy_n(members[collective.root], size * bytes, target);
    return;
  case CollectiveKind::Permute:
    return;
  }
}
