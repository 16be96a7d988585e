//===- ExchangeProduct.cpp - A move by products -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each loop of a move runs along one dimension at the source and one at
// the target, what a tile gets from another one is a product of overlaps of
// intervals, and so are the sums over either.
//
// A run goes on from one row to the next while the rows fill both boxes. So it
// covers the innermost dimensions of the storage up to the first that does not
// fill both, or that source and target store in another order, and there is one
// for each element of the dimensions outside that.
//
// Loops that run along several dimensions, as where one side cuts rows and
// columns and the other one all positions as one dimension, are swept alone if
// both sides store these dimensions innermost: the overlaps of their parts are
// factors like others.
//
//===----------------------------------------------------------------------===//

#include "ExchangeCursor.h"
#include "ExchangeDetail.h"

#include <array>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

namespace {
/// Most dimensions after cutting them where the other side does.
constexpr size_t kMaxDims = 12;

/// Iterations [begin, end) of a loop.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  Range operator&(Range other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

/// What a part of one side gets from, or gives to, all parts of the other.
struct Sums {
  /// Elements; parts that fill both boxes, and parts that do not.
  Count elements;
  int64_t full = 0, notFull = 0;
  /// At the target, elements of parts that do not, by their number modulo 4.
  std::array<int64_t, 4> byRest = {0, 0, 0, 0};
};

/// One side of a factor: the iterations of each part of its dimension.
struct Parts {
  TileMappingDim dim;
  int64_t index = -1; // of the dimension, or -1
  SmallVector<Range, 4> ranges, alone;
  SmallVector<Sums, 4> sums;
  /// Where there are several dimensions: each, and how far apart its parts are
  /// in the numbers of parts of all.
  SmallVector<std::pair<unsigned, int64_t>, 4> several;

  void fill(int64_t size, int64_t first);
  int64_t getRegionSize(int64_t part) const {
    return index < 0 ? 1 : dim.getPartSize(part);
  }
  int64_t getNumParts() const { return sums.size(); }
  /// The part that a tile of the grid of `side` has; none if it is not less
  /// than their number.
  int64_t getPart(const TileMappingSide &side, int64_t tile) const;
  /// The number of the part's first box among all of `side`.
  int64_t getRegion(const TileMappingSide &side, int64_t part) const;
};

/// What a part of the source gives to one of the target.
struct Overlap {
  int64_t elements = 0, runs = 0;
  /// Elements of runs that are not whole words, and those that no other part of
  /// the target takes.
  int64_t subword = 0, alone = 0;
};

/// A loop, with the dimensions that it runs along; or a dimension without one.
struct Factor {
  int64_t size = 1;
  Parts from, to;
  /// For each part of the source, the elements that some part takes.
  SmallVector<int64_t, 4> used;
  /// Where there are several dimensions: overlaps of parts that have elements
  /// in common (source, target). None fills both boxes.
  DenseMap<std::pair<int64_t, int64_t>, Overlap> overlaps;

  bool isFull(int64_t fromPart, int64_t toPart, int64_t elements) const {
    return elements == from.getRegionSize(fromPart) &&
           elements == to.getRegionSize(toPart);
  }
  void addUp();
};

class Product {
public:
  Product(const TargetModel &target, const MovePart &part)
      : target(target), from(part.from), to(part.to), loops(part.loops.loops),
        fromFirst(part.loops.from), toFirst(part.loops.to),
        elementBytes(part.elementBytes) {}

  LogicalResult setUp();
  void add(MoveTraffic &traffic, SourceTraffic &source);

private:
  LogicalResult findJoint();
  LogicalResult sweepJoint(ArrayRef<unsigned> fromDims,
                           ArrayRef<unsigned> toDims,
                           ArrayRef<MoveLoop> jointLoops);
  bool splitDims(TileMappingSide &side, int64_t MoveLoop::*step);
  bool splitLoops(ArrayRef<TileMappingDim> dims, int64_t MoveLoop::*step);
  LogicalResult makeFactors();
  void addTileRegions(MoveTraffic &traffic);
  void addTiles(MoveTraffic &traffic, SourceTraffic &source);

