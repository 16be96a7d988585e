//===- ExchangeTileMappings.cpp - Maps and views of a move ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

TileMappingSide::TileMappingSide(TileMappingAttr mapping)
    : first(mapping.getFirst()), numTiles(mapping.getNumTiles()),
      axes(mapping.getGridAxes()), numIPUs(mapping.getNumIPUs()),
      ipuTiles(mapping.isNested() ? mapping.getIpuTiles() : numTiles),
      gridTilesPerIPU(mapping.getGridTilesPerIPU()) {
  ArrayRef<int64_t> grid = mapping.getGrid();
  // How far apart regions are along each axis; 0 along axes that copy.
  SmallVector<int64_t> regionStrides(grid.size(), 0);
  for (const TileMappingBlock &block : mapping.getBlocks())
    if (!block.isAll())
      regionStrides[block.axis] = 1;
  for (size_t axis = grid.size(); axis-- > 0;) {
    if (regionStrides[axis] == 0)
      continue;
    regionStrides[axis] = numTileRegions;
    numTileRegions *= grid[axis];
  }
  for (size_t axis = 0; axis < grid.size(); ++axis) {
    if (regionStrides[axis] != 0)
      continue;
    SmallVector<int64_t> all;
    for (int64_t copy : copies)
      for (int64_t p = 0; p < grid[axis]; ++p)
        all.push_back(copy + axes[axis].getOffset(p));
    copies = std::move(all);
  }
  llvm::sort(copies);
  // Groups are dimensions of their own, and what needs no dimension of its own
  // joins the one before it.
  TileMappingAttr canonical = mapping.getCanonical();
  for (auto [size, block] :
       llvm::zip_equal(canonical.getDomain(), canonical.getBlocks())) {
    TileMappingDim &dim = dims.emplace_back();
    dim.size = dim.step = dim.extent = size;
    if (block.isAll())
      continue;
    dim.axis = axes[block.axis];
    dim.axisIndex = block.axis;
    // Stop where nothing changes, so that nothing overflows.
    dim.step = std::min(block.step, std::max<int64_t>(size, 1));
    dim.extent = std::min(block.extent, std::max<int64_t>(size, 1));
    dim.parts = std::clamp<int64_t>(llvm::divideCeil(size, dim.step), 1,
                                    dim.axis.getSize());
    dim.regionStride = regionStrides[block.axis];
  }
  int64_t stride = 1;
  for (TileMappingDim &dim : llvm::reverse(dims)) {
    dim.stride = stride;
    stride *= dim.size;
  }
  for (const StorageDim &dim : canonical.getStorageDims())
    storage.insert(storage.begin(), dim.dim);
}

int64_t TileMappingSide::getStorageStep(int64_t step) const {
  int64_t stride = 1;
  for (unsigned index : storage) {
    const TileMappingDim &dim = dims[index];
    if (dim.size > 1 && step >= dim.stride && step < dim.stride * dim.size)
      return step / dim.stride * stride;
    stride *= dim.size;
  }
  return step == 0 ? 0 : stride;
}

void TileMappingSide::getTileRegions(
    SmallVectorImpl<int32_t> &regionOfTile,
    SmallVectorImpl<int32_t> &tileOfRegion) const {
  // Neighbours along an axis, on one IPU or on the next, are found by adding.
  struct Digit {
    int64_t extent, tileStride, regionStride;
  };
  SmallVector<Digit, 8> digits;
  for (const TileMappingDim &dim : dims) {
    const GridAxis &axis = dim.axis;
    if (axis.ipus > 1)
      digits.push_back(
          {axis.ipus, axis.ipuStride, axis.extent * dim.regionStride});
    if (axis.extent > 1)
      digits.push_back({axis.extent, axis.stride, dim.regionStride});
  }
  regionOfTile.assign(numTiles, -1);
  tileOfRegion.assign(numTileRegions, 0);
  int64_t region = 0;
  SmallVector<int64_t> at(digits.size(), 0);
  // Every region has a first tile; its copies follow from it.
  int64_t tile = 0;
  for (int64_t i = 0; i < numTileRegions; ++i) {
    tileOfRegion[region] = tile;
    for (int64_t copy : copies)
      regionOfTile[tile + copy] = region;
    for (size_t i = digits.size(); i-- > 0;) {
      tile += digits[i].tileStride;
      region += digits[i].regionStride;
      if (++at[i] < digits[i].extent)
        break;
      tile -= at[i] * digits[i].tileStride;
      region -= at[i] * digits[i].regionStride;
      at[i] = 0;
    }
  }
}

