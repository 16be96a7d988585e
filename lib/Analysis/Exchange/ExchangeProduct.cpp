//===- ExchangeProduct.cpp - A move by products -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If each loop of a move runs along one dimension at the source and one
// dimension at the target, the data from one tile to another is a product of
// overlaps of intervals, and so are the sums of these data over the source
// tiles or over the target tiles.
//
// A run is a sequence of elements that are contiguous on both the source tile
// and the target tile. A run continues from one row to the next if the rows
// fill both regions. So a run covers the innermost dimensions of the storage up
// to the first dimension that does not fill both regions, or that source and
// target store in different orders. There is one run for each element of the
// outer dimensions.
//
// Loops along several dimensions occur if one side splits rows and columns and
// the other side splits all positions as one dimension, or if the sides group
// channels differently. Separate sweeps cover these dimensions, and the
// overlaps of their parts are factors like the other overlaps.
//
//===----------------------------------------------------------------------===//

#include "ExchangeProduct.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// Most dimensions after cutting them where the other side does.
static constexpr size_t kMaxDims = 12;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Iterations of each part, where iteration 0 is coordinate `first`.
void Parts::fill(int64_t size, int64_t first) {
  if (index < 0) {
    ranges = alone = {{0, size}};
    begins = {0};
    return;
  }
  for (int64_t part = 0; part < dim.parts; ++part) {
    int64_t begin = part * dim.step - first;
    begins.push_back(begin);
    Range all = {0, size};
    Range range = {begin, begin + dim.getPartSize(part)};
    ranges.push_back(all & range);
    if (part > 0)
      range.begin = std::max(begin, begin - dim.step + dim.extent);
    if (part + 1 < dim.parts)
      range.end = std::min(range.end, begin + dim.step);
    alone.push_back(all & range);
  }
}

int64_t Parts::getPart(const TileMappingSide &side, int64_t tile) const {
  if (several.empty())
    return index < 0 ? 0 : dim.getPart(tile);
  int64_t number = 0;
  for (auto [dim, stride] : several) {
    int64_t part = side.dims[dim].getPart(tile);
    if (part >= side.dims[dim].parts)
      return getNumParts();
    number += part * stride;
  }
  return number;
}

int64_t Parts::getRegion(const TileMappingSide &side, int64_t part) const {
  if (several.empty())
    return index < 0 ? 0 : part * dim.regionStride;
  int64_t region = 0;
  for (auto [dim, stride] : several)
    region +=
        part / stride % side.dims[dim].parts * side.dims[dim].regionStride;
  return region;
}

void Factor::addUp(int64_t wordModulus) {
  from.sums.resize(from.ranges.size());
  to.sums.resize(to.ranges.size(), Sums(wordModulus));
  used.resize(from.ranges.size());
  SmallVector<int64_t, 4> usedUpTo(from.ranges.size(), 0);
  size_t first = 0;
  for (size_t toPart = 0; toPart < to.ranges.size(); ++toPart) {
    Range range = to.ranges[toPart];
    if (range.size() == 0)
      continue;
    // Parts of the source are in order and do not overlap.
    while (first < from.ranges.size() && from.ranges[first].end <= range.begin)
      ++first;
    for (size_t fromPart = first; fromPart < from.ranges.size() &&
                                  from.ranges[fromPart].begin < range.end;
         ++fromPart) {
      Range common = range & from.ranges[fromPart];
      int64_t elements = common.size();
      if (elements == 0)
        continue;
      bool full = isFull(fromPart, toPart, elements);
      for (Sums *sums : {&from.sums[fromPart], &to.sums[toPart]}) {
        sums->elements += elements;
        ++(full ? sums->full : sums->notFull);
      }
      if (wordModulus > 1)
        addWords(fromPart, toPart, common, to.sums[toPart]);
      int64_t &upTo = usedUpTo[fromPart];
      used[fromPart] += Range{std::max(common.begin, upTo), common.end}.size();
      upTo = std::max(upTo, common.end);
    }
  }
}