  const TargetModel &target;
  TileMappingSide from, to;
  SmallVector<MoveLoop, 4> loops;
  int64_t fromFirst, toFirst, elementBytes;
  /// In the order of the target's storage, outermost first; the source stores
  /// those from `firstInOrder` on in the same order.
  SmallVector<Factor, 0> factors;
  size_t firstInOrder = 0;
  /// The loops that run along several dimensions, innermost of all.
  std::optional<Factor> joint;
};
} // namespace

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Iterations of each part, where iteration 0 is coordinate `first`.
void Parts::fill(int64_t size, int64_t first) {
  if (index < 0) {
    ranges = alone = {{0, size}};
    return;
  }
  for (int64_t part = 0; part < dim.parts; ++part) {
    int64_t begin = part * dim.step - first;
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

void Factor::addUp() {
  from.sums.resize(from.ranges.size());
  to.sums.resize(to.ranges.size());
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
      if (!full)
        to.sums[toPart].byRest[elements % 4] += elements;
      int64_t &upTo = usedUpTo[fromPart];
      used[fromPart] += Range{std::max(common.begin, upTo), common.end}.size();
      upTo = std::max(upTo, common.end);
    }
  }
}

/// Cuts a dimension in two where a loop steps over a part of it, if its blocks
/// allow that.
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
      TileMappingDim rest = {inner, dim.stride, 1, inner, inner};
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

/// Cuts a loop in two where it goes over a whole dimension.
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
  // Links are left to the sweep.
  int64_t begin = std::min(from.first, to.first);
  int64_t end = std::max(from.first + from.numTiles, to.first + to.numTiles);
  if (begin / target.tiles != (end - 1) / target.tiles)
    return failure();
  for (const MoveLoop &loop : loops)
    if (loop.from <= 0 || loop.to <= 0)
      return failure();
  while (splitDims(from, &MoveLoop::from) || splitDims(to, &MoveLoop::to) ||
         splitLoops(from.dims, &MoveLoop::from) ||
         splitLoops(to.dims, &MoveLoop::to))
    if (from.dims.size() + to.dims.size() + loops.size() > 3 * kMaxDims)
      return failure();
  TileMappingSide allFrom = from, allTo = to;
  if (failed(findJoint()) || failed(makeFactors()))
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
/// Those of which each box has one element come last: their order does not
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

/// Whether some box has one element of the dimension, and some has more.
static bool isMixed(const TileMappingDim &dim) {
  return dim.extent > 1 && dim.parts > 1 && dim.getPartSize(dim.parts - 1) == 1;
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
  auto addLoop = [&](int64_t index) -> LogicalResult {
    isAdded[index] = true;
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
      if (walk.at < walk.numVisible && other.isVisible(isTo ? fromDim : toDim))
        return success();
      if (failed(addLoop(loop)))
        return failure();
    }
    return success();
  };
  // The outermost loop of each side that the other one sees.
  auto getOutermost = [&](bool isTo) -> int64_t {
    const StorageWalk &walk = isTo ? toWalk : fromWalk;
    const StorageWalk &other = isTo ? fromWalk : toWalk;
    for (unsigned dim :
         llvm::reverse(ArrayRef(walk.order).take_front(walk.numVisible)))
      if (int64_t loop = walk.loopOf[dim];
          loop >= 0 && other.isVisible(isTo ? dimsOfLoop[loop].first
                                            : dimsOfLoop[loop].second))
        return loop;
    return -1;
  };
  std::optional<size_t> numInOrder;
  while (true) {
    if (failed(addUnshared(true)) || failed(addUnshared(false)))
      return failure();
    if (toWalk.at == toWalk.order.size())
      break;
    int64_t loop = toWalk.loopOf[toWalk.order[toWalk.at++]];
    if (!numInOrder && fromWalk.loopOf[fromWalk.order[fromWalk.at]] != loop)
      numInOrder = factors.size();
    if (failed(addLoop(loop)))
      return failure();
    // Boxes with one element of it would store the rest in the same order.
    const Factor &factor = factors.back();
    if (!joint && numInOrder &&
        (isMixed(factor.from.dim) || isMixed(factor.to.dim)))
      return failure();
  }
  // Where the order changes inside of a loop alone, the end of an iteration of
  // the loop and the beginning of the next one may be one run.
  if (!joint && numInOrder && getOutermost(true) == getOutermost(false))
    return failure();
  if (!numInOrder)
    numInOrder = factors.size();
  std::reverse(factors.begin(), factors.end());
  for (Factor &factor : factors)
    factor.addUp();
  firstInOrder = factors.size() - *numInOrder;
  if (joint)
    factors.push_back(std::move(*joint));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops along several dimensions
//===----------------------------------------------------------------------===//

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

/// The dimensions of `side` that a loop runs along; ends that cannot be reached
/// from any offset are left out.
static SmallVector<unsigned, 4> getDimsOfLoop(const TileMappingSide &side,
                                              int64_t size, int64_t step) {
  SmallVector<unsigned, 4> dims;
  int64_t reach = (size - 1) * step;
  for (auto [index, dim] : llvm::enumerate(side.dims))
    if (dim.size > 1 && step < dim.stride * dim.size && reach >= dim.stride)
      dims.push_back(index);
  return dims;
}

