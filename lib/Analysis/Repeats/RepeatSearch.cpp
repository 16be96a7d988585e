//===- RepeatSearch.cpp - Repeated sequences of tokens ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Repeats/RepeatSearch.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Suffix array
//===----------------------------------------------------------------------===//

/// Sorts by the first 1, 2, 4, ... tokens until all suffixes differ.
void RepeatSearch::sortSuffixes(llvm::ArrayRef<unsigned> text) {
  unsigned size = text.size();
  suffixes.resize(size);
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::vector<unsigned> ranks(text.begin(), text.end()), next(size);
  for (unsigned length = 0;; length = std::max(1u, 2 * length)) {
    // A suffix that ends within the compared tokens comes first.
    auto getKey = [&](unsigned position) {
      unsigned second = position + length;
      return std::pair(ranks[position],
                       length && second < size ? ranks[second] + 1 : 0);
    };
    std::sort(suffixes.begin(), suffixes.end(),
              [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
    unsigned rank = 0;
    for (unsigned i = 0; i < size; ++i) {
      if (i > 0 && getKey(suffixes[i - 1]) != getKey(suffixes[i]))
        ++rank;
      next[suffixes[i]] = rank;
    }
    ranks.swap(next);
    if (rank + 1 >= size)
      return;
  }
}

/// Returns for each suffix the number of tokens that it shares with the suffix
/// before it. The number of the first suffix is 0. The algorithm is that of
/// Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix
/// Arrays and Its Applications" (2001).
std::vector<unsigned>
RepeatSearch::getCommonPrefixes(llvm::ArrayRef<unsigned> text) const {
  unsigned size = text.size(), common = 0;
  std::vector<unsigned> result(size, 0), ranks(size);
  for (unsigned i = 0; i < size; ++i)
    ranks[suffixes[i]] = i;
  for (unsigned position = 0; position < size; ++position) {
    if (ranks[position] == 0) {
      common = 0;
      continue;
    }
    unsigned other = suffixes[ranks[position] - 1];
    while (std::max(position, other) + common < size &&
           text[position + common] == text[other + common])
      ++common;
    result[ranks[position]] = common;
    common -= common > 0;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Repeats
//===----------------------------------------------------------------------===//

namespace {
/// Suffixes with a common prefix.
struct Interval {
  static constexpr unsigned kNoGap = std::numeric_limits<unsigned>::max();

  unsigned prefix, first;
  std::set<unsigned> positions = {};
  /// The smallest distance between two positions.
  unsigned gap = kNoGap;

  /// Moves the positions of `other` to this interval.
  void take(Interval &&other) {
    if (other.positions.size() > positions.size()) {
      positions.swap(other.positions);
      std::swap(gap, other.gap);
    }
    gap = std::min(gap, other.gap);
    for (unsigned position : other.positions) {
      auto at = positions.insert(position).first;
      if (at != positions.begin())
        gap = std::min(gap, position - *std::prev(at));
      if (std::next(at) != positions.end())
        gap = std::min(gap, *std::next(at) - position);
    }
  }

  unsigned getLength() const { return std::min(prefix, gap); }
};
} // namespace

/// Visits the intervals of suffixes with common prefixes, inner ones first.
void RepeatSearch::findRepeats(llvm::ArrayRef<unsigned> commonPrefixes) {
  // Each interval on the stack contains the intervals above it.
  std::vector<Interval> stack{Interval{0, 0}};
  unsigned size = suffixes.size();
  for (unsigned i = 0; i < size; ++i) {
    unsigned prefix = i + 1 < size ? commonPrefixes[i + 1] : 0;
    Interval last{0, i, {suffixes[i]}};
    while (stack.back().prefix > prefix) {
      stack.back().take(std::move(last));
      last = std::move(stack.back());
      stack.pop_back();
      // A longer repeat at fewer positions was found before a shorter one. It
      // is left out if the interval around it has a repeat of its length.
      repeats.push_back({last.getLength(), last.first, i + 1});
    }
    if (stack.back().prefix < prefix)
      stack.push_back({prefix, last.first});
    stack.back().take(std::move(last));
  }
}

RepeatSearch::RepeatSearch(llvm::ArrayRef<unsigned> text) {
  if (text.empty())
    return;
  sortSuffixes(text);
  findRepeats(getCommonPrefixes(text));
  // Intervals are nested or disjoint. If they have repeats of equal length, the
  // outermost interval has all positions.
  llvm::sort(repeats, [](const Repeat &a, const Repeat &b) {
    return std::tuple(a.length, a.first, b.last) <
           std::tuple(b.length, b.first, a.last);
  });
  std::vector<Repeat> outermost;
  for (const Repeat &repeat : repeats)
    if (outermost.empty() || outermost.back().length != repeat.length ||
        outermost.back().last < repeat.last)
      outermost.push_back(repeat);
  repeats = std::move(outermost);
}

llvm::SmallVector<unsigned>
RepeatSearch::getPositions(const Repeat &repeat) const {
  llvm::SmallVector<unsigned> positions(suffixes.begin() + repeat.first,
                                        suffixes.begin() + repeat.last);
  llvm::sort(positions);
  return positions;
}
