//===- BalancedSplit.cpp - Splits with the fastest slowest IPU --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search bisects the cycles of the slowest part. For given bounds of cycles
// and bytes, dynamic programming finds whether there is a split: it computes
// the positions that k parts can end at, from those that k - 1 parts can end
// at. A part that ends at a position begins in a window that the bytes bound,
// and its cycles are a sum of numbers of its two ends. So the best beginning is
// the least number in a sliding window.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Placement/ProgramSplit.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <vector>

using namespace mlir;
using namespace mlir::ipu;

/// Returns the bytes that a part with `partsAfter` parts after it holds for
/// `unit` during the whole run.
static int64_t getHeldBytes(const SplitProblem &problem, unsigned unit,
                            unsigned partsAfter) {
  const SplitUnit &bytes = problem.units[unit];
  int64_t count =
      problem.savedCounts.empty() ? 1 : problem.savedCounts[partsAfter];
  return bytes.residentBytes + bytes.savedBytes * count;
}

SplitPart mlir::ipu::getPart(const SplitProblem &problem, unsigned begin,
                             unsigned end, unsigned partsAfter) {
  SplitPart part{begin, end, problem.copyCycles[begin], 0};
  if (end < problem.units.size())
    part.cycles += problem.copyCycles[end];
  int64_t live = 0;
  for (unsigned unit = begin; unit < end; ++unit) {
    part.cycles += problem.units[unit].cycles;
    part.bytes += getHeldBytes(problem, unit, partsAfter);
    live = std::max(live, problem.units[unit].liveBytes);
  }
  part.bytes += live;
  return part;
}

namespace {
/// Searches from the beginning of a program. Its saved counts are for the
/// number of parts before a part, and not after it.
class BalancedSearch {
public:
  BalancedSearch(const SplitProblem &problem, unsigned maxParts)
      : problem(problem), numUnits(problem.units.size()),
        maxParts(std::min(maxParts, numUnits)), cycles(numUnits + 1, 0),
        windows(problem.savedCounts.empty() ? 1 : maxParts) {
    for (unsigned unit = 0; unit < numUnits; ++unit)
      cycles[unit + 1] = cycles[unit] + problem.units[unit].cycles;
  }

  SmallVector<SplitPart> run();

private:
  void setMemory(int64_t memory);
  std::vector<unsigned> findWindows(int64_t memory, unsigned partsBefore) const;
  bool find(int64_t maxCycles);
  SmallVector<SplitPart> getFound() const;

  int64_t getCopyCycles(unsigned position) const {
    return position < numUnits ? problem.copyCycles[position] : 0;
  }

  const SplitProblem &problem;
  unsigned numUnits, maxParts;
  /// For each position, the cycles of the units before it.
  std::vector<int64_t> cycles;
  /// This table has a row for each number of parts before a part, or one row if
  /// there are no saved counts. For each position, a row has the first
  /// beginning with which a part that ends there fits, or the position itself
  /// if none does.
  std::vector<std::vector<unsigned>> windows;
  /// For each number of parts, minus one, and each position where so many parts
  /// can end, the beginning of the last part; kNone for other positions.
  static constexpr unsigned kNone = ~0U;
  std::vector<std::vector<unsigned>> begins;
};
} // namespace

/// Computes the windows for parts of at most `memory` bytes.
void BalancedSearch::setMemory(int64_t memory) {
  for (auto [partsBefore, window] : llvm::enumerate(windows))
    window = findWindows(memory, partsBefore);
}

/// Returns the windows of parts of at most `memory` bytes with `partsBefore`
/// parts before them.
std::vector<unsigned> BalancedSearch::findWindows(int64_t memory,
                                                  unsigned partsBefore) const {
  auto getHeld = [&](unsigned unit) {
    return getHeldBytes(problem, unit, partsBefore);
  };
  std::vector<unsigned> window(numUnits + 1, 0);
  // The units of the current part with the most live bytes, descending.
  std::deque<unsigned> largest;
  int64_t held = 0;
  unsigned begin = 0;
  for (unsigned unit = 0; unit < numUnits; ++unit) {
    held += getHeld(unit);
    auto getLive = [&](unsigned other) {
      return problem.units[other].liveBytes;
    };
    while (!largest.empty() && getLive(largest.back()) <= getLive(unit))
      largest.pop_back();
    largest.push_back(unit);
    while (begin <= unit && held + getLive(largest.front()) > memory) {
      held -= getHeld(begin);
      if (largest.front() == begin)
        largest.pop_front();
      if (++begin > unit)
        break;
    }
    window[unit + 1] = begin;
  }
  return window;
}