/// Takes loops that run along several dimensions, and what runs along these,
/// away as a factor of its own. Fails if they are not innermost in the storage
/// of both sides.
LogicalResult Product::findJoint() {
  // Loops and dimensions that belong together, from the first loop on that runs
  // along several.
  SmallVector<bool, 8> isJoint(loops.size(), false), isFrom(from.dims.size()),
      isTo(to.dims.size());
  auto mark = [&](ArrayRef<unsigned> dims, MutableArrayRef<bool> marks) {
    for (unsigned dim : dims)
      marks[dim] = true;
  };
  auto touches = [](ArrayRef<unsigned> dims, ArrayRef<bool> marks) {
    return llvm::any_of(dims, [&](unsigned dim) { return marks[dim]; });
  };
  SmallVector<SmallVector<unsigned, 4>, 8> fromOf, toOf;
  for (const MoveLoop &loop : loops) {
    fromOf.push_back(getDimsOfLoop(from, loop.size, loop.from));
    toOf.push_back(getDimsOfLoop(to, loop.size, loop.to));
  }
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (size_t i = 0; i < loops.size(); ++i) {
      if (isJoint[i])
        continue;
      bool sharesDim = false;
      for (size_t other = 0; other < loops.size(); ++other)
        sharesDim |=
            other != i &&
            (llvm::any_of(fromOf[i],
                          [&](unsigned dim) {
                            return llvm::is_contained(fromOf[other], dim);
                          }) ||
             llvm::any_of(toOf[i], [&](unsigned dim) {
               return llvm::is_contained(toOf[other], dim);
             }));
      if (fromOf[i].size() < 2 && toOf[i].size() < 2 && !sharesDim &&
          !touches(fromOf[i], isFrom) && !touches(toOf[i], isTo))
        continue;
      isJoint[i] = isChanged = true;
      mark(fromOf[i], isFrom);
      mark(toOf[i], isTo);
    }
  }
  if (!llvm::is_contained(isJoint, true))
    return success();
  SmallVector<MoveLoop, 4> jointLoops, others;
  for (auto [loop, joins] : llvm::zip_equal(loops, isJoint))
    (joins ? jointLoops : others).push_back(loop);
  // A sweep of all takes no longer.
  if (others.empty())
    return failure();
  auto getDims = [](ArrayRef<bool> marks) {
    SmallVector<unsigned, 4> dims;
    for (size_t dim = 0; dim < marks.size(); ++dim)
      if (marks[dim])
        dims.push_back(dim);
    return dims;
  };
  SmallVector<unsigned, 4> fromDims = getDims(isFrom), toDims = getDims(isTo);
  if (failed(sweepJoint(fromDims, toDims, jointLoops)))
    return failure();
  loops = std::move(others);
  auto takeAway = [](TileMappingSide &side, ArrayRef<unsigned> dims) {
    for (unsigned dim : dims) {
      TileMappingDim &d = side.dims[dim];
      d.makeOne();
      d.parts = 1;
      d.tileStride = d.regionStride = 0;
    }
  };
  takeAway(from, fromDims);
  takeAway(to, toDims);
  return success();
}

/// The part of `side` that has `dims` alone, in which parts of all together are
/// tiles and boxes; fails unless the dimensions follow each other and are
/// stored innermost. `unit` is how far apart their elements are.
static FailureOr<TileMappingSide> getSide(const TileMappingSide &side,
                                          ArrayRef<unsigned> dims,
                                          int64_t &unit, Parts &parts) {
  TileMappingSide result = side;
  result.dims.clear();
  result.storage.clear();
  result.copies = {0};
  result.first = 0;
  if (dims.empty())
    return failure();
  for (unsigned dim = dims.front(); dim <= dims.back(); ++dim)
    if (!llvm::is_contained(dims, dim) && side.dims[dim].size > 1)
      return failure();
  unit = side.dims[dims.back()].stride;
  for (unsigned dim : dims) {
    TileMappingDim &d = result.dims.emplace_back(side.dims[dim]);
    d.stride /= unit;
  }
  bool isOutside = false;
  for (unsigned dim : side.storage) {
    const auto *it = llvm::find(dims, dim);
    if (it != dims.end()) {
      if (isOutside)
        return failure();
      result.storage.push_back(it - dims.begin());
    } else {
      isOutside |= side.dims[dim].extent > 1;
    }
  }
  int64_t number = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    TileMappingDim &d = result.dims[i];
    parts.several.push_back({dims[i], number});
    d.tileStride = d.regionStride = number;
    d.axisExtent = d.parts;
    number *= d.parts;
  }
  parts.sums.resize(number);
  result.numTiles = result.numTileRegions = number;
  return result;
}

