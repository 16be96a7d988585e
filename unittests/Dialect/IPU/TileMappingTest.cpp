//===- TileMappingTest.cpp - Tile mappings against enumeration ------------===//
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestedTileMappings.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

/// Returns the tiles that hold each element, by enumeration of the regions of
/// all tiles.
std::vector<std::vector<int64_t>> getHolders(TileMappingAttr mapping) {
  std::vector<std::vector<int64_t>> holders(mapping.getNumElements());
  SmallVector<int64_t> strides = computeStrides(mapping.getDomain());
  for (int64_t tile = 0; tile < mapping.getNumTiles(); ++tile) {
    IndexRegion region = mapping.getTileRegion(tile);
    for (int64_t i = 0, e = region.getNumElements(); i < e; ++i) {
      SmallVector<int64_t> at = delinearize(i, computeStrides(region.sizes));
      int64_t element = 0;
      for (size_t dim = 0; dim < at.size(); ++dim)
        element += (region.offsets[dim] + at[dim]) * strides[dim];
      holders[element].push_back(mapping.getFirst() + tile);
    }
  }
  return holders;
}

class TileMappingTest : public ::testing::Test {
protected:
  TileMappingTest() { context.loadDialect<IPUDialect>(); }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// Returns a random tile mapping of up to three dimensions over up to three
  /// grid axes.
  TileMappingAttr drawTileMapping() {
    SmallVector<int64_t> domain, grid;
    for (int64_t i = draw(0, 3); i > 0; --i)
      domain.push_back(draw(0, 7) == 0 ? 1 : draw(1, 6));
    for (int64_t i = draw(0, 3); i > 0; --i)
      grid.push_back(draw(1, 4));
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(grid.size()));
    std::shuffle(axes.begin(), axes.end(), random);
    SmallVector<TileMappingBlock> blocks;
    for (size_t dim = 0; dim < domain.size(); ++dim) {
      if (axes.empty() || draw(0, 2) == 0) {
        blocks.emplace_back();
        continue;
      }
      int64_t step = draw(1, 4);
      // Most mappings have neither gaps nor overlaps, so that all properties
      // occur.
      int64_t extent = draw(0, 3) ? step : draw(1, 5);
      blocks.push_back({axes.pop_back_val(), step, extent});
    }
    auto mapping =
        TileMappingAttr::get(&context, domain, grid, blocks, draw(0, 3));
    if (draw(0, 2))
      return mapping;
    return drawNested(
        mapping, [&](int64_t low, int64_t high) { return draw(low, high); });
  }

  MLIRContext context;
  std::mt19937 random{7};
};

TEST_F(TileMappingTest, PropertiesAgreeWithEnumeration) {
  int covering = 0, disjoint = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    TileMappingAttr mapping = drawTileMapping();
    auto holders = getHolders(mapping);
    bool once = llvm::all_of(holders, [](auto &h) { return h.size() == 1; });
    bool atMostOnce =
        llvm::all_of(holders, [](auto &h) { return h.size() <= 1; });
    std::string text;
    llvm::raw_string_ostream(text) << mapping;
    EXPECT_EQ(mapping.coversOnce(), once) << text;
    EXPECT_EQ(mapping.isDisjoint(), atMostOnce) << text;
    int64_t most = 0;
    for (int64_t tile = 0; tile < mapping.getNumTiles(); ++tile)
      most = std::max(most, mapping.getTileRegion(tile).getNumElements());
    EXPECT_EQ(mapping.getMaxElements(), most) << text;
    covering += once;
    disjoint += atMostOnce;
  }
  // The trials must include mappings with and without each property.
  EXPECT_GT(covering, 300);
  EXPECT_GT(disjoint - covering, 300);
  EXPECT_LT(disjoint, 3700);
}

TEST_F(TileMappingTest, CanonicalFormKeepsPlacement) {
  for (int trial = 0; trial < 2000; ++trial) {
    TileMappingAttr mapping = drawTileMapping();
    TileMappingAttr canonical = mapping.getCanonical();
    EXPECT_EQ(getHolders(mapping), getHolders(canonical));
    EXPECT_TRUE(mapping.isEquivalentTo(canonical));
    EXPECT_EQ(canonical.getCanonical(), canonical);
  }
}

