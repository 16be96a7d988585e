//===- TileCounts.cpp - Counts for all tiles --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"

using namespace mlir;
using namespace mlir::ipu;

void TileCounts::add(int64_t begin, int64_t count, int64_t value) {
  assert(begin >= 0 && begin + count <= numTiles && "no such tiles");
  if (count > 0 && value != 0)
    pending.push_back({begin, begin + count, value});
}

void TileCounts::add(const TileCounts &other) {
  assert(other.numTiles == numTiles && "expects as many tiles");
  ArrayRef<TileRun> added = other.getRuns();
  // Otherwise a pass over all runs would take longer than the addition.
  constexpr size_t kMaxRatio = 4;
  if (pending.empty() && added.size() >= runs.size() / kMaxRatio) {
    *this = combine({this, &other}, [](ArrayRef<int64_t> values) {
      return (Count(values[0]) + values[1]).get();
    });
    return;
  }
  for (const TileRun &run : added)
    add(run.begin, run.end - run.begin, run.value);
}

static void append(SmallVectorImpl<TileRun> &runs, TileRun run) {
  if (!runs.empty() && runs.back().value == run.value)
    runs.back().end = run.end;
  else
    runs.emplace_back(run); // push_back would be a call
}

TileCounts TileCounts::fromValues(ArrayRef<int64_t> values) {
  TileCounts result(values.size());
  for (auto [tile, value] : llvm::enumerate(values)) {
    auto begin = static_cast<int64_t>(tile);
    append(result.runs, {begin, begin + 1, value});
  }
  return result;
}

/// Adds what is pending to all tiles, one by one: where there are many runs,
/// this is faster than sorting them.
void TileCounts::addPerTile() const {
  SmallVector<__int128, 0> changes(numTiles + 1);
  for (const auto &list : {std::cref(runs), std::cref(pending)})
    for (const TileRun &run : list.get()) {
      changes[run.begin] += run.value;
      changes[run.end] -= run.value;
    }
  pending.clear();
  runs.clear();
  __int128 sum = 0;
  for (int64_t tile = 0; tile < numTiles; ++tile) {
    sum += changes[tile];
    __int128 value = std::min<__int128>(sum, Count::kMax);
    append(runs, {tile, tile + 1, static_cast<int64_t>(value)});
  }
}

void TileCounts::normalize() const {
  if (runs.empty() && numTiles > 0)
    runs.push_back({0, numTiles, 0});
  if (pending.empty())
    return;
  // Each value is at most Count::kMax, so that 128 bits hold any sum.
  if (runs.size() + pending.size() > static_cast<size_t>(numTiles) / 16)
    return addPerTile();
  // Where sums change, and by how much.
  SmallVector<std::pair<int64_t, __int128>, 0> changes;
  changes.reserve(2 * (runs.size() + pending.size()));
  for (const auto &list : {std::cref(runs), std::cref(pending)})
    for (const TileRun &run : list.get()) {
      changes.emplace_back(run.begin, run.value);
      changes.emplace_back(run.end, -static_cast<__int128>(run.value));
    }
  pending.clear();
  runs.clear();
  llvm::sort(changes,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  __int128 sum = 0;
  for (size_t i = 0; i < changes.size();) {
    int64_t begin = changes[i].first;
    if (begin == numTiles)
      break;
    for (; i < changes.size() && changes[i].first == begin; ++i)
      sum += changes[i].second;
    int64_t end = i < changes.size() ? changes[i].first : numTiles;
    __int128 value = std::min<__int128>(sum, Count::kMax);
    append(runs, {begin, end, static_cast<int64_t>(value)});
  }
}

ArrayRef<TileRun> TileCounts::getRuns() const {
  normalize();
  return runs;
}

int64_t TileCounts::get(int64_t tile) const {
  assert(tile >= 0 && tile < numTiles && "no such tile");
  normalize();
  return llvm::partition_point(
             runs, [&](const TileRun &run) { return run.end <= tile; })
      ->value;
}

std::pair<int64_t, int64_t> TileCounts::getMax(int64_t begin,
                                               int64_t end) const {
  normalize();
  std::pair<int64_t, int64_t> best = {begin, 0};
  for (const TileRun &run : runs)
    if (run.value > best.second &&
        std::max(run.begin, begin) < std::min(run.end, end))
      best = {std::max(run.begin, begin), run.value};
  return best;
}

std::pair<int64_t, int64_t> TileCounts::getMax() const {
  return getMax(0, numTiles);
}

int64_t TileCounts::getSum() const {
  Count sum;
  for (const TileRun &run : getRuns())
    sum += Count(run.end - run.begin) * run.value;
  return sum.get();
}

TileCounts
TileCounts::combine(ArrayRef<const TileCounts *> inputs,
                    function_ref<int64_t(ArrayRef<int64_t>)> combine) {
  TileCounts result(inputs.front()->numTiles);
  SmallVector<const TileRun *> at;
  for (const TileCounts *input : inputs)
    at.push_back(input->getRuns().begin());
  SmallVector<int64_t> values(inputs.size());
  for (int64_t begin = 0; begin < result.numTiles;) {
    int64_t end = result.numTiles;
    for (auto [run, value] : llvm::zip_equal(at, values)) {
      end = std::min(end, run->end);
      value = run->value;
    }
    append(result.runs, {begin, end, combine(values)});
    for (const TileRun *&run : at)
      if (run->end == end)
        ++run;
    begin = end;
  }
  return result;
}

TileCounts mlir::ipu::getElementsPerTile(TileMappingAttr mapping,
                                         int64_t numTiles) {
  // Elements of dimensions that no axis splits, and those of the others by the
  // coordinate on the axis.
  int64_t whole = 1;
  SmallVector<std::pair<int64_t, TileMappingBlock>> dimOfAxis(
      mapping.getGrid().size(), {1, TileMappingBlock()});
  for (auto [size, block] :
       llvm::zip_equal(mapping.getDomain(), mapping.getBlocks()))
    if (block.isAll())
      whole *= size;
    else
      dimOfAxis[block.axis] = {size, block};
  auto getSize = [&](size_t axis, int64_t p) {
    auto [size, block] = dimOfAxis[axis];
    if (block.isAll())
      return int64_t(1);
    return std::clamp<int64_t>(size - p * block.step, 0, block.extent);
  };
  TileCounts result(numTiles);
  SmallVector<GridAxis> axes = mapping.getGridAxes();
  for (int64_t ipu = 0; ipu < mapping.getNumIPUs(); ++ipu) {
    int64_t first = ipu * mapping.getIpuTiles();
    // Innermost axes first: `runs` describes the tiles of one index of the axes
    // done so far.
    SmallVector<TileRun, 0> runs = {{0, 1, whole}};
    for (size_t axis = axes.size(); axis-- > 0;) {
      SmallVector<TileRun, 0> next;
      int64_t extent = axes[axis].extent, tiles = axes[axis].stride;
      int64_t begin = axes[axis].getCoordinate(first);
      for (int64_t p = 0; p < extent;) {
        int64_t size = getSize(axis, begin + p), same = p + 1;
        // Equal slices of one run join into one.
        if (runs.size() == 1)
          while (same < extent && getSize(axis, begin + same) == size)
            ++same;
        for (const TileRun &run : runs)
          append(next, {p * tiles + run.begin, (same - 1) * tiles + run.end,
                        run.value * size});
        p = same;
      }
      runs = std::move(next);
    }
    for (const TileRun &run : runs)
      result.add(mapping.getFirst() + first + run.begin, run.end - run.begin,
                 run.value);
  }
  return result;
}

int64_t mlir::ipu::getStoredBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}