LogicalResult Product::sweepJoint(ArrayRef<unsigned> fromDims,
                                  ArrayRef<unsigned> toDims,
                                  ArrayRef<MoveLoop> jointLoops) {
  joint.emplace();
  int64_t fromUnit, toUnit;
  FailureOr<TileMappingSide> fromSide =
      getSide(from, fromDims, fromUnit, joint->from);
  if (failed(fromSide))
    return failure();
  FailureOr<TileMappingSide> toSide = getSide(to, toDims, toUnit, joint->to);
  if (failed(toSide))
    return failure();
  auto getSize = [](const TileMappingSide &side) {
    return side.dims.front().stride * side.dims.front().size;
  };
  SmallVector<MoveLoop, 4> outer;
  int64_t fromAt = fromFirst / fromUnit % getSize(*fromSide);
  int64_t toAt = toFirst / toUnit % getSize(*toSide);
  int64_t fromEnd = fromAt, toEnd = toAt;
  for (const MoveLoop &loop : jointLoops) {
    if (loop.from % fromUnit != 0 || loop.to % toUnit != 0)
      return failure();
    outer.push_back({loop.size, loop.from / fromUnit, loop.to / toUnit});
    fromEnd += (loop.size - 1) * outer.back().from;
    toEnd += (loop.size - 1) * outer.back().to;
  }
  if (fromEnd >= getSize(*fromSide) || toEnd >= getSize(*toSide))
    return failure();
  MoveLoop inner = outer.pop_back_val();

  joint->used.resize(joint->from.getNumParts());
  // The run that each part of the target is at.
  struct Run {
    int64_t from = -1, nextFrom = 0, nextTo = 0, length = 0;
  };
  SmallVector<Run, 0> runs(joint->to.getNumParts());
  auto close = [&](int64_t toPart) {
    Run &run = runs[toPart];
    if (run.from < 0)
      return;
    Overlap &overlap = joint->overlaps[{run.from, toPart}];
    ++overlap.runs;
    if (run.length * elementBytes % 4 != 0)
      overlap.subword += run.length;
    for (Sums *sums : {&joint->from.sums[run.from], &joint->to.sums[toPart]})
      ++sums->notFull;
    joint->to.sums[toPart].byRest[run.length % 4] += run.length;
    run = Run();
  };
  // The index of the last element of a part's box.
  auto getLast = [](const TileMappingSide &side, int64_t part) {
    int64_t size = 1;
    for (const TileMappingDim &dim : side.dims)
      size *= dim.getPartSize(part / dim.tileStride % dim.parts);
    return size - 1;
  };
  // Whether the pair has the first and the last elements of both boxes.
  constexpr int kHasFirst = 1, kHasLast = 2;
  DenseMap<std::pair<int64_t, int64_t>, int> ends;
  bool mayGoOn = false;
  Cursor fromCursor(*fromSide), toCursor(*toSide);
  auto add = [&](const Cursor::BlockPosition &source,
                 const Cursor::BlockPosition &place, int64_t count) {
    Overlap &overlap = joint->overlaps[{source.tile, place.region}];
    overlap.elements += count;
    if (toCursor.isOneRegion())
      overlap.alone += count;
    for (Sums *sums :
         {&joint->from.sums[source.tile], &joint->to.sums[place.region]})
      sums->elements += count;
    int &seen = ends[{source.tile, place.region}];
    int64_t lastFrom = source.index + (count - 1) * source.step;
    int64_t lastTo = place.index + (count - 1) * place.step;
    if (source.index == 0 && place.index == 0)
      seen |= kHasFirst;
    if (lastTo == getLast(*toSide, place.region) &&
        lastFrom == getLast(*fromSide, source.tile))
      seen |= kHasLast;
    mayGoOn |= seen == (kHasFirst | kHasLast);
    bool isOneRun = count == 1 || (source.step == 1 && place.step == 1);
    int64_t pieces = isOneRun ? 1 : count, length = isOneRun ? count : 1;
    for (int64_t i = 0; i < pieces; ++i) {
      int64_t fromIndex = source.index + i * source.step;
      int64_t toIndex = place.index + i * place.step;
      Run &run = runs[place.region];
      if (run.from != source.tile || run.nextFrom != fromIndex ||
          run.nextTo != toIndex) {
        close(place.region);
        run.from = source.tile;
      }
      run.length += length;
      run.nextFrom = fromIndex + length;
      run.nextTo = toIndex + length;
    }
  };
  SmallVector<int64_t, 4> at(outer.size(), 0);
  while (true) {
    fromCursor.start(fromAt, inner.from);
    toCursor.start(toAt, inner.to);
    for (int64_t x = 0; x < inner.size;) {
      fromCursor.seek(x);
      toCursor.seek(x);
      int64_t end =
          std::min({inner.size, fromCursor.getEnd(), toCursor.getEnd()});
      if (fromCursor.isHeld() && toCursor.isHeld()) {
        Cursor::BlockPosition source = fromCursor.getFirstBlockPosition();
        joint->used[source.tile] += end - x;
        toCursor.forEachBlockPosition([&](const Cursor::BlockPosition &place) {
          add(source, place, end - x);
        });
      }
      x = end;
    }
    size_t dim = outer.size();
    for (; dim > 0; --dim) {
      const MoveLoop &loop = outer[dim - 1];
      fromAt += loop.from;
      toAt += loop.to;
      if (++at[dim - 1] < loop.size)
        break;
      fromAt -= loop.size * loop.from;
      toAt -= loop.size * loop.to;
      at[dim - 1] = 0;
    }
    if (dim == 0)
      break;
  }
  for (int64_t part = 0; part < joint->to.getNumParts(); ++part)
    close(part);
  // A run would go on from one iteration of the other loops to the next.
  return success(!mayGoOn);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Elements of a number of runs of each length in `sums`, `inner` times as
/// long, that are not whole words.
static int64_t getSubword(const Sums &sums, int64_t inner,
                          int64_t elementBytes) {
  int64_t subword = 0;
  for (int64_t rest = 0; rest < 4; ++rest)
    if (rest * (inner % 4) * elementBytes % 4 != 0)
      subword += sums.byRest[rest];
  return subword;
}

void Product::addTileRegions(MoveTraffic &traffic) {
  SmallVector<int64_t, 8> parts(factors.size(), 0);
  while (true) {
    MoveTraffic::Part sum;
    int64_t region = 0, full = 1, inner = 1;
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
      sum.subword += getSubword(sums, inner, elementBytes) * inner * times;
      full *= sums.full;
      inner *= taken.getRegionSize(parts[i]);
    }
    if (sum.elements > 0 && full > 0) {
      // Those of dimensions in another order begin anew.
      full *= outside[firstInOrder];
      sum.runs += full;
      if (inner * elementBytes % 4 != 0)
        sum.subword += full * inner;
    }
    traffic.regions[region] = sum;
    size_t i = factors.size();
    for (; i > 0; --i) {
      if (++parts[i - 1] < factors[i - 1].to.getNumParts())
        break;
      parts[i - 1] = 0;
    }
    if (i == 0)
      break;
  }
}