TEST_F(TileMappingTest, NestedGridsNumberTilesByIPU) {
  // 2 x 2 IPUs of 5 tiles each have 2 x 2 parts of 4 x 4.
  auto nested = TileMappingAttr::get(
      &context, {8, 8}, {4, 4}, {{0, 2, 2}, {1, 2, 2}}, /*first=*/1,
      AffineMap(), /*ipus=*/{2, 2}, /*ipuTiles=*/5);
  EXPECT_EQ(nested.getNumTiles(), 3 * 5 + 4);
  EXPECT_TRUE(nested.coversOnce());
  SmallVector<GridAxis> axes = nested.getGridAxes();
  for (int64_t index = 0; index < nested.getNumTiles(); ++index) {
    IndexRegion region = nested.getTileRegion(index);
    int64_t ipu = index / 5, tile = index % 5;
    EXPECT_EQ(nested.isInGrid(index), tile < 4);
    EXPECT_EQ(region.isEmpty(), tile == 4);
    if (tile == 4)
      continue;
    int64_t row = ipu / 2 * 2 + tile / 2, column = ipu % 2 * 2 + tile % 2;
    EXPECT_EQ(region.offsets, SmallVector<int64_t>({2 * row, 2 * column}));
    EXPECT_EQ(axes[0].getCoordinate(index), row);
    EXPECT_EQ(axes[1].getCoordinate(index), column);
    EXPECT_EQ(axes[0].getOffset(row) + axes[1].getOffset(column), index);
  }
  // Without its dimensions, the mapping has a copy on each tile of the grid,
  // and on no other tile.
  TileMappingAttr copies = nested.permute({});
  EXPECT_EQ(getHolders(copies).front().size(), 16u);
  EXPECT_FALSE(nested.refactor({}));
  // If the IPUs are only along the outermost axis, and have no other tiles, the
  // grid need not be nested.
  auto rows =
      TileMappingAttr::get(&context, {8, 8}, {4, 4}, {{0, 2, 2}, {1, 2, 2}});
  auto getRows = [&](int64_t tiles) {
    return TileMappingAttr::get(&context, {8, 8}, {4, 4},
                                {{0, 2, 2}, {1, 2, 2}}, 0, AffineMap(), {2, 1},
                                tiles);
  };
  EXPECT_TRUE(getRows(8).isEquivalentTo(rows));
  EXPECT_FALSE(getRows(9).isEquivalentTo(rows));
  EXPECT_FALSE(nested.isEquivalentTo(rows));
}

TEST_F(TileMappingTest, EquivalenceJoinsWholeDimensions) {
  auto rows = TileMappingAttr::get(&context, {8, 16}, {4}, {{0, 2, 2}, {}});
  auto linear = TileMappingAttr::get(&context, {128}, {4}, {{0, 32, 32}});
  auto columns = TileMappingAttr::get(&context, {8, 16}, {4}, {{}, {0, 4, 4}});
  EXPECT_TRUE(rows.isEquivalentTo(linear));
  EXPECT_FALSE(columns.isEquivalentTo(linear));
}

TEST_F(TileMappingTest, EquivalenceRespectsLayouts) {
  AffineExpr a, b, c;
  bindDims(&context, a, b, c);
  auto get = [&](ArrayRef<int64_t> domain, int64_t axisDim, int64_t step,
                 ArrayRef<AffineExpr> layout) {
    SmallVector<TileMappingBlock> blocks(domain.size());
    blocks[axisDim] = {0, step, step};
    return TileMappingAttr::get(
        &context, domain, {4}, blocks, /*first=*/0,
        layout.empty() ? AffineMap()
                       : AffineMap::get(domain.size(), 0, layout, &context));
  };
  // Channels in groups of 4 inside of 6 positions. The channels are one
  // dimension, and then two dimensions.
  TileMappingAttr grouped = get({32, 6}, 0, 8, {a.floorDiv(4), b, a % 4});
  EXPECT_TRUE(grouped.isEquivalentTo(get({8, 4, 6}, 0, 2, {a, c, b})));
  EXPECT_FALSE(grouped.isEquivalentTo(get({32, 6}, 0, 8, {})));
  EXPECT_FALSE(
      grouped.isEquivalentTo(get({32, 6}, 0, 8, {a.floorDiv(8), b, a % 8})));
  // The positions are one dimension, or rows and columns.
  EXPECT_TRUE(grouped.isEquivalentTo(
      get({32, 3, 2}, 0, 8, {a.floorDiv(4), b, c, a % 4})));
  EXPECT_FALSE(grouped.isEquivalentTo(
      get({32, 3, 2}, 0, 8, {a.floorDiv(4), c, b, a % 4})));
  // A layout whose groups directly follow each other has no groups.
  EXPECT_TRUE(get({32, 6}, 0, 8, {a.floorDiv(4), a % 4, b})
                  .isEquivalentTo(get({32, 6}, 0, 8, {})));
  EXPECT_FALSE(get({32, 6}, 0, 8, {})
                   .withLayout(AffineMap::get(2, 0, {a.floorDiv(5), b, a % 5},
                                              &context)));
}

TEST_F(TileMappingTest, RefactorKeepsPlacementOrFails) {
  auto mapping = TileMappingAttr::get(&context, {1, 64, 96}, {4, 8},
                                      {{}, {0, 16, 16}, {1, 12, 12}});
  TileMappingAttr flat = mapping.refactor({64, 1, 96, 1});
  ASSERT_TRUE(flat);
  EXPECT_EQ(getHolders(mapping), getHolders(flat));
  EXPECT_FALSE(mapping.refactor({6144}));
  EXPECT_FALSE(mapping.refactor({96, 64}));
  EXPECT_FALSE(mapping.refactor({64}));
  // The mapping keeps its layout.
  AffineExpr a, b, c;
  bindDims(&context, a, b, c);
  TileMappingAttr grouped = mapping.withLayout(
      AffineMap::get(3, 0, {b.floorDiv(4), c, a, b % 4}, &context));
  ASSERT_TRUE(grouped);
  flat = grouped.refactor({64, 96});
  EXPECT_EQ(flat.getLayout(),
            AffineMap::get(2, 0, {a.floorDiv(4), b, a % 4}, &context));
  EXPECT_TRUE(flat.isEquivalentTo(grouped));
  // A dimension of one element that an axis splits is not on all tiles.
  auto lone = TileMappingAttr::get(&context, {1, 4}, {2}, {{0, 1, 1}, {}});
  EXPECT_FALSE(lone.refactor({4}));
}

} // namespace
