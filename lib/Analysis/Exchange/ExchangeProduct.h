//===- ExchangeProduct.h - Factors of a move --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file declares the factors that ExchangeProduct.cpp multiplies. A factor
// describes one loop of a move, or one dimension without a loop.
// ExchangeJoint.cpp computes the factor of the loops that run along several
// dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H

#include "ExchangeWords.h"

namespace mlir::ipu::exchange {

/// Iterations [begin, end) of a loop.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  Range operator&(Range other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

/// The elements that one part of a side exchanges with all parts of the other
/// side. A part of the target receives these elements; a part of the source
/// sends them. The elements that two parts have in common are called their
/// overlap.
struct Sums {
  explicit Sums(int64_t wordModulus = 1)
      : words(wordModulus), elementWords(wordModulus) {}

  /// The number of elements; the number of overlaps that fill the regions of
  /// both parts; and the number of all other overlaps.
  Count elements;
  int64_t full = 0, notFull = 0;
  /// At the target, unless an element is a whole number of words: the runs of
  /// the overlaps that do not fill both regions, and the elements of all
  /// overlaps.
  WordCounts words, elementWords;
};

/// One side of a factor. For each part of the dimension, `ranges` contains the
/// iterations of the loop in the part, and `alone` the iterations that no other
/// part has.
struct Parts {
  TileMappingDim dim;
  int64_t index = -1; // the number of the dimension, or -1
  SmallVector<Range, 4> ranges, alone;
  /// `begins` contains the iterations of the first elements of all regions, by
  /// part. They may be less than 0.
  SmallVector<int64_t, 4> begins;
  SmallVector<Sums, 4> sums;
  /// If the factor has several dimensions: each of them, and the difference
  /// between the numbers of its consecutive parts. The parts of all dimensions
  /// are numbered together.
  SmallVector<std::pair<unsigned, int64_t>, 4> several;
  /// If the factor has several dimensions: the number of elements of each part.
  SmallVector<int64_t, 0> sizesOfSeveral;

  void fill(int64_t size, int64_t first);
  int64_t getRegionSize(int64_t part) const {
    if (!several.empty())
      return sizesOfSeveral[part];
    return index < 0 ? 1 : dim.getPartSize(part);
  }
  int64_t getNumParts() const { return sums.size(); }
  /// Returns the number of the part that contains the elements of `tile`. The
  /// tile is in the grid of `side`. The result is at least getNumParts() if the
  /// tile has no elements.
  int64_t getPart(const TileMappingSide &side, int64_t tile) const;
  /// Returns the number of the first region of `side` that has the part.
  int64_t getRegion(const TileMappingSide &side, int64_t part) const;
};

/// The elements that one part of the source sends to one part of the target.
struct Overlap {
  int64_t elements = 0, runs = 0;
  /// The number of elements that no other part of the target receives.
  int64_t alone = 0;
  /// The runs, unless an element is a whole number of words.
  WordCounts words;
  /// Whether an element is the first of both regions, and whether an element is
  /// the last of both regions. A run with such an element may continue in
  /// another iteration of other loops.
  bool hasFirst = false, hasLast = false;

  void add(const Overlap &other) {
    elements += other.elements;
    runs += other.runs;
    alone += other.alone;
    hasFirst |= other.hasFirst;
    hasLast |= other.hasLast;
    words.add(other.words);
  }
};

/// A loop and the dimensions along which it runs, or a dimension along which no
/// loop runs.
struct Factor {
  int64_t size = 1;
  Parts from, to;
  /// For each part of the source, the number of elements that at least one part
  /// of the target receives.
  SmallVector<int64_t, 4> used;
  /// If the factor has several dimensions: the overlap of each pair of a part
  /// of the source and a part of the target with common elements. If the factor
  /// is innermost, no overlap fills both regions.
  DenseMap<std::pair<int64_t, int64_t>, Overlap> overlaps;
  /// Whether its dimensions are innermost in the storage of both sides, and it
  /// is the innermost factor.
  bool isInnermost = false;
  /// Whether, for some pair, both regions have the same first element and the
  /// same last element.
  bool hasEqualEnds = false;