void Product::addTiles(MoveTraffic &traffic, SourceTraffic &source) {
  bool hasCopies = to.copies.size() > 1;
  for (int64_t tile = 0; tile < from.numTiles; ++tile) {
    // What is sent: all that some box takes, except what only this tile takes.
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
    if (inTo >= 0 && inTo < to.numTiles) {
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
          overlap = &it->second;
          elements.push_back(overlap->elements);
          kept *= overlap->alone;
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
        local.subword = times * overlap->subword;
        traffic.local[inTo] = local;
      } else if (local.elements > 0) {
        int64_t length = 1;
        size_t i = factors.size();
        bool goesOn = true;
        while (goesOn && i-- > firstInOrder) {
          length *= elements[i];
          goesOn = factors[i].isFull(fromParts[i], toParts[i], elements[i]);
        }
        local.runs = local.elements / length;
        if (length * elementBytes % 4 != 0)
          local.subword = local.elements;
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

void Product::add(MoveTraffic &traffic, SourceTraffic &source) {
  to.getTileRegions(traffic.regionOfTile, traffic.tileOfRegion);
  traffic.copies = to.copies;
  traffic.first = to.first;
  traffic.regions.resize(to.numTileRegions);
  traffic.local.resize(to.numTiles);
  addTileRegions(traffic);
  addTiles(traffic, source);
}

LogicalResult exchange::addByProduct(const TargetModel &target,
                                     const MovePart &part, MoveTraffic &traffic,
                                     SourceTraffic &source) {
  if (source.isUnion)
    return failure();
  Product product(target, part);
  if (failed(product.setUp()))
    return failure();
  product.add(traffic, source);
  return success();
}
