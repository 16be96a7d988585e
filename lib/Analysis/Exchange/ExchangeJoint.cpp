//===- ExchangeJoint.cpp - Loops along several dimensions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One side of a move may split the rows and columns of an image while the other
// side splits all positions as one dimension, or store channels in groups of
// another size. A separate sweep covers the loops along these dimensions, over
// parts of the product of these dimensions. The data from each part of the
// source to each part of the target is a factor of the move's product.
//
//===----------------------------------------------------------------------===//

#include "ExchangeCursor.h"
#include "ExchangeProduct.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// Pieces that the sweep of an outer factor visits at most, in about 20
/// milliseconds: a bound of the whole move is faster.
static constexpr int64_t kMaxPieces = int64_t(1) << 18;

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of a side that the loops run along, without the others. The
/// tiles and the regions are the parts of all of them together.
struct JointSide {
  TileMappingSide side;
  /// How far apart their elements are on the whole side.
  int64_t unit;
  bool isInnermost = true;

  int64_t getNumElements() const {
    return side.dims.front().stride * side.dims.front().size;
  }
  /// The index of the last element of the region of a part.
  int64_t getLast(int64_t part) const {
    int64_t size = 1;
    for (const TileMappingDim &dim : side.dims)
      size *= dim.getPartSize(dim.getPart(part));
    return size - 1;
  }
};

class JointSweep {
public:
  JointSweep(const JointSide &from, const JointSide &to, int64_t wordModulus,
             Factor &factor)
      : fromSide(from), toSide(to), from(from.side), to(to.side),
        wordModulus(wordModulus), factor(factor),
        parts(factor.to.getNumParts(), TargetPart(wordModulus)) {
    for (Sums &sums : factor.to.sums)
      sums = Sums(wordModulus);
  }

  void run(ArrayRef<MoveLoop> loops, int64_t fromFirst, int64_t toFirst);

private:
  /// For a part of the target: the part of the source that it got elements from
  /// last, their overlap since it changed, and the run that it is at.
  struct TargetPart {
    explicit TargetPart(int64_t wordModulus) {
      overlap.words = WordCounts(wordModulus);
    }

    int64_t from = -1;
    Overlap overlap;
    int64_t nextFrom = 0, nextTo = 0, length = 0;
  };

  void add(int64_t count, const Cursor::BlockPosition &source,
           const Cursor::BlockPosition &place);
  void addToRun(int64_t count, int64_t fromIndex, int64_t toPart,
                int64_t toIndex);
  void closeRun(int64_t toPart);
  void closeOverlap(int64_t toPart);

  const JointSide &fromSide, &toSide;
  Cursor from, to;
  int64_t wordModulus;
  Factor &factor;
  SmallVector<TargetPart, 0> parts;
};
} // namespace

void JointSweep::closeRun(int64_t toPart) {
  TargetPart &part = parts[toPart];
  if (part.length == 0)
    return;
  ++part.overlap.runs;
  ++factor.from.sums[part.from].notFull;
  ++factor.to.sums[toPart].notFull;
  if (wordModulus > 1) {
    int64_t fromSize = fromSide.getLast(part.from) + 1;
    int64_t from = part.nextFrom - part.length, to = part.nextTo - part.length;
    part.overlap.words.addRun(fromSize, from, to, part.length);
    factor.to.sums[toPart].words.addRun(fromSize, from, to, part.length);
  }
  part.length = 0;
}

void JointSweep::closeOverlap(int64_t toPart) {
  closeRun(toPart);
  TargetPart &part = parts[toPart];
  if (part.from >= 0)
    factor.overlaps[{part.from, toPart}].add(part.overlap);
  part = TargetPart(wordModulus);
}

void JointSweep::addToRun(int64_t count, int64_t fromIndex, int64_t toPart,
                          int64_t toIndex) {
  TargetPart &part = parts[toPart];
  if (part.nextFrom != fromIndex || part.nextTo != toIndex)
    closeRun(toPart);
  part.length += count;
  part.nextFrom = fromIndex + count;
  part.nextTo = toIndex + count;
}