/// Returns whether there is a split whose parts take at most `maxCycles`.
bool BalancedSearch::find(int64_t maxCycles) {
  begins.clear();
  std::vector<bool> isEnd(numUnits + 1, false);
  isEnd[0] = true;
  while (begins.size() < maxParts) {
    const std::vector<unsigned> &window =
        windows[windows.size() == 1 ? 0 : begins.size()];
    std::vector<unsigned> &own = begins.emplace_back(numUnits + 1, kNone);
    std::vector<bool> isNext(numUnits + 1, false);
    auto getCost = [&](unsigned begin) {
      return getCopyCycles(begin) - cycles[begin];
    };
    // The possible beginnings in the window; their costs ascend.
    std::deque<unsigned> best;
    for (unsigned end = 1; end <= numUnits; ++end) {
      unsigned begin = end - 1;
      if (isEnd[begin]) {
        while (!best.empty() && getCost(best.back()) >= getCost(begin))
          best.pop_back();
        best.push_back(begin);
      }
      while (!best.empty() && best.front() < window[end])
        best.pop_front();
      if (best.empty() ||
          getCost(best.front()) > maxCycles - cycles[end] - getCopyCycles(end))
        continue;
      own[end] = best.front();
      isNext[end] = true;
    }
    if (isNext[numUnits])
      return true;
    isEnd = std::move(isNext);
  }
  return false;
}

/// Returns the split that the last call of find() found.
SmallVector<SplitPart> BalancedSearch::getFound() const {
  SmallVector<SplitPart> parts;
  unsigned end = numUnits;
  for (const std::vector<unsigned> &own : llvm::reverse(begins)) {
    unsigned partsBefore = begins.size() - 1 - parts.size();
    parts.push_back(getPart(problem, own[end], end, partsBefore));
    end = own[end];
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Returns the least number from `low` to `high` for which `holds` returns
/// true. It returns true for `high`.
static int64_t bisect(int64_t low, int64_t high,
                      llvm::function_ref<bool(int64_t)> holds) {
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

SmallVector<SplitPart> BalancedSearch::run() {
  setMemory(problem.memory);
  if (!find(INT64_MAX)) {
    int64_t all = 0;
    for (unsigned partsBefore = 0; partsBefore < maxParts; ++partsBefore)
      all = std::max(all, getPart(problem, 0, numUnits, partsBefore).bytes);
    int64_t memory = bisect(problem.memory, all, [&](int64_t memory) {
      setMemory(memory);
      return find(INT64_MAX);
    });
    setMemory(memory);
    find(INT64_MAX);
  }
  int64_t slowest = 0;
  for (const SplitPart &part : getFound())
    slowest = std::max(slowest, part.cycles);
  int64_t least =
      bisect(0, slowest, [&](int64_t maxCycles) { return find(maxCycles); });
  find(least);
  return getFound();
}

/// Returns `problem` for the program from its end to its beginning.
static SplitProblem reverse(const SplitProblem &problem) {
  SplitProblem reversed = problem;
  std::reverse(reversed.units.begin(), reversed.units.end());
  std::reverse(reversed.copyCycles.begin() + 1, reversed.copyCycles.end());
  return reversed;
}

SmallVector<SplitPart> mlir::ipu::findBalancedSplit(const SplitProblem &problem,
                                                    int64_t maxParts) {
  assert(!problem.units.empty() && maxParts > 0 && "there is nothing to split");
  if (problem.savedCounts.empty())
    return BalancedSearch(problem, maxParts).run();
  unsigned numUnits = problem.units.size();
  SplitProblem reversed = reverse(problem);
  SmallVector<SplitPart> parts = BalancedSearch(reversed, maxParts).run();
  std::reverse(parts.begin(), parts.end());
  for (SplitPart &part : parts) {
    unsigned begin = numUnits - part.end;
    part.end = numUnits - part.begin;
    part.begin = begin;
  }
  return parts;
}
