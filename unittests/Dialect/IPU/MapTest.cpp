//===- MapTest.cpp - Map algebra against enumeration ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

/// How many tiles hold each element, and which, by walking all boxes.
std::vector<std::vector<int64_t>> getHolders(MapAttr map) {
  std::vector<std::vector<int64_t>> holders(map.getNumElements());
  SmallVector<int64_t> strides = computeStrides(map.getDomain());
  for (int64_t tile = 0; tile < map.getNumTiles(); ++tile) {
    Box box = map.getBox(tile);
    for (int64_t i = 0, e = box.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> at = delinearize(i, computeStrides(box.sizes));
      int64_t element = 0;
      for (size_t dim = 0; dim < at.size(); ++dim)
        element += (box.offsets[dim] + at[dim]) * strides[dim];
      holders[element].push_back(map.getFirst() + tile);
    }
  }
  return holders;
}

class MapTest : public ::testing::Test {
protected:
  MapTest() { context.loadDialect<IPUDialect>(); }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// A map of up to three dimensions over up to three grid axes.
  MapAttr drawMap() {
    SmallVector<int64_t> domain, grid;
    for (int64_t i = draw(0, 3); i > 0; --i)
      domain.push_back(draw(0, 7) == 0 ? 1 : draw(1, 6));
    for (int64_t i = draw(0, 3); i > 0; --i)
      grid.push_back(draw(1, 4));
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(grid.size()));
    std::shuffle(axes.begin(), axes.end(), random);
    SmallVector<MapBlock> blocks;
    for (size_t dim = 0; dim < domain.size(); ++dim) {
      if (axes.empty() || draw(0, 2) == 0) {
        blocks.emplace_back();
        continue;
      }
      int64_t step = draw(1, 4);
      // Mostly neither gaps nor overlaps, so that all properties occur.
      int64_t extent = draw(0, 3) ? step : draw(1, 5);
      blocks.push_back({axes.pop_back_val(), step, extent});
    }
    return MapAttr::get(&context, domain, grid, blocks, draw(0, 3));
  }

  MLIRContext context;
  std::mt19937 random{7};
};

TEST_F(MapTest, PropertiesAgreeWithEnumeration) {
  int covering = 0, disjoint = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    MapAttr map = drawMap();
    auto holders = getHolders(map);
    bool once = llvm::all_of(holders, [](auto &h) { return h.size() == 1; });
    bool atMostOnce =
        llvm::all_of(holders, [](auto &h) { return h.size() <= 1; });
    std::string text;
    llvm::raw_string_ostream(text) << map;
    EXPECT_EQ(map.coversOnce(), once) << text;
    EXPECT_EQ(map.isDisjoint(), atMostOnce) << text;
    int64_t most = 0;
    for (int64_t tile = 0; tile < map.getNumTiles(); ++tile)
      most = std::max(most, map.getBox(tile).getNumElements());
    EXPECT_EQ(map.getMaxElements(), most) << text;
    covering += once;
    disjoint += atMostOnce;
  }
  // The trials are no use if one side of a property never occurs.
  EXPECT_GT(covering, 300);
  EXPECT_GT(disjoint - covering, 300);
  EXPECT_LT(disjoint, 3700);
}

TEST_F(MapTest, CanonicalFormKeepsPlacement) {
  for (int trial = 0; trial < 2000; ++trial) {
    MapAttr map = drawMap();
    MapAttr canonical = map.getCanonical();
    EXPECT_EQ(getHolders(map), getHolders(canonical));
    EXPECT_TRUE(map.isEquivalentTo(canonical));
    EXPECT_EQ(canonical.getCanonical(), canonical);
  }
}

TEST_F(MapTest, EquivalenceJoinsWholeDimensions) {
  auto rows = MapAttr::get(&context, {8, 16}, {4}, {{0, 2, 2}, {}});
  auto linear = MapAttr::get(&context, {128}, {4}, {{0, 32, 32}});
  auto columns = MapAttr::get(&context, {8, 16}, {4}, {{}, {0, 4, 4}});
  EXPECT_TRUE(rows.isEquivalentTo(linear));
  EXPECT_FALSE(columns.isEquivalentTo(linear));
}

TEST_F(MapTest, RefactorKeepsPlacementOrFails) {
  auto map = MapAttr::get(&context, {1, 64, 96}, {4, 8},
                          {{}, {0, 16, 16}, {1, 12, 12}});
  MapAttr flat = map.refactor({64, 1, 96, 1});
  ASSERT_TRUE(flat);
  EXPECT_EQ(getHolders(map), getHolders(flat));
  EXPECT_FALSE(map.refactor({6144}));
  EXPECT_FALSE(map.refactor({96, 64}));
  EXPECT_FALSE(map.refactor({64}));
  // A dimension of one element that an axis cuts is not the same on all tiles.
  auto lone = MapAttr::get(&context, {1, 4}, {2}, {{0, 1, 1}, {}});
  EXPECT_FALSE(lone.refactor({4}));
}

} // namespace