/// Adds `count` elements that part `source` gives to part `place`.
void JointSweep::add(int64_t count, const Cursor::BlockPosition &source,
                     const Cursor::BlockPosition &place) {
  int64_t fromPart = source.tile, toPart = place.region;
  if (parts[toPart].from != fromPart) {
    closeOverlap(toPart);
    parts[toPart].from = fromPart;
  }
  Overlap &overlap = parts[toPart].overlap;
  overlap.elements += count;
  if (to.isOneRegion())
    overlap.alone += count;
  factor.from.sums[fromPart].elements += count;
  factor.to.sums[toPart].elements += count;
  int64_t lastFrom = source.index + (count - 1) * source.step;
  int64_t lastTo = place.index + (count - 1) * place.step;
  overlap.hasFirst |= source.index == 0 && place.index == 0;
  overlap.hasLast |= lastFrom == fromSide.getLast(fromPart) &&
                     lastTo == toSide.getLast(toPart);
  if (source.step == 1 && place.step == 1)
    return addToRun(count, source.index, toPart, place.index);
  for (int64_t i = 0; i < count; ++i)
    addToRun(1, source.index + i * source.step, toPart,
             place.index + i * place.step);
}

void JointSweep::run(ArrayRef<MoveLoop> loops, int64_t fromFirst,
                     int64_t toFirst) {
  forEachPiece(loops, fromFirst, toFirst, from, to,
               [&](int64_t count, int64_t, int64_t) {
                 Cursor::BlockPosition source = from.getFirstBlockPosition();
                 factor.used[source.tile] += count;
                 to.forEachBlockPosition(
                     [&](const Cursor::BlockPosition &place) {
                       add(count, source, place);
                     });
               });
  for (int64_t part = 0; part < factor.to.getNumParts(); ++part)
    closeOverlap(part);
}

//===----------------------------------------------------------------------===//
// Finding loops
//===----------------------------------------------------------------------===//

/// Fails unless the dimensions follow each other.
static FailureOr<JointSide> getJointSide(const TileMappingSide &side,
                                         ArrayRef<unsigned> dims,
                                         Parts &parts) {
  if (dims.empty())
    return failure();
  for (unsigned dim = dims.front(); dim <= dims.back(); ++dim)
    if (!llvm::is_contained(dims, dim) && side.dims[dim].size > 1)
      return failure();
  JointSide joint{side, side.dims[dims.back()].stride};
  TileMappingSide &result = joint.side;
  result.dims.clear();
  result.storage.clear();
  result.copies = {0};
  result.first = 0;
  for (unsigned dim : dims)
    result.dims.emplace_back(side.dims[dim]).stride /= joint.unit;
  bool isOutside = false;
  for (unsigned dim : side.storage) {
    const auto *it = llvm::find(dims, dim);
    if (it == dims.end()) {
      isOutside |= side.dims[dim].extent > 1;
      continue;
    }
    joint.isInnermost &= !isOutside || side.dims[dim].extent == 1;
    result.storage.push_back(it - dims.begin());
  }
  int64_t number = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    TileMappingDim &dim = result.dims[i];
    parts.several.push_back({dims[i], number});
    dim.axis = GridAxis{dim.parts, number};
    dim.regionStride = number;
    number *= dim.parts;
  }
  parts.sums.resize(number);
  result.numTiles = result.numTileRegions = number;
  return joint;
}

FailureOr<Factor> Product::sweepJoint(const JointLoops &joint) const {
  Factor factor;
  FailureOr<JointSide> fromSide =
      getJointSide(from, joint.fromDims, factor.from);
  FailureOr<JointSide> toSide = getJointSide(to, joint.toDims, factor.to);
  if (failed(fromSide) || failed(toSide))
    return failure();
  for (auto [side, parts] :
       {std::pair(&*fromSide, &factor.from), std::pair(&*toSide, &factor.to)})
    for (int64_t part = 0; part < parts->getNumParts(); ++part)
      parts->sizesOfSeveral.push_back(side->getLast(part) + 1);
  SmallVector<MoveLoop, 4> own;
  int64_t fromAt = fromFirst / fromSide->unit % fromSide->getNumElements();
  int64_t toAt = toFirst / toSide->unit % toSide->getNumElements();
  int64_t fromEnd = fromAt, toEnd = toAt;
  for (unsigned number : joint.loops) {
    const MoveLoop &loop = loops[number];
    if (loop.from % fromSide->unit != 0 || loop.to % toSide->unit != 0)
      return failure();
    own.push_back(
        {loop.size, loop.from / fromSide->unit, loop.to / toSide->unit});
    fromEnd += (loop.size - 1) * own.back().from;
    toEnd += (loop.size - 1) * own.back().to;
  }
  if (fromEnd >= fromSide->getNumElements() ||
      toEnd >= toSide->getNumElements())
    return failure();
  factor.isInnermost = fromSide->isInnermost && toSide->isInnermost;
  if (!factor.isInnermost &&
      countPieces(fromSide->side, toSide->side, own).get() > kMaxPieces)
    return failure();
  factor.used.resize(factor.from.getNumParts());
  JointSweep(*fromSide, *toSide, wordModulus, factor).run(own, fromAt, toAt);
  factor.hasEqualEnds = llvm::any_of(factor.overlaps, [](const auto &entry) {
    return entry.second.hasFirst && entry.second.hasLast;
  });
  if (factor.isInnermost && factor.hasEqualEnds)
    return failure();
  return factor;
}

