//===- ExchangeLinks.cpp - Traffic between IPUs by products -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of an IPU are a few regions of a grid. The data from a region of
// tiles at the source to a region of tiles at the target is a product of
// overlaps, like the data between two tiles.
//
//===----------------------------------------------------------------------===//

#include "ExchangeProduct.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// Parts [begin, end) of each dimension of a side.
using PartRegion = SmallVector<exchange::Range, 4>;
using PartRegions = SmallVector<PartRegion, 4>;

/// Adds the regions of tiles [begin, end) of one IPU's part of a grid, whose
/// first coordinates `coordinates` has, as ranges of coordinates; `region` has
/// those of the axes before `axis`.
static void addGridRegions(const TileMappingSide &side,
                           ArrayRef<int64_t> coordinates, size_t axis,
                           int64_t begin, int64_t end, PartRegion &region,
                           function_ref<void(ArrayRef<exchange::Range>)> add) {
  if (axis == side.axes.size())
    return add(region);
  int64_t stride = side.axes[axis].stride;
  int64_t first = begin / stride, last = (end - 1) / stride;
  auto addInside = [&](int64_t low, int64_t high, int64_t begin, int64_t end) {
    region[axis] = {coordinates[axis] + low, coordinates[axis] + high + 1};
    addGridRegions(side, coordinates, axis + 1, begin, end, region, add);
  };
  int64_t inFirst = begin - first * stride, inLast = end - last * stride;
  if (first == last)
    return addInside(first, last, inFirst, inLast);
  if (inFirst > 0) {
    addInside(first, first, inFirst, stride);
    ++first;
  }
  if (inLast < stride) {
    addInside(last, last, 0, inLast);
    --last;
  }
  if (first <= last)
    addInside(first, last, 0, stride);
}

/// Adds the part of `region` that none of `regions` from number `first` on has.
static void addDisjoint(PartRegion region, PartRegions &regions,
                        size_t first = 0) {
  for (; first < regions.size(); ++first) {
    PartRegion other = regions[first];
    if (llvm::any_of(llvm::zip_equal(region, other), [](const auto &ranges) {
          return (std::get<0>(ranges) & std::get<1>(ranges)).size() == 0;
        }))
      continue;
    for (auto [dim, range] : llvm::enumerate(other)) {
      PartRegion before = region, after = region;
      before[dim].end = std::min(before[dim].end, range.begin);
      after[dim].begin = std::max(after[dim].begin, range.end);
      for (const PartRegion &rest : {before, after})
        if (rest[dim].size() > 0)
          addDisjoint(rest, regions, first + 1);
      region[dim] = region[dim] & range;
    }
    return;
  }
  regions.push_back(std::move(region));
}

/// The parts that the tiles of each IPU of `target` have, each once.
static SmallVector<PartRegions, 0> getPartRegions(const TargetModel &target,
                                                  const TileMappingSide &side) {
  SmallVector<PartRegions, 0> regionsOfIPU(target.ipus);
  for (int64_t ofGrid = 0; ofGrid < side.numIPUs; ++ofGrid) {
    int64_t first = ofGrid * side.ipuTiles;
    SmallVector<int64_t> coordinates =
        llvm::map_to_vector(side.axes, [&](const GridAxis &axis) {
          return axis.getCoordinate(first);
        });
    for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
      int64_t begin = ipu * target.tiles - side.first - first;
      int64_t end = std::min(begin + target.tiles, side.gridTilesPerIPU);
      begin = std::max<int64_t>(begin, 0);
      if (begin >= end)
        continue;
      PartRegion grid(side.axes.size());
      addGridRegions(side, coordinates, 0, begin, end, grid,
                     [&](ArrayRef<exchange::Range> ranges) {
                       PartRegion region;
                       for (const TileMappingDim &dim : side.dims) {
                         exchange::Range all = {0, dim.parts};
                         region.push_back(dim.axisIndex < 0
                                              ? all
                                              : all & ranges[dim.axisIndex]);
                         if (region.back().size() == 0)
                           return;
                       }
                       addDisjoint(std::move(region), regionsOfIPU[ipu]);
                     });
    }
  }
  return regionsOfIPU;
}

/// Whether `part` of the dimensions of a factor's side is in `region`.
static bool isIn(const Parts &parts, const TileMappingSide &side, int64_t part,
                 ArrayRef<exchange::Range> region) {
  return llvm::all_of(parts.several, [&](std::pair<unsigned, int64_t> entry) {
    auto [dim, stride] = entry;
    int64_t own = part / stride % side.dims[dim].parts;
    return own >= region[dim].begin && own < region[dim].end;
  });
}

/// Elements that the parts of region `fromRegion` give to those of `toRegion`.
Count Product::getElements(ArrayRef<exchange::Range> fromRegion,
                           ArrayRef<exchange::Range> toRegion) const {
  Count product = 1;
  for (const Factor &factor : factors) {
    Count sum;
    if (!factor.from.several.empty()) {
      for (const auto &[parts, overlap] : factor.overlaps)
        if (isIn(factor.from, from, parts.first, fromRegion) &&
            isIn(factor.to, to, parts.second, toRegion))
          sum += overlap.elements;
    } else {
      auto getParts = [](const Parts &parts, ArrayRef<exchange::Range> region) {
        return parts.dim.axisIndex < 0 ? exchange::Range{0, 1}
                                       : region[parts.index];
      };
      // Parts of the source follow each other.
      exchange::Range sources = getParts(factor.from, fromRegion);
      exchange::Range range = {factor.from.ranges[sources.begin].begin,
                               factor.from.ranges[sources.end - 1].end};
      exchange::Range targets = getParts(factor.to, toRegion);
      for (int64_t part = targets.begin; part < targets.end; ++part)
        sum += (factor.to.ranges[part] & range).size();
    }
    if (sum.get() == 0)
      return 0;
    product = product * sum;
  }
  return product;
}

void Product::addLinks(MoveTraffic &traffic) const {
  SmallVector<PartRegions, 0> fromRegions = getPartRegions(target, from),
                              toRegions = getPartRegions(target, to);
  auto getSum = [&](const PartRegions &sources, const PartRegions &targets) {
    Count sum;
    for (const PartRegion &source : sources)
      for (const PartRegion &region : targets)
        sum += getElements(source, region);
    return sum;
  };
  bool hasCopies = to.copies.size() > 1;
  for (int64_t home = 0; home < target.ipus; ++home) {
    // What several IPUs take leaves once.
    PartRegions elsewhere;
    for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
      if (ipu == home)
        continue;
      Count elements = getSum(fromRegions[home], toRegions[ipu]);
      if (elements.get() == 0)
        continue;
      traffic.linkIn[ipu] += elements;
      traffic.links[{home, ipu}] += elements;
      if (!hasCopies)
        traffic.linkOut[home] += elements;
      for (const PartRegion &region : toRegions[ipu])
        if (hasCopies)
          addDisjoint(region, elsewhere);
    }
    if (hasCopies)
      traffic.linkOut[home] += getSum(fromRegions[home], elsewhere);
  }
}
