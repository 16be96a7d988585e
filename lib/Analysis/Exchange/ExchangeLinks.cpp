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
using PartBox = SmallVector<exchange::Range, 4>;
using PartBoxes = SmallVector<PartBox, 4>;

/// Adds the regions of tiles [begin, end) of one IPU's part of a grid, whose
/// first coordinates `coordinates` has, as ranges of coordinates; `box` has
/// those of the axes before `axis`.
static void addGridBoxes(const TileMappingSide &side,
                         ArrayRef<int64_t> coordinates, size_t axis,
                         int64_t begin, int64_t end, PartBox &box,
                         function_ref<void(ArrayRef<exchange::Range>)> add) {
  if (axis == side.axes.size())
    return add(box);
  int64_t stride = side.axes[axis].stride;
  int64_t first = begin / stride, last = (end - 1) / stride;
  auto addInside = [&](int64_t low, int64_t high, int64_t begin, int64_t end) {
    box[axis] = {coordinates[axis] + low, coordinates[axis] + high + 1};
    addGridBoxes(side, coordinates, axis + 1, begin, end, box, add);
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

/// Adds the part of `box` that none of `boxes` from number `first` on has.
static void addDisjoint(PartBox box, PartBoxes &boxes, size_t first = 0) {
  for (; first < boxes.size(); ++first) {
    PartBox other = boxes[first];
    if (llvm::any_of(llvm::zip_equal(box, other), [](const auto &ranges) {
          return (std::get<0>(ranges) & std::get<1>(ranges)).size() == 0;
        }))
      continue;
    for (auto [dim, range] : llvm::enumerate(other)) {
      PartBox before = box, after = box;
      before[dim].end = std::min(before[dim].end, range.begin);
      after[dim].begin = std::max(after[dim].begin, range.end);
      for (const PartBox &rest : {before, after})
        if (rest[dim].size() > 0)
          addDisjoint(rest, boxes, first + 1);
      box[dim] = box[dim] & range;
    }
    return;
  }
  boxes.push_back(std::move(box));
}

/// The parts that the tiles of each IPU of `target` have, each once.
static SmallVector<PartBoxes, 0> getPartBoxes(const TargetModel &target,
                                              const TileMappingSide &side) {
  SmallVector<PartBoxes, 0> boxesOfIPU(target.ipus);
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
      PartBox grid(side.axes.size());
      addGridBoxes(side, coordinates, 0, begin, end, grid,
                   [&](ArrayRef<exchange::Range> ranges) {
                     PartBox box;
                     for (const TileMappingDim &dim : side.dims) {
                       exchange::Range all = {0, dim.parts};
                       box.push_back(dim.axisIndex < 0
                                         ? all
                                         : all & ranges[dim.axisIndex]);
                       if (box.back().size() == 0)
                         return;
                     }
                     addDisjoint(std::move(box), boxesOfIPU[ipu]);
                   });
    }
  }
  return boxesOfIPU;
}

/// Whether `part` of the dimensions of a factor's side is in `box`.
static bool isIn(const Parts &parts, const TileMappingSide &side, int64_t part,
                 ArrayRef<exchange::Range> box) {
  return llvm::all_of(parts.several, [&](std::pair<unsigned, int64_t> entry) {
    auto [dim, stride] = entry;
    int64_t own = part / stride % side.dims[dim].parts;
    return own >= box[dim].begin && own < box[dim].end;
  });
}

/// Elements that the parts of region `fromBox` give to those of `toBox`.
Count Product::getElements(ArrayRef<exchange::Range> fromBox,
                           ArrayRef<exchange::Range> toBox) const {
  Count product = 1;
  for (const Factor &factor : factors) {
    Count sum;
    if (!factor.from.several.empty()) {
      for (const auto &[parts, overlap] : factor.overlaps)
        if (isIn(factor.from, from, parts.first, fromBox) &&
            isIn(factor.to, to, parts.second, toBox))
          sum += overlap.elements;
    } else {
      auto getParts = [](const Parts &parts, ArrayRef<exchange::Range> box) {
        return parts.dim.axisIndex < 0 ? exchange::Range{0, 1}
                                       : box[parts.index];
      };
      // Parts of the source follow each other.
      exchange::Range sources = getParts(factor.from, fromBox);
      exchange::Range range = {factor.from.ranges[sources.begin].begin,
                               factor.from.ranges[sources.end - 1].end};
      exchange::Range targets = getParts(factor.to, toBox);
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
  SmallVector<PartBoxes, 0> fromBoxes = getPartBoxes(target, from),
                            toBoxes = getPartBoxes(target, to);
  auto getSum = [&](const PartBoxes &sources, const PartBoxes &targets) {
    Count sum;
    for (const PartBox &source : sources)
      for (const PartBox &box : targets)
        sum += getElements(source, box);
    return sum;
  };
  bool hasCopies = to.copies.size() > 1;
  for (int64_t home = 0; home < target.ipus; ++home) {
    // What several IPUs take leaves once.
    PartBoxes elsewhere;
    for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
      if (ipu == home)
        continue;
      Count elements = getSum(fromBoxes[home], toBoxes[ipu]);
      if (elements.get() == 0)
        continue;
      traffic.linkIn[ipu] += elements;
      traffic.links[{home, ipu}] += elements;
      if (!hasCopies)
        traffic.linkOut[home] += elements;
      for (const PartBox &box : toBoxes[ipu])
        if (hasCopies)
          addDisjoint(box, elsewhere);
    }
    if (hasCopies)
      traffic.linkOut[home] += getSum(fromBoxes[home], elsewhere);
  }
}
