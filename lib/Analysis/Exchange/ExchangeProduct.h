//===- ExchangeProduct.h - Factors of a move --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factors that ExchangeProduct.cpp multiplies. ExchangeJoint.cpp computes
// the factor of loops along several dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H

#include "ExchangeDetail.h"

#include <array>

namespace mlir::ipu::exchange {

/// Iterations [begin, end) of a loop.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  Range operator&(Range other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

/// The elements that a part of one side receives from, or sends to, all parts
/// of the other side.
struct Sums {
  /// The number of elements, of parts that fill both regions, and of parts that
  /// do not.
  Count elements;
  int64_t full = 0, notFull = 0;
  /// At the target: the elements of parts that do not fill both regions, by
  /// their number modulo 4.
  std::array<int64_t, 4> byRest = {0, 0, 0, 0};
};

/// One side of a factor: the iterations of each part of its dimension.
struct Parts {
  TileMappingDim dim;
  int64_t index = -1; // of the dimension, or -1
  SmallVector<Range, 4> ranges, alone;
  SmallVector<Sums, 4> sums;
  /// If there are several dimensions: each of them, and the distance of its
  /// parts in the numbers of parts of all dimensions.
  SmallVector<std::pair<unsigned, int64_t>, 4> several;

  void fill(int64_t size, int64_t first);
  int64_t getRegionSize(int64_t part) const {
    return index < 0 ? 1 : dim.getPartSize(part);
  }
  int64_t getNumParts() const { return sums.size(); }
  /// The part of a tile of the grid of `side`; none if there is no such part.
  int64_t getPart(const TileMappingSide &side, int64_t tile) const;
  /// The number of the first region of the part among all regions of `side`.
  int64_t getRegion(const TileMappingSide &side, int64_t part) const;
};

/// The elements that a part of the source sends to a part of the target.
struct Overlap {
  int64_t elements = 0, runs = 0;
  /// Elements of runs that are not whole words, and elements that no other part
  /// of the target receives.
  int64_t subword = 0, alone = 0;
  /// Whether there are elements with which both regions begin, and elements
  /// with which both regions end. A run of these may continue in the next
  /// iteration of other loops.
  bool hasFirst = false, hasLast = false;
};

/// A loop with the dimensions along which it runs; or a dimension without a
/// loop.
struct Factor {
  int64_t size = 1;
  Parts from, to;
  /// For each part of the source, the elements that some part of the target
  /// receives.
  SmallVector<int64_t, 4> used;
  /// If there are several dimensions: the overlaps of parts (source, target)
  /// with common elements. None of them fills both regions.
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
  /// Separates the loops that run along several dimensions, and the other loops
  /// along these dimensions, as a factor of their own (ExchangeJoint.cpp).
  /// Fails if they are not innermost in the storage of both sides.
  LogicalResult findJoint();
  FailureOr<Factor> sweepJoint(ArrayRef<unsigned> fromDims,
                               ArrayRef<unsigned> toDims,
                               ArrayRef<MoveLoop> jointLoops) const;
  bool splitDims(TileMappingSide &side, int64_t MoveLoop::*step);
  bool splitLoops(ArrayRef<TileMappingDim> dims, int64_t MoveLoop::*step);
  LogicalResult makeFactors();
  void addTileRegions(MoveTraffic &traffic);
  void addTiles(MoveTraffic &traffic, SourceTraffic &source);
  /// Adds the bytes on links (ExchangeLinks.cpp).
  void addLinks(MoveTraffic &traffic) const;
  Count getElements(ArrayRef<Range> fromBox, ArrayRef<Range> toBox) const;

  const TargetModel &target;
  TileMappingSide from, to;
  SmallVector<MoveLoop, 4> loops;
  int64_t fromFirst, toFirst, elementBytes;
  /// In the order of the storage of the target, outermost first. The source
  /// stores the factors from `firstInOrder` on in the same order.
  SmallVector<Factor, 0> factors;
  size_t firstInOrder = 0;
  /// Whether the tiles of both sides are on several IPUs.
  bool isOnSeveralIPUs = false;
  /// The loops that run along several dimensions, innermost of all.
  std::optional<Factor> joint;
};

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H
