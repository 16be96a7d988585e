//===- ExchangeJoint.cpp - Loops along several dimensions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One side of a move may split the rows and columns of an image while the other
// side splits all positions as one dimension. A separate sweep covers the loops
// along these dimensions, over parts of the product of these dimensions. The
// data from each part of the source to each part of the target is a factor of
// the move's product.
//
//===----------------------------------------------------------------------===//

#include "ExchangeCursor.h"
#include "ExchangeProduct.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

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
  JointSweep(const JointSide &from, const JointSide &to, int64_t elementBytes,
             Factor &factor)
      : fromSide(from), toSide(to), from(from.side), to(to.side),
        elementBytes(elementBytes), factor(factor),
        runs(factor.to.getNumParts()) {}

  void run(ArrayRef<MoveLoop> loops, int64_t fromFirst, int64_t toFirst);

private:
  /// The run that a part of the target is at; it comes from part `from`.
  struct Run {
    int64_t from = -1, nextFrom = 0, nextTo = 0, length = 0;
  };

  void add(int64_t count, const Cursor::BlockPosition &source,
           const Cursor::BlockPosition &place);
  void addToRun(int64_t count, int64_t fromPart, int64_t fromIndex,
                int64_t toPart, int64_t toIndex);
  void close(int64_t toPart);

  const JointSide &fromSide, &toSide;
  Cursor from, to;
  int64_t elementBytes;
  Factor &factor;
  SmallVector<Run, 0> runs;
};
} // namespace

void JointSweep::close(int64_t toPart) {
  Run &run = runs[toPart];
  if (run.from < 0)
    return;
  Overlap &overlap = factor.overlaps[{run.from, toPart}];
  ++overlap.runs;
  if (run.length * elementBytes % 4 != 0)
    overlap.subword += run.length;
  ++factor.from.sums[run.from].notFull;
  ++factor.to.sums[toPart].notFull;
  factor.to.sums[toPart].byRest[run.length % 4] += run.length;
  run = Run();
}

void JointSweep::addToRun(int64_t count, int64_t fromPart, int64_t fromIndex,
                          int64_t toPart, int64_t toIndex) {
  Run &run = runs[toPart];
  if (run.from != fromPart || run.nextFrom != fromIndex ||
      run.nextTo != toIndex) {
    close(toPart);
    run.from = fromPart;
  }
  run.length += count;
  run.nextFrom = fromIndex + count;
  run.nextTo = toIndex + count;
}

/// Adds `count` elements that part `source` gives to part `place`.
void JointSweep::add(int64_t count, const Cursor::BlockPosition &source,
                     const Cursor::BlockPosition &place) {
  int64_t fromPart = source.tile, toPart = place.region;
  Overlap &overlap = factor.overlaps[{fromPart, toPart}];
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
    return addToRun(count, fromPart, source.index, toPart, place.index);
  for (int64_t i = 0; i < count; ++i)
    addToRun(1, fromPart, source.index + i * source.step, toPart,
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
    close(part);
}

//===----------------------------------------------------------------------===//
// Finding loops
//===----------------------------------------------------------------------===//

/// Fails unless the dimensions follow each other and are stored innermost.
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
    if (isOutside)
      return failure();
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

FailureOr<Factor> Product::sweepJoint(ArrayRef<unsigned> fromDims,
                                      ArrayRef<unsigned> toDims,
                                      ArrayRef<MoveLoop> jointLoops) const {
  Factor factor;
  FailureOr<JointSide> fromSide = getJointSide(from, fromDims, factor.from);
  FailureOr<JointSide> toSide = getJointSide(to, toDims, factor.to);
  if (failed(fromSide) || failed(toSide))
    return failure();
  SmallVector<MoveLoop, 4> own;
  int64_t fromAt = fromFirst / fromSide->unit % fromSide->getNumElements();
  int64_t toAt = toFirst / toSide->unit % toSide->getNumElements();
  int64_t fromEnd = fromAt, toEnd = toAt;
  for (const MoveLoop &loop : jointLoops) {
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
  factor.used.resize(factor.from.getNumParts());
  JointSweep(*fromSide, *toSide, elementBytes, factor).run(own, fromAt, toAt);
  for (const auto &[parts, overlap] : factor.overlaps)
    if (overlap.hasFirst && overlap.hasLast)
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

LogicalResult Product::findJoint() {
  SmallVector<SmallVector<unsigned, 4>, 8> fromOf, toOf;
  SmallVector<unsigned, 8> numFrom(from.dims.size(), 0),
      numTo(to.dims.size(), 0);
  for (const MoveLoop &loop : loops) {
    for (unsigned dim :
         fromOf.emplace_back(getDimsOfLoop(from, loop.size, loop.from)))
      ++numFrom[dim];
    for (unsigned dim :
         toOf.emplace_back(getDimsOfLoop(to, loop.size, loop.to)))
      ++numTo[dim];
  }
  // A loop along one dimension that no other loop runs along is a factor.
  auto isAlone = [](ArrayRef<unsigned> dims, ArrayRef<unsigned> numLoops) {
    return dims.size() < 2 &&
           llvm::all_of(dims, [&](unsigned dim) { return numLoops[dim] < 2; });
  };
  SmallVector<MoveLoop, 4> jointLoops, others;
  SmallVector<unsigned, 4> fromDims, toDims;
  for (auto [index, loop] : llvm::enumerate(loops)) {
    if (isAlone(fromOf[index], numFrom) && isAlone(toOf[index], numTo)) {
      others.push_back(loop);
      continue;
    }
    jointLoops.push_back(loop);
    llvm::append_range(fromDims, fromOf[index]);
    llvm::append_range(toDims, toOf[index]);
  }
  if (jointLoops.empty())
    return success();
  // A sweep of all takes no longer.
  if (others.empty())
    return failure();
  for (SmallVector<unsigned, 4> *dims : {&fromDims, &toDims}) {
    llvm::sort(*dims);
    dims->erase(llvm::unique(*dims), dims->end());
  }
  FailureOr<Factor> factor = sweepJoint(fromDims, toDims, jointLoops);
  if (failed(factor))
    return failure();
  joint = std::move(*factor);
  loops = std::move(others);
  takeAway(from, fromDims);
  takeAway(to, toDims);
  return success();
}