/// Splits a dimension in two where a loop steps over a part of it, if its
/// blocks allow that.
bool Product::splitDims(TileMappingSide &side, int64_t MoveLoop::*step) {
  for (size_t i = 0; i < side.dims.size(); ++i) {
    TileMappingDim &dim = side.dims[i];
    for (const MoveLoop &loop : loops) {
      int64_t inner = loop.*step / dim.stride;
      bool isSplit = dim.parts > 1 || dim.extent < dim.size;
      if (inner <= 1 || inner >= dim.size || loop.*step % dim.stride != 0 ||
          dim.size % inner != 0 ||
          (isSplit && (dim.step % inner != 0 || dim.extent % inner != 0)))
        continue;
      TileMappingDim rest;
      rest.size = rest.step = rest.extent = inner;
      rest.stride = dim.stride;
      dim.size /= inner;
      dim.stride *= inner;
      dim.step = isSplit ? dim.step / inner : dim.size;
      dim.extent = isSplit ? dim.extent / inner : dim.size;
      side.dims.insert(side.dims.begin() + i + 1, rest);
      for (unsigned &stored : side.storage)
        stored += stored > i;
      side.storage.insert(llvm::find(side.storage, i), i + 1);
      return true;
    }
  }
  return false;
}

/// Splits a loop in two where it goes over a whole dimension.
bool Product::splitLoops(ArrayRef<TileMappingDim> dims,
                         int64_t MoveLoop::*step) {
  for (size_t i = 0; i < loops.size(); ++i) {
    MoveLoop &loop = loops[i];
    for (const TileMappingDim &dim : dims) {
      int64_t inner = dim.stride / loop.*step;
      if (inner <= 1 || inner >= loop.size || dim.stride % loop.*step != 0 ||
          loop.size % inner != 0)
        continue;
      MoveLoop rest = {inner, loop.from, loop.to};
      loop = {loop.size / inner, loop.from * inner, loop.to * inner};
      loops.insert(loops.begin() + i + 1, rest);
      return true;
    }
  }
  return false;
}

LogicalResult Product::setUp() {
  if (from.hasOverlaps())
    return failure();
  for (const TileMappingDim &dim : from.dims)
    if ((dim.parts > 1 && dim.extent < dim.step) ||
        dim.parts * dim.extent < dim.size)
      return failure();
  int64_t begin = std::min(from.first, to.first);
  int64_t end = std::max(from.first + from.numTiles, to.first + to.numTiles);
  isOnSeveralIPUs = begin / target.tiles != (end - 1) / target.tiles;
  for (const MoveLoop &loop : loops)
    if (loop.from <= 0 || loop.to <= 0)
      return failure();
  while (splitDims(from, &MoveLoop::from) || splitDims(to, &MoveLoop::to) ||
         splitLoops(from.dims, &MoveLoop::from) ||
         splitLoops(to.dims, &MoveLoop::to))
    if (from.dims.size() + to.dims.size() + loops.size() > 3 * kMaxDims)
      return failure();
  // Where parts are, the dimensions that are taken away tell as well.
  TileMappingSide allFrom = from, allTo = to;
  if (failed(findJoints()) || failed(makeFactors()))
    return failure();
  // Each pair of IPUs looks at all that the parts of several dimensions give
  // each other.
  constexpr int64_t kMaxOverlaps = int64_t(1) << 20, kMaxIPUs = 256;
  if (isOnSeveralIPUs && target.ipus > kMaxIPUs)
    return failure();
  for (const Factor &factor : factors)
    if (isOnSeveralIPUs && static_cast<int64_t>(factor.overlaps.size()) >
                               kMaxOverlaps / (target.ipus * target.ipus))
      return failure();
  from = std::move(allFrom);
  to = std::move(allTo);
  return success();
}

