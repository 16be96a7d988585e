//===- ProgramSplitTest.cpp - Tests of splits of programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Placement/ProgramSplit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;
using testing::ElementsAre;

namespace {
//===----------------------------------------------------------------------===//
// Balanced splits
//===----------------------------------------------------------------------===//

SplitProblem getProblem(ArrayRef<int64_t> cycles) {
  SplitProblem problem;
  for (int64_t number : cycles)
    problem.units.push_back({number, 0, 0});
  problem.copyCycles.assign(cycles.size(), 0);
  return problem;
}

SmallVector<unsigned> getBegins(ArrayRef<SplitPart> parts) {
  SmallVector<unsigned> begins;
  for (const SplitPart &part : parts)
    begins.push_back(part.begin);
  return begins;
}

TEST(BalancedSplitTest, SlowestPart) {
  SplitProblem problem = getProblem({10, 20, 30, 40, 50});
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 3));
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 3)), ElementsAre(0, 3, 4));
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 1)), ElementsAre(0));
}

TEST(BalancedSplitTest, MorePartsThanUnits) {
  SplitProblem problem = getProblem({5, 5});
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 8)), ElementsAre(0, 1));
}

TEST(BalancedSplitTest, CopiesCountForBothParts) {
  SplitProblem problem = getProblem({10, 10, 10, 10});
  // A split in the middle is dear.
  problem.copyCycles = {0, 1, 20, 1};
  SmallVector<SplitPart> parts = findBalancedSplit(problem, 2);
  EXPECT_THAT(getBegins(parts), ElementsAre(0, 3));
  EXPECT_EQ(parts[0].cycles, 31);
  EXPECT_EQ(parts[1].cycles, 11);
}

TEST(BalancedSplitTest, NoSplitIfCopiesCostMore) {
  SplitProblem problem = getProblem({1, 1, 1});
  problem.copyCycles = {0, 100, 100};
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 3)), ElementsAre(0));
}

TEST(BalancedSplitTest, Memory) {
  SplitProblem problem = getProblem({40, 1, 1, 1});
  for (SplitUnit &unit : problem.units)
    unit.residentBytes = 10;
  problem.units[2].liveBytes = 5;
  problem.memory = 25;
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 2));
  problem.memory = 1000;
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 1));
  // Nothing fits: the fullest part is as small as possible.
  problem.memory = 3;
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 2));
}

TEST(BalancedSplitTest, FirstPartOfPipelineKeepsMore) {
  SplitProblem problem = getProblem({10, 10, 10, 10});
  for (SplitUnit &unit : problem.units)
    unit.savedBytes = 10;
  problem.memory = 30;
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 2));
  // The first part holds each activation three times.
  problem.savedCounts = {1, 3};
  EXPECT_THAT(getBegins(findBalancedSplit(problem, 2)), ElementsAre(0, 1));
  SmallVector<SplitPart> parts = findBalancedSplit(problem, 2);
  EXPECT_EQ(parts[0].bytes, 30);
  EXPECT_EQ(parts[1].bytes, 30);
}