/// The dimensions of `side` that a loop runs along, if no offset takes it
/// further.
static SmallVector<unsigned, 4> getDimsOfLoop(const TileMappingSide &side,
                                              int64_t size, int64_t step) {
  SmallVector<unsigned, 4> dims;
  int64_t reach = (size - 1) * step;
  for (auto [index, dim] : llvm::enumerate(side.dims))
    if (dim.size > 1 && step < dim.stride * dim.size && reach >= dim.stride)
      dims.push_back(index);
  return dims;
}

/// Makes `dims` dimensions of one element.
static void takeAway(TileMappingSide &side, ArrayRef<unsigned> dims) {
  for (unsigned dim : dims) {
    TileMappingDim &d = side.dims[dim];
    d.makeOne();
    d.parts = 1;
    d.axis = GridAxis();
    d.axisIndex = -1;
    d.regionStride = 0;
  }
}

/// Adds `more` to the sorted list `numbers`; returns whether some are in both.
static bool addSorted(SmallVectorImpl<unsigned> &numbers,
                      ArrayRef<unsigned> more) {
  size_t size = numbers.size() + more.size();
  llvm::append_range(numbers, more);
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  return numbers.size() < size;
}

LogicalResult Product::findJoints() {
  // A loop joins all sets that share a dimension with it.
  SmallVector<JointLoops, 4> sets;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    JointLoops own{{static_cast<unsigned>(number)},
                   getDimsOfLoop(from, loop.size, loop.from),
                   getDimsOfLoop(to, loop.size, loop.to)};
    llvm::erase_if(sets, [&](const JointLoops &set) {
      JointLoops both = own;
      bool sharesFrom = addSorted(both.fromDims, set.fromDims);
      bool sharesTo = addSorted(both.toDims, set.toDims);
      addSorted(both.loops, set.loops);
      if (sharesFrom || sharesTo)
        own = std::move(both);
      return sharesFrom || sharesTo;
    });
    sets.push_back(std::move(own));
  }
  // A loop along one dimension that no other loop runs along is a factor.
  auto isAlone = [](const JointLoops &set) {
    return set.loops.size() == 1 && set.fromDims.size() < 2 &&
           set.toDims.size() < 2;
  };
  // A sweep of all takes no longer.
  if (sets.size() == 1 && !isAlone(sets.front()))
    return failure();
  fromJoints.resize(from.dims.size());
  toJoints.resize(to.dims.size());
  SmallVector<MoveLoop, 4> others;
  SmallVector<JointLoops, 4> joints;
  for (JointLoops &set : sets) {
    if (isAlone(set)) {
      others.push_back(loops[set.loops.front()]);
      continue;
    }
    FailureOr<Factor> joint = sweepJoint(set);
    if (failed(joint))
      return failure();
    if (joint->isInnermost && !innerJoint) {
      innerJoint = std::move(*joint);
    } else {
      joint->isInnermost = false;
      auto addLabels = [&](const TileMappingSide &side, ArrayRef<unsigned> dims,
                           MutableArrayRef<StorageLabel> labels) {
        for (unsigned dim : dims)
          if (side.dims[dim].extent > 1)
            labels[dim] = StorageLabel::getJoint(outerJoints.size(),
                                                 side.dims[dim].isMixed());
      };
      addLabels(from, set.fromDims, fromJoints);
      addLabels(to, set.toDims, toJoints);
      outerJoints.push_back(std::move(*joint));
    }
    joints.push_back(std::move(set));
  }
  loops = std::move(others);
  for (const JointLoops &joint : joints) {
    takeAway(from, joint.fromDims);
    takeAway(to, joint.toDims);
  }
  return success();
}