MoveLoops::MoveLoops(const ExchangeMove &move)
    : from(move.from.offset), to(move.to.offset) {
  SmallVector<MoveLoop, 4> dims;
  for (auto [size, fromStride, toStride] :
       llvm::zip_equal(move.to.sizes, move.from.strides, move.to.strides)) {
    isEmpty |= size == 0;
    if (size <= 1)
      continue;
    MoveLoop dim = {size, fromStride, toStride};
    // Ascending at the target.
    if (dim.to < 0) {
      from += (size - 1) * dim.from;
      to += (size - 1) * dim.to;
      dim.from = -dim.from;
      dim.to = -dim.to;
    }
    dims.push_back(dim);
  }
  if (isEmpty)
    return;
  llvm::sort(dims, [](const MoveLoop &a, const MoveLoop &b) {
    return std::make_tuple(-a.to, -a.from, a.size) <
           std::make_tuple(-b.to, -b.from, b.size);
  });
  for (const MoveLoop &dim : dims) {
    if (!loops.empty()) {
      MoveLoop &last = loops.back();
      if (last.from == dim.from * dim.size && last.to == dim.to * dim.size) {
        last = {last.size * dim.size, dim.from, dim.to};
        continue;
      }
    }
    loops.push_back(dim);
  }
}

int64_t MoveLoops::getNumElements() const {
  int64_t elements = isEmpty ? 0 : 1;
  for (const MoveLoop &loop : loops)
    elements *= loop.size;
  return elements;
}

/// Splits `part` in two or three where one of its loops leaves a dimension of
/// `side`, and loops that go over whole dimensions in two loops. False if
/// nothing is left to split.
static bool cutPart(const MoveLoops &part, const TileMappingSide &side,
                    int64_t MoveLoops::*offset, int64_t MoveLoop::*step,
                    SmallVectorImpl<MoveLoops> &parts) {
  for (size_t index = 0; index < part.loops.size(); ++index) {
    const MoveLoop &loop = part.loops[index];
    int64_t reach = std::abs(loop.*step);
    for (const TileMappingDim &dim : side.dims) {
      // The innermost dimension that the loop moves along.
      if (reach == 0 || reach % dim.stride != 0 ||
          reach >= dim.stride * dim.size)
        continue;
      int64_t by = reach / dim.stride;
      int64_t at = part.*offset / dim.stride % dim.size;
      if (loop.*step < 0)
        at = dim.size - 1 - at;
      // Iterations until the dimension ends, and in all of it.
      int64_t left = llvm::divideCeil(dim.size - at, by), all = dim.size / by;
      if (loop.size <= left)
        break;
      // Where it does not go on at the start of the next row, no loops say what
      // it visits.
      if ((dim.size - at) % by != 0 || dim.size % by != 0)
        break;
      auto addLoops = [&](int64_t begin, int64_t size) {
        if (size == 0)
          return;
        MoveLoops &piece = parts.emplace_back(part);
        piece.from += begin * loop.from;
        piece.to += begin * loop.to;
        piece.loops[index].size = size;
        if (size <= all)
          return;
        piece.loops[index] = {size / all, loop.from * all, loop.to * all};
        piece.loops.insert(piece.loops.begin() + index + 1,
                           {all, loop.from, loop.to});
      };
      int64_t head = left == all ? 0 : left;
      int64_t rows = (loop.size - head) / all * all;
      addLoops(0, head);
      addLoops(head, rows);
      addLoops(head + rows, loop.size - head - rows);
      return true;
    }
  }
  return false;
}

SmallVector<MoveLoops, 1> exchange::getMoveParts(const ExchangeMove &move) {
  SmallVector<MoveLoops, 1> done;
  MoveLoops whole(move);
  bool hasLayout = move.fromMapping.getLayout() || move.toMapping.getLayout();
  if (whole.isEmpty || !hasLayout) {
    done.push_back(std::move(whole));
    return done;
  }
  TileMappingSide from(move.fromMapping), to(move.toMapping);
  SmallVector<MoveLoops, 4> parts = {std::move(whole)};
  while (!parts.empty()) {
    MoveLoops part = parts.pop_back_val();
    if (cutPart(part, to, &MoveLoops::to, &MoveLoop::to, parts) ||
        cutPart(part, from, &MoveLoops::from, &MoveLoop::from, parts))
      continue;
    auto getKey = [&](const MoveLoop &loop) {
      return std::make_tuple(-to.getStorageStep(loop.to), -loop.to, -loop.from,
                             loop.size);
    };
    llvm::sort(part.loops, [&](const MoveLoop &a, const MoveLoop &b) {
      return getKey(a) < getKey(b);
    });
    llvm::erase_if(part.loops,
                   [](const MoveLoop &loop) { return loop.size == 1; });
    done.push_back(std::move(part));
  }
  return done;
}

