//===- TileCountsTest.cpp - Counts for all tiles ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

#include "../../Dialect/IPU/NestedTileMappings.h"

#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

constexpr int64_t kMost = int64_t(1) << 53;

/// Returns the numbers of all tiles, and checks the properties of the runs.
std::vector<int64_t> getValues(const TileCounts &counts) {
  std::vector<int64_t> values;
  int64_t last = -1;
  for (const TileRun &run : counts.getRuns()) {
    EXPECT_EQ(run.begin, static_cast<int64_t>(values.size()));
    EXPECT_LT(run.begin, run.end);
    EXPECT_NE(run.value, last);
    last = run.value;
    values.insert(values.end(), run.end - run.begin, run.value);
  }
  EXPECT_EQ(counts.getNumTiles(), static_cast<int64_t>(values.size()));
  return values;
}

TEST(TileCountsTest, Empty) {
  TileCounts none, some(3);
  EXPECT_TRUE(none.getRuns().empty());
  EXPECT_EQ(none.getMax(), std::make_pair(int64_t(0), int64_t(0)));
  EXPECT_EQ(some.getRuns(), ArrayRef<TileRun>({{0, 3, 0}}));
  some.add(1, 0, 5);
  some.add(1, 2, 0);
  EXPECT_EQ(some.getRuns(), ArrayRef<TileRun>({{0, 3, 0}}));
  EXPECT_EQ(some.getSum(), 0);
}

TEST(TileCountsTest, SumsSaturate) {
  TileCounts counts(4);
  counts.add(0, 2, kMost);
  counts.add(1, 2, kMost);
  counts.add(3, 1, 7);
  EXPECT_EQ(getValues(counts), std::vector<int64_t>({kMost, kMost, kMost, 7}));
  EXPECT_EQ(counts.getSum(), kMost);
}

TEST(TileCountsTest, AgreesWithArrays) {
  std::mt19937 random(3);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 500; ++trial) {
    int64_t tiles = draw(1, 12);
    auto fill = [&](TileCounts &counts, std::vector<int64_t> &values) {
      for (int64_t i = draw(0, 6); i > 0; --i) {
        int64_t begin = draw(0, tiles), count = draw(0, tiles - begin);
        int64_t value = draw(0, 3);
        counts.add(begin, count, value);
        for (int64_t tile = begin; tile < begin + count; ++tile)
          values[tile] += value;
        // Adding gives the same result if the counts were read before.
        if (draw(0, 2) == 0)
          (void)counts.getRuns();
      }
    };
    TileCounts a(tiles), b(tiles);
    std::vector<int64_t> first(tiles), second(tiles), both(tiles);
    fill(a, first);
    fill(b, second);
    EXPECT_EQ(getValues(a), first);
    EXPECT_EQ(getValues(TileCounts::fromValues(first)), first);
    EXPECT_EQ(a.getSum(), std::accumulate(first.begin(), first.end(), 0));
    auto most = llvm::max_element(first);
    EXPECT_EQ(a.getMax(),
              std::make_pair(*most ? most - first.begin() : int64_t(0), *most));
    int64_t begin = draw(0, tiles), end = draw(begin, tiles);
    most = std::max_element(first.begin() + begin, first.begin() + end);
    if (begin < end && *most > 0) {
      EXPECT_EQ(a.getMax(begin, end),
                std::make_pair(int64_t(most - first.begin()), *most));
    } else {
      EXPECT_EQ(a.getMax(begin, end), std::make_pair(begin, int64_t(0)));
    }
    int64_t tile = draw(0, tiles - 1);
    EXPECT_EQ(a.get(tile), first[tile]);
    TileCounts combined =
        TileCounts::combine({&a, &b}, [](ArrayRef<int64_t> values) {
          return values[0] / 2 + values[1];
        });
    for (int64_t i = 0; i < tiles; ++i)
      both[i] = first[i] / 2 + second[i];
    EXPECT_EQ(getValues(combined), both);
    a.add(b);
    for (int64_t i = 0; i < tiles; ++i)
      first[i] += second[i];
    EXPECT_EQ(getValues(a), first);
  }
}

TEST(TileCountsTest, ElementsOfMaps) {
  MLIRContext context;
  context.loadDialect<IPUDialect>();
  std::mt19937 random(5);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 500; ++trial) {
    SmallVector<int64_t> domain, grid;
    for (int64_t axis = draw(0, 3); axis > 0; --axis)
      grid.push_back(draw(1, 4));
    SmallVector<TileMappingBlock> blocks;
    for (int64_t axis = 0, e = grid.size(); axis < e; ++axis)
      if (draw(0, 3)) {
        domain.push_back(draw(0, 9));
        int64_t step = draw(1, 4);
        blocks.push_back(
            {axis, step, std::max<int64_t>(step + draw(-1, 1), 1)});
      }
    domain.push_back(draw(1, 3));
    blocks.emplace_back();
    int64_t first = draw(0, 2);
    auto mapping = TileMappingAttr::get(&context, domain, grid, blocks, first);
    if (draw(0, 1))
      mapping = drawNested(mapping, draw);
    std::vector<int64_t> expected(mapping.getNumTiles() + 4);
    for (int64_t i = 0; i < mapping.getNumTiles(); ++i)
      expected[first + i] = mapping.getTileRegion(i).getNumElements();
    EXPECT_EQ(getValues(getElementsPerTile(mapping, expected.size())),
              expected);
  }
}

} // namespace