/// The dimension whose elements are `step` apart; -1 if there is none.
static int64_t findDim(const TileMappingSide &side, int64_t step) {
  for (auto [index, dim] : llvm::enumerate(side.dims))
    if (dim.stride == step && dim.size > 1)
      return index;
  return -1;
}

namespace {
/// The dimensions of one side in the order of its storage, innermost first.
/// Those of which each region has one element come last: their order does not
/// matter.
struct StorageWalk {
  StorageWalk(const TileMappingSide &side) : loopOf(side.dims.size(), -1) {
    for (bool isVisible : {true, false})
      for (unsigned dim : side.storage)
        if ((side.dims[dim].extent > 1) == isVisible) {
          order.push_back(dim);
          numVisible += isVisible;
        }
  }
  bool isVisible(unsigned dim) const {
    return llvm::is_contained(ArrayRef(order).take_front(numVisible), dim);
  }

  SmallVector<unsigned, 8> order;
  size_t numVisible = 0, at = 0;
  /// The loop along each dimension, or -1.
  SmallVector<int64_t, 8> loopOf;
};
} // namespace

using Labels = SmallVector<StorageLabel, 8>;

/// The labels of the dimensions of which regions have several elements,
/// innermost first. `isShared` says whether both sides have several elements
/// along a loop.
static Labels getLabels(const TileMappingSide &side, const StorageWalk &walk,
                        ArrayRef<StorageLabel> joints,
                        function_ref<bool(int64_t)> isShared) {
  Labels labels;
  for (unsigned number : side.storage) {
    const TileMappingDim &dim = side.dims[number];
    int64_t loop = walk.loopOf[number];
    if (joints[number].isJoint())
      labels.push_back(joints[number]);
    else if (dim.extent > 1)
      labels.push_back(
          {loop >= 0 && isShared(loop) ? loop : StorageLabel::kUnshared,
           dim.isMixed()});
  }
  return labels;
}

static Labels getSortedLabels(ArrayRef<StorageLabel> labels) {
  Labels sorted(labels);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  return sorted;
}

/// Whether both storages may advance by one element at the same time, in
/// dimensions with labels `from` and `to`. A storage advances in one dimension,
/// and begins again in all dimensions inside it. These dimensions have to be
/// the same ones on both sides, and the regions need equal ends in them.
static bool mayAdvance(ArrayRef<StorageLabel> from, ArrayRef<StorageLabel> to,
                       function_ref<bool(StorageLabel)> hasEqualEnds) {
  for (size_t fromAt = 0; fromAt < from.size(); ++fromAt) {
    if (from[fromAt].isUnshared())
      return false;
    Labels moved = getSortedLabels(from.take_front(fromAt + 1));
    for (size_t toAt = 0; toAt < to.size(); ++toAt) {
      if (to[toAt].value != from[fromAt].value ||
          moved != getSortedLabels(to.take_front(toAt + 1)))
        continue;
      // A joint factor may begin again in some of its dimensions only. Then
      // its ends need not be equal.
      auto mayBegin = [&](StorageLabel label) {
        return llvm::is_contained(from.drop_front(fromAt), label) ||
               llvm::is_contained(to.drop_front(toAt), label) ||
               hasEqualEnds(label);
      };
      if (llvm::all_of(from.take_front(fromAt), mayBegin))
        return true;
    }
  }
  return false;
}