  bool isFull(int64_t fromPart, int64_t toPart, int64_t elements) const {
    return elements == from.getRegionSize(fromPart) &&
           elements == to.getRegionSize(toPart);
  }
  /// Computes the sums of both sides.
  void addUp(int64_t wordModulus);
  /// Adds the elements `common` of two parts to the words and elements of
  /// `sums`.
  void addWords(int64_t fromPart, int64_t toPart, Range common,
                Sums &sums) const;
};

/// The numbers of loops that run along common dimensions, and of these
/// dimensions, in ascending order.
struct JointLoops {
  SmallVector<unsigned, 4> loops, fromDims, toDims;
};

/// A dimension of one side, and what it has in common with dimensions of the
/// other side.
struct StorageLabel {
  /// The number of the loop along the dimension; or kUnshared, -1; or -2 - n,
  /// where n is the number of its joint factor.
  int64_t value = kUnshared;
  /// Whether some regions have only one element of the dimension.
  bool isMixed = false;

  static constexpr int64_t kUnshared = -1;
  static StorageLabel getJoint(size_t number, bool isMixed) {
    return {kUnshared - 1 - static_cast<int64_t>(number), isMixed};
  }
  bool isUnshared() const { return value == kUnshared; }
  bool isJoint() const { return value < kUnshared; }
  size_t getJointNumber() const { return kUnshared - 1 - value; }
  bool operator==(const StorageLabel &other) const {
    return value == other.value;
  }
  bool operator<(const StorageLabel &other) const {
    return value < other.value;
  }
};

class Product {
public:
  Product(const TargetModel &target, const MovePart &part)
      : target(target), from(part.from), to(part.to), loops(part.loops.loops),
        fromFirst(part.loops.from), toFirst(part.loops.to),
        elementBytes(part.elementBytes),
        wordModulus(getWordGrain(part.elementBytes)) {}

  LogicalResult setUp();
  /// Adds the traffic. Fails before it changes `source` if the words of runs
  /// are not a product.
  LogicalResult add(MoveTraffic &traffic, SourceTraffic &source);

private:
  /// Makes a separate factor of each set of loops that run along common
  /// dimensions, and erases these loops and dimensions (ExchangeJoint.cpp).
  LogicalResult findJoints();
  FailureOr<Factor> sweepJoint(const JointLoops &joint) const;
  bool splitDims(TileMappingSide &side, int64_t MoveLoop::*step);
  bool splitLoops(ArrayRef<TileMappingDim> dims, int64_t MoveLoop::*step);
  LogicalResult makeFactors();
  bool mayRunContinue(ArrayRef<StorageLabel> from, ArrayRef<StorageLabel> to,
                      ArrayRef<size_t> factorOfLoop) const;
  LogicalResult addTileRegions(MoveTraffic &traffic);
  /// Adds the words of runs that the region of parts `toParts` receives.
  /// `sums` are the sums of each factor over the regions of the source that
  /// send the runs. Fails if the addresses of the elements of a factor of
  /// several dimensions matter (ExchangeWords.cpp).
  LogicalResult addWords(ArrayRef<int64_t> toParts, ArrayRef<const Sums *> sums,
                         MoveTraffic::Part &part) const;
  /// Adds the words of the runs between one region of the source and one region
  /// of the target.
  void addWordsOfPair(ArrayRef<int64_t> fromParts, ArrayRef<int64_t> toParts,
                      MoveTraffic::Part &part) const;
  void addTiles(MoveTraffic &traffic, SourceTraffic &source);
  /// Adds the elements that links between IPUs transfer (ExchangeLinks.cpp).
  void addLinks(MoveTraffic &traffic) const;
  Count getElements(ArrayRef<Range> fromRegion, ArrayRef<Range> toRegion) const;

  const TargetModel &target;
  TileMappingSide from, to;
  SmallVector<MoveLoop, 4> loops;
  int64_t fromFirst, toFirst, elementBytes, wordModulus;
  /// The factors in the order of the storage of the target, outermost first.
  /// The source stores the factors from number `firstInOrder` on in the same
  /// order.
  SmallVector<Factor, 0> factors;
  size_t firstInOrder = 0;
  /// The factors before `firstInOrder` in the order of the storage of the
  /// source, innermost first, without factors of several dimensions.
  SmallVector<size_t, 4> outerFactors;
  /// Whether the tiles of both sides are on several IPUs.
  bool isOnSeveralIPUs = false;
  /// The factors of loops that run along common dimensions. If one of them
  /// covers the innermost dimensions of the storage of both sides, it is the
  /// innermost factor, `innerJoint`. The others are outermost factors.
  std::optional<Factor> innerJoint;
  SmallVector<Factor, 0> outerJoints;
  /// For each dimension of a side: the label of its outer joint factor, if it
  /// has one and regions have several elements of the dimension.
  SmallVector<StorageLabel, 8> fromJoints, toJoints;
};

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEPRODUCT_H