int64_t draw(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// Returns the cycles of the slowest part and the bytes above the memory of the
/// fullest part.
std::pair<int64_t, int64_t> rate(const SplitProblem &problem,
                                 ArrayRef<SplitPart> parts) {
  int64_t cycles = 0, excess = 0;
  for (const SplitPart &part : parts) {
    cycles = std::max(cycles, part.cycles);
    excess = std::max(excess, part.bytes - problem.memory);
  }
  return {excess, cycles};
}

/// Returns the best rating of all splits into at most `maxParts` parts.
std::pair<int64_t, int64_t> enumerate(const SplitProblem &problem,
                                      unsigned maxParts) {
  size_t size = problem.units.size();
  std::pair<int64_t, int64_t> best{INT64_MAX, INT64_MAX};
  for (unsigned ends = 0; ends < 1U << (size - 1); ++ends) {
    if (llvm::popcount(ends) >= static_cast<int>(maxParts))
      continue;
    SmallVector<SplitPart> parts;
    unsigned begin = 0;
    for (unsigned end = 1; end <= size; ++end)
      if (end == size || (ends >> (end - 1) & 1)) {
        unsigned partsAfter = llvm::popcount(ends >> end);
        if (end < size)
          ++partsAfter;
        parts.push_back(getPart(problem, begin, end, partsAfter));
        begin = end;
      }
    best = std::min(best, rate(problem, parts));
  }
  return best;
}

TEST(BalancedSplitTest, EqualsEnumeration) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    SplitProblem problem;
    int64_t size = draw(random, 1, 9);
    for (int64_t unit = 0; unit < size; ++unit) {
      problem.units.push_back({draw(random, 0, 20), draw(random, 0, 9),
                               draw(random, 0, 9), draw(random, 0, 5)});
      problem.copyCycles.push_back(unit == 0 ? 0 : draw(random, 0, 12));
    }
    problem.memory = draw(random, 1, 60);
    unsigned maxParts = draw(random, 1, 5);
    // A pipeline in which the first part keeps the most micro-batches.
    int64_t perPart = draw(random, 0, 2);
    for (unsigned after = 0; perPart > 0 && after < maxParts; ++after)
      problem.savedCounts.push_back(1 + perPart * after);
    SmallVector<SplitPart> parts = findBalancedSplit(problem, maxParts);
    EXPECT_LE(parts.size(), maxParts);
    EXPECT_EQ(parts.front().begin, 0U);
    EXPECT_EQ(parts.back().end, problem.units.size());
    EXPECT_EQ(rate(problem, parts), enumerate(problem, maxParts));
  }
}

//===----------------------------------------------------------------------===//
// Splits of segments
//===----------------------------------------------------------------------===//

SmallVector<unsigned, 0> split(ArrayRef<SegmentOp> ops,
                               ArrayRef<double> ratios) {
  return llvm::cantFail(splitSegments(ops, ratios));
}

/// A chain of ops with these costs.
SmallVector<SegmentOp> getChain(ArrayRef<int64_t> costs) {
  SmallVector<SegmentOp> ops;
  for (auto [number, cost] : llvm::enumerate(costs)) {
    ops.push_back({cost, {}});
    if (number > 0)
      ops.back().producers.push_back(number - 1);
  }
  return ops;
}

TEST(SegmentSplitTest, LaterOfTwoNearestSplitPoints) {
  EXPECT_THAT(split(getChain({10, 10, 20, 20}), {0.5, 0.5}),
              ElementsAre(0, 0, 0, 1));
}

TEST(SegmentSplitTest, Ratios) {
  SmallVector<SegmentOp> chain = getChain({10, 10, 10, 10});
  EXPECT_THAT(split(chain, {0.25, 0.75}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(split(chain, {0.75, 0.25}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(split(chain, {0.25, 0.25, 0.5}), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(split(chain, {1}), ElementsAre(0, 0, 0, 0));
}

TEST(SegmentSplitTest, NoSplitPointInBranches) {
  // Op 0 has two readers that meet in op 3, so there is no split point between.
  SmallVector<SegmentOp> ops{
      {10, {}}, {10, {0}}, {10, {0}}, {0, {1, 2}}, {10, {3}}};
  EXPECT_THAT(split(ops, {0.5, 0.5}), ElementsAre(0, 0, 0, 0, 1));
}

TEST(SegmentSplitTest, OpsWithoutCostStay) {
  // Two chains meet in op 4. The chain of the free op 2 stays on IPU 0.
  SmallVector<SegmentOp> ops{{10, {}}, {10, {0}},    {0, {}},
                             {0, {2}}, {20, {1, 3}}, {1, {4}}};
  EXPECT_THAT(split(ops, {0.5, 0.5}), ElementsAre(0, 0, 0, 0, 1, 1));
}

TEST(SegmentSplitTest, TooFewSplitPoints) {
  llvm::Expected<SmallVector<unsigned, 0>> parts =
      splitSegments(getChain({1, 1}), {0.25, 0.25, 0.25, 0.25});
  EXPECT_EQ(llvm::toString(parts.takeError()),
            "has 1 split points, but 4 IPUs need 3");
}
} // namespace