/// Whether a run may continue where the order of the dimensions differs. The
/// labels are those outside of the dimensions that both sides store in the same
/// order.
bool Product::mayRunContinue(ArrayRef<StorageLabel> from,
                             ArrayRef<StorageLabel> to,
                             ArrayRef<size_t> factorOfLoop) const {
  auto hasEqualEnds = [&](StorageLabel label) {
    if (label.isJoint())
      return outerJoints[label.getJointNumber()].hasEqualEnds;
    return llvm::any_of(factors[factorOfLoop[label.value]].to.sums,
                        [](const Sums &sums) { return sums.full > 0; });
  };
  // A region with one element of a mixed dimension does not have its label, so
  // all subsets of the mixed dimensions are tried.
  constexpr int64_t kMaxMixed = 6;
  auto isMixed = [](StorageLabel label) { return label.isMixed; };
  int64_t numMixed =
      llvm::count_if(from, isMixed) + llvm::count_if(to, isMixed);
  if (numMixed > kMaxMixed)
    return true;
  for (int64_t taken = 0; taken < int64_t(1) << numMixed; ++taken) {
    int64_t number = 0;
    auto isTaken = [&](StorageLabel label) {
      return !label.isMixed || (taken >> number++ & 1);
    };
    Labels ofFrom, ofTo;
    llvm::copy_if(from, std::back_inserter(ofFrom), isTaken);
    llvm::copy_if(to, std::back_inserter(ofTo), isTaken);
    if (mayAdvance(ofFrom, ofTo, hasEqualEnds))
      return true;
  }
  return false;
}