/// Whether loop `index` goes over all of the dimension that `side` stores
/// innermost, which no axis splits, and no other loop moves along that. `dim`
/// is the dimension.
static bool isInnermost(const TileMappingSide &side, const MoveLoops &loops,
                        size_t index, int64_t MoveLoops::*offset,
                        int64_t MoveLoop::*step, unsigned &dim) {
  const auto *it = llvm::find_if(side.storage, [&](unsigned candidate) {
    return side.dims[candidate].size > 1;
  });
  if (it == side.storage.end())
    return false;
  dim = *it;
  const TileMappingDim &d = side.dims[dim];
  if (d.parts > 1 || d.extent < d.size ||
      loops.loops[index].*step != d.stride ||
      loops.loops[index].size != d.size ||
      loops.*offset / d.stride % d.size != 0)
    return false;
  // Smaller steps must not reach the dimension, larger ones must pass it.
  int64_t reach = loops.*offset % d.stride;
  for (auto [other, loop] : llvm::enumerate(loops.loops)) {
    if (other == index || loop.*step == 0 ||
        loop.*step % (d.stride * d.size) == 0)
      continue;
    if (loop.*step < 0)
      return false;
    reach += (loop.size - 1) * (loop.*step);
  }
  return reach < d.stride;
}

void MovePart::joinElements() {
  for (size_t index = loops.loops.size(); index-- > 0;) {
    unsigned fromDim, toDim;
    if (!isInnermost(from, loops, index, &MoveLoops::from, &MoveLoop::from,
                     fromDim) ||
        !isInnermost(to, loops, index, &MoveLoops::to, &MoveLoop::to, toDim))
      continue;
    int64_t size = loops.loops[index].size;
    from.dims[fromDim].makeOne();
    to.dims[toDim].makeOne();
    elementBytes *= size;
    joined *= size;
    loops.loops.erase(loops.loops.begin() + index);
    // The next dimension of the storage may be another loop's.
    index = loops.loops.size();
  }
}

void MoveTraffic::multiply(int64_t times) {
  for (SmallVector<Part, 0> *parts : {&regions, &local})
    for (Part &part : *parts) {
      part.elements *= times;
      part.packed *= times;
    }
  for (int64_t &elements : heldInPair)
    elements *= times;
  for (SmallVector<Count> *links : {&linkIn, &linkOut})
    for (Count &count : *links)
      count = count * times;
  for (Count &count : llvm::make_second_range(links))
    count = count * times;
}

void SourceTraffic::add(const SourceTraffic &other, int64_t times) {
  for (size_t tile = 0; tile < sent.size(); ++tile) {
    sent[tile] += other.sent[tile] * times;
    sendRuns[tile] += other.sendRuns[tile];
  }
}

bool MoveLoops::readsOnce() const {
  SmallVector<std::pair<int64_t, int64_t>> steps; // step, size
  for (const MoveLoop &loop : loops)
    steps.emplace_back(std::abs(loop.from), loop.size);
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [step, size] : steps) {
    if (step <= reach)
      return false;
    reach += step * (size - 1);
  }
  return true;
}

void SourceTraffic::makeUnion(int64_t numElements) {
  isUnion = true;
  constexpr int64_t kMaxBits = int64_t(1) << 26;
  if (numElements <= kMaxBits)
    seen.resize(numElements);
}

void SourceTraffic::add(int64_t tile, int64_t begin, int64_t step,
                        int64_t count) {
  if (!isUnion) {
    sent[tile] += count;
    return;
  }
  auto number = static_cast<int32_t>(tile);
  if (std::abs(step) <= 1) {
    int64_t last = begin + (count - 1) * step;
    intervals.push_back(
        {std::min(begin, last), std::max(begin, last) + 1, number});
    return;
  }
  for (int64_t i = 0; i < count; ++i, begin += step) {
    if (seen.empty()) {
      intervals.push_back({begin, begin + 1, number});
      continue;
    }
    sent[tile] += !seen[begin];
    seen.set(begin);
  }
}

void SourceTraffic::finish() {
  llvm::sort(intervals, [](const Interval &a, const Interval &b) {
    return a.begin < b.begin;
  });
  int64_t end = 0;
  for (const Interval &interval : intervals) {
    int64_t begin = std::max(end, interval.begin);
    int64_t count = std::max<int64_t>(interval.end - begin, 0);
    for (int64_t i = begin; !seen.empty() && i < interval.end; ++i)
      count -= seen[i];
    sent[interval.tile] += count;
    end = std::max(end, interval.end);
  }
  intervals.clear();
}