/// Pairs loops with dimensions, innermost first.
LogicalResult Product::makeFactors() {
  StorageWalk fromWalk(from), toWalk(to);
  SmallVector<std::pair<unsigned, unsigned>, 8> dimsOfLoop; // from, to
  for (auto [index, loop] : llvm::enumerate(loops)) {
    int64_t fromDim = findDim(from, loop.from), toDim = findDim(to, loop.to);
    if (fromDim < 0 || toDim < 0 || fromWalk.loopOf[fromDim] >= 0 ||
        toWalk.loopOf[toDim] >= 0)
      return failure();
    fromWalk.loopOf[fromDim] = toWalk.loopOf[toDim] = index;
    dimsOfLoop.push_back({fromDim, toDim});
  }
  auto addSide = [&](Parts &parts, const TileMappingSide &side, size_t dim,
                     int64_t size, int64_t address) -> LogicalResult {
    parts.dim = side.dims[dim];
    parts.index = dim;
    int64_t first = address / parts.dim.stride % parts.dim.size;
    parts.fill(size, first);
    return success(first + size <= parts.dim.size);
  };
  SmallVector<bool, 8> isAdded(loops.size(), false);
  SmallVector<size_t, 8> factorOfLoop(loops.size());
  auto addLoop = [&](int64_t index) -> LogicalResult {
    isAdded[index] = true;
    factorOfLoop[index] = factors.size();
    auto [fromDim, toDim] = dimsOfLoop[index];
    Factor &factor = factors.emplace_back();
    factor.size = loops[index].size;
    return success(
        succeeded(addSide(factor.to, to, toDim, factor.size, toFirst)) &&
        succeeded(addSide(factor.from, from, fromDim, factor.size, fromFirst)));
  };
  // Adds dimensions of one side that the other one does not see, up to the next
  // one that both do.
  auto addUnshared = [&](bool isTo) -> LogicalResult {
    StorageWalk &walk = isTo ? toWalk : fromWalk;
    const StorageWalk &other = isTo ? fromWalk : toWalk;
    for (; walk.at < walk.order.size(); ++walk.at) {
      unsigned dim = walk.order[walk.at];
      int64_t loop = walk.loopOf[dim];
      if (loop < 0) {
        Factor &factor = factors.emplace_back();
        (isTo ? factor.from : factor.to).fill(1, 0);
        if (failed(addSide(isTo ? factor.to : factor.from, isTo ? to : from,
                           dim, 1, isTo ? toFirst : fromFirst)))
          return failure();
        continue;
      }
      if (isAdded[loop])
        continue;
      auto [fromDim, toDim] = dimsOfLoop[loop];
      bool isVisible = other.isVisible(isTo ? fromDim : toDim);
      if (walk.at < walk.numVisible && isVisible)
        return success();
      // The order of the other side matters.
      if (walk.at >= walk.numVisible && isVisible)
        continue;
      if (failed(addLoop(loop)))
        return failure();
    }
    return success();
  };
  auto isShared = [&](int64_t loop) {
    auto [fromDim, toDim] = dimsOfLoop[loop];
    return fromWalk.isVisible(fromDim) && toWalk.isVisible(toDim);
  };
  Labels fromLabels = getLabels(from, fromWalk, fromJoints, isShared);
  Labels toLabels = getLabels(to, toWalk, toJoints, isShared);
  // Takes away the innermost labels in the same order.
  size_t numShared = 0;
  while (true) {
    auto isLabel = [](StorageLabel label) { return !label.isUnshared(); };
    auto *fromLabel = llvm::find_if(fromLabels, isLabel);
    auto *toLabel = llvm::find_if(toLabels, isLabel);
    if (fromLabel == fromLabels.end() || toLabel == toLabels.end() ||
        fromLabel->value != toLabel->value || fromLabel->isJoint())
      break;
    fromLabels.erase(fromLabel);
    toLabels.erase(toLabel);
    ++numShared;
  }
  std::optional<size_t> numInOrder;
  while (true) {
    if (failed(addUnshared(true)) || failed(addUnshared(false)))
      return failure();
    if (toWalk.at == toWalk.order.size())
      break;
    int64_t loop = toWalk.loopOf[toWalk.order[toWalk.at++]];
    if (!numInOrder && numShared-- == 0)
      numInOrder = factors.size();
    if (failed(addLoop(loop)))
      return failure();
  }
  for (Factor &factor : factors)
    factor.addUp(wordModulus);
  // Runs end in the innermost factor if it is a joint one.
  if (!innerJoint && mayRunContinue(fromLabels, toLabels, factorOfLoop))
    return failure();
  for (Factor &joint : outerJoints)
    factors.push_back(std::move(joint));
  firstInOrder =
      factors.size() - numInOrder.value_or(factors.size() - outerJoints.size());
  std::reverse(factors.begin(), factors.end());
  for (unsigned dim : from.storage)
    for (size_t i = 0; i < firstInOrder; ++i)
      if (factors[i].from.index == dim)
        outerFactors.push_back(i);
  for (size_t i = 0; i < firstInOrder; ++i)
    if (factors[i].from.index < 0)
      outerFactors.push_back(i);
  if (innerJoint)
    factors.push_back(std::move(*innerJoint));
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

LogicalResult Product::addTileRegions(MoveTraffic &traffic) {
  SmallVector<int64_t, 8> parts(factors.size(), 0);
  while (true) {
    MoveTraffic::Part sum;
    int64_t region = 0, full = 1;
    // No element of the target comes from two tiles: nothing overflows.
    SmallVector<int64_t, 8> outside(factors.size() + 1, 1);
    for (auto [i, factor] : llvm::enumerate(factors)) {
      outside[i + 1] = outside[i] * factor.to.sums[parts[i]].elements.get();
      region += factor.to.getRegion(to, parts[i]);
    }
    sum.elements = outside.back();
    for (size_t i = factors.size();
         sum.elements > 0 && full > 0 && i-- > firstInOrder;) {
      const Parts &taken = factors[i].to;
      const Sums &sums = taken.sums[parts[i]];
      int64_t times = full * outside[i];
      sum.runs += sums.notFull * times;
      full *= sums.full;
    }
    // Runs of dimensions in another order begin anew.
    if (sum.elements > 0)
      sum.runs += full * outside[firstInOrder];
    if (sum.elements > 0 && wordModulus > 1) {
      auto sums =
          llvm::map_to_vector<8>(llvm::enumerate(factors), [&](auto factor) {
            return &factor.value().to.sums[parts[factor.index()]];
          });
      if (failed(addWords(parts, sums, sum)))
        return failure();
    }
    traffic.regions[region] = sum;
    size_t i = factors.size();
    for (; i > 0; --i) {
      if (++parts[i - 1] < factors[i - 1].to.getNumParts())
        break;
      parts[i - 1] = 0;
    }
    if (i == 0)
      return success();
  }
}

void Product::addTiles(MoveTraffic &traffic, SourceTraffic &source) {
  bool hasCopies = to.copies.size() > 1;
  for (int64_t tile = 0; tile < from.numTiles; ++tile) {
    if (!from.isInGrid(tile))
      continue;
    // What is sent: all that some region takes, except what only this tile
    // takes.
    int64_t used = 1;
    Count runs, full = 1;
    SmallVector<int64_t, 8> fromParts;
    SmallVector<Count, 8> outside = {1};
    for (const Factor &factor : factors) {
      int64_t part = factor.from.getPart(from, tile);
      if (part >= factor.from.getNumParts())
        used = 0;
      if (used == 0)
        break;
      used *= factor.used[part];
      outside.push_back(outside.back() * factor.from.sums[part].elements);
      fromParts.push_back(part);
    }
    if (used == 0)
      continue;
    for (size_t i = factors.size(); full.get() > 0 && i-- > firstInOrder;) {
      const Sums &sums = factors[i].from.sums[fromParts[i]];
      runs += full * sums.notFull * outside[i];
      full = full * sums.full;
    }
    runs += full * outside[firstInOrder];
    int64_t number = from.first + tile, inTo = number - to.first;
    MoveTraffic::Part local;
    int64_t kept = 1;
    if (to.isInGrid(inTo)) {
      SmallVector<int64_t, 8> toParts, elements;
      const Overlap *overlap = nullptr;
      local.elements = 1;
      for (auto [i, factor] : llvm::enumerate(factors)) {
        int64_t part = factor.to.getPart(to, inTo);
        if (part >= factor.to.getNumParts()) {
          local.elements = 0;
          break;
        }
        toParts.push_back(part);
        if (!factor.from.several.empty()) {
          auto it = factor.overlaps.find({fromParts[i], part});
          if (it == factor.overlaps.end()) {
            local.elements = 0;
            break;
          }
          elements.push_back(it->second.elements);
          kept *= it->second.alone;
          if (factor.isInnermost)
            overlap = &it->second;
        } else {
          Range range = factor.from.ranges[fromParts[i]];
          elements.push_back((factor.to.ranges[part] & range).size());
          kept *= (factor.to.alone[part] & range).size();
        }
        local.elements *= elements.back();
      }
      if (local.elements > 0 && overlap) {
        int64_t times = local.elements / overlap->elements;
        local.runs = times * overlap->runs;
      } else if (local.elements > 0) {
        int64_t length = 1;
        size_t i = factors.size();
        bool goesOn = true;
        while (goesOn && i-- > firstInOrder) {
          length *= elements[i];
          goesOn = factors[i].isFull(fromParts[i], toParts[i], elements[i]);
        }
        local.runs = local.elements / length;
      }
      if (local.elements > 0) {
        if (wordModulus > 1)
          addWordsOfPair(fromParts, toParts, local);
        traffic.local[inTo] = local;
      }
    }
    if (local.elements == 0 || hasCopies)
      kept = 0;
    else
      runs = std::max<int64_t>(runs.get() - local.runs, 0);
    source.sent[number] += used - kept;
    source.sendRuns[number] += runs;
  }
}

LogicalResult Product::add(MoveTraffic &traffic, SourceTraffic &source) {
  to.getTileRegions(traffic.regionOfTile, traffic.tileOfRegion);
  traffic.copies = to.copies;
  traffic.first = to.first;
  traffic.regions.resize(to.numTileRegions);
  traffic.local.resize(to.numTiles);
  if (failed(addTileRegions(traffic)))
    return failure();
  addTiles(traffic, source);
  if (isOnSeveralIPUs)
    addLinks(traffic);
  return success();
}

LogicalResult exchange::addByProduct(const TargetModel &target,
                                     const MovePart &part, MoveTraffic &traffic,
                                     SourceTraffic &source) {
  if (source.isUnion)
    return failure();
  Product product(target, part);
  if (succeeded(product.setUp()) && succeeded(product.add(traffic, source)))
    return success();
  traffic = MoveTraffic(target.ipus);
  return failure();
}
