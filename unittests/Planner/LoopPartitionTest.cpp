//===- LoopPartitionTest.cpp - Partitions of tile forms ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/LoopPartition.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class PartitionTest : public ::testing::Test {
protected:
  PartitionTest() {
    context.loadDialect<IPUDialect>();
    target = *TargetModel::getPreset("gc200");
  }

  /// Returns the problem of a matmul [m, k] x [k, n] with a batch of one.
  PartitionProblem getMatmul(int64_t m, int64_t k, int64_t n) {
    PartitionProblem problem;
    problem.form.loops = {1, m, n};
    problem.form.inputs = {{{1, m, k}, {{0, 1, 1}, {1, 1, 1}, {}}},
                           {{1, k, n}, {{0, 1, 1}, {}, {2, 1, 1}}}};
    problem.form.results = {{{1, m, n}, {{0, 1, 1}, {1, 1, 1}, {2, 1, 1}}}};
    Type f32 = Float32Type::get(&context);
    problem.inputTypes = {f32, f32};
    problem.resultTypes = {f32};
    problem.cost = getCodeletCost({CodeletCostKind::Matmul, "matmul"}, f32,
                                  /*scalarOperand=*/false);
    return problem;
  }

  MLIRContext context;
  TargetModel target;
};

TEST_F(PartitionTest, MapsGivePartitionsBack) {
  PartitionProblem problem = getMatmul(12, 5, 20);
  const TileAccess &result = problem.form.results.front();
  for (const LoopBlocks &blocks :
       {LoopBlocks{1, 3, 4}, LoopBlocks{1, 12, 20}, LoopBlocks{1, 1, 20}}) {
    TileMappingAttr mapping =
        getAccessTileMapping(&context, problem.form, blocks, result, 2);
    EXPECT_TRUE(mapping.coversOnce());
    EXPECT_EQ(getPartition(problem.form, result, mapping), blocks);
  }
  // A tile mapping that is not a partition.
  auto other =
      TileMappingAttr::get(&context, {1, 12, 20}, {4}, {{}, {0, 3, 3}, {}}, 0);
  EXPECT_TRUE(getPartition(problem.form, result, other));
  // The part of columns may change more slowly from tile to tile than the part
  // of rows.
  auto swapped = TileMappingAttr::get(&context, {1, 12, 20}, {5, 4},
                                      {{}, {1, 3, 3}, {0, 4, 4}}, 0);
  std::optional<LoopBlocks> blocks =
      getPartition(problem.form, result, swapped);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(*blocks, (LoopBlocks{1, 3, 4}));
  EXPECT_EQ(
      getAccessTileMapping(&context, problem.form, *blocks,
                           problem.form.inputs[1]),
      TileMappingAttr::get(&context, {1, 5, 20}, {5, 4}, {{}, {}, {0, 4, 4}}));
  auto overlap =
      TileMappingAttr::get(&context, {1, 12, 20}, {4}, {{}, {0, 3, 4}, {}}, 0);
  EXPECT_FALSE(getPartition(problem.form, result, overlap));
}

TEST_F(PartitionTest, WindowsOverlap) {
  // A convolution of 10 outputs with stride 2 and kernel 3 on 21 inputs.
  TileForm form;
  form.loops = {10};
  form.inputs = {{{21}, {{0, 2, 3}}}};
  form.results = {{{10}, {{0, 1, 1}}}};
  TileMappingAttr mapping =
      getAccessTileMapping(&context, form, {4}, form.inputs[0]);
  EXPECT_EQ(mapping, TileMappingAttr::get(&context, {21}, {3}, {{0, 8, 9}}));
  EXPECT_EQ(mapping.getTileRegion(2).offsets[0], 16);
  EXPECT_EQ(mapping.getTileRegion(2).sizes[0], 5);
}

TEST_F(PartitionTest, LinearMapsSpreadInWords) {
  Type f16 = Float16Type::get(&context);
  EXPECT_EQ(
      getLinearTileMapping(&context, target, 1472 * 3, f16).getBlocks()[0].step,
      4);
  EXPECT_EQ(getLinearTileMapping(&context, target, 2, f16).getNumTiles(), 2);
  EXPECT_EQ(getLinearTileMapping(&context, target, 1, f16).getNumTiles(), 1);
  EXPECT_TRUE(getLinearTileMapping(&context, target, 0, f16).coversOnce());
  for (int64_t elements : {2, 3, 7, 1471, 1472, 1473, 100000}) {
    TileMappingAttr mapping =
        getLinearTileMapping(&context, target, elements, f16);
    EXPECT_TRUE(mapping.coversOnce());
    EXPECT_GT(mapping.getNumTiles(), 1);
    EXPECT_LE(mapping.getNumTiles(), target.tiles);
  }
}

TEST_F(PartitionTest, FirstPartitionCutsOuterLoopsFirst) {
  target.tiles = 16;
  TileForm form;
  form.loops = {3, 20, 7};
  EXPECT_EQ(getFirstPartition(target, form), (LoopBlocks{1, 4, 7}));
  form.loops = {3, 2, 7};
  EXPECT_EQ(getFirstPartition(target, form), (LoopBlocks{1, 1, 4}));
  form.loops = {0};
  EXPECT_EQ(getFirstPartition(target, form), LoopBlocks{1});
}

TEST_F(PartitionTest, CopiesAreSpread) {
  // Rows of a left operand, each on 8 tiles. Each tile gets an eighth of its
  // rows.
  auto copies =
      TileMappingAttr::get(&context, {12, 64}, {3, 8}, {{0, 4, 4}, {}});
  EXPECT_EQ(
      getSpreadTileMapping(copies),
      TileMappingAttr::get(&context, {12, 64}, {3, 8}, {{0, 4, 4}, {1, 8, 8}}));
  // The outermost dimension that is large enough is split or, if there is none,
  // the largest dimension.
  copies =
      TileMappingAttr::get(&context, {2, 9, 30, 40}, {8}, {{}, {}, {}, {}});
  EXPECT_EQ(getSpreadTileMapping(copies),
            TileMappingAttr::get(&context, {2, 9, 30, 40}, {5},
                                 {{}, {0, 2, 2}, {}, {}}));
  copies = TileMappingAttr::get(&context, {2, 5, 3}, {8}, {{}, {}, {}});
  EXPECT_EQ(
      getSpreadTileMapping(copies),
      TileMappingAttr::get(&context, {2, 5, 3}, {5}, {{}, {0, 1, 1}, {}}));
  // If one dimension does not have enough parts, several dimensions are split.
  copies = TileMappingAttr::get(&context, {2, 5, 3}, {10}, {{}, {}, {}});
  EXPECT_EQ(getSpreadTileMapping(copies),
            TileMappingAttr::get(&context, {2, 5, 3}, {5, 2},
                                 {{1, 1, 1}, {0, 1, 1}, {}}));
  // Halos are on the tile whose block they begin, and the end is on the last
  // tile.
  auto halo = TileMappingAttr::get(&context, {21}, {3}, {{0, 8, 9}});
  EXPECT_EQ(getSpreadTileMapping(halo),
            TileMappingAttr::get(&context, {21}, {3}, {{0, 8, 8}}));
  halo = TileMappingAttr::get(&context, {10}, {4}, {{0, 2, 4}});
  EXPECT_EQ(getSpreadTileMapping(halo),
            TileMappingAttr::get(&context, {10}, {4}, {{0, 3, 3}}));
  // Only the positions in the parts of a dimension can be split for the copies.
  copies = TileMappingAttr::get(&context, {12}, {3, 8}, {{0, 4, 4}});
  EXPECT_EQ(
      getSpreadTileMapping(copies),
      TileMappingAttr::get(&context, {3, 4}, {3, 4}, {{0, 1, 1}, {1, 1, 1}}));
  // Groups are not split. If the parts do not divide the rest, the tensor is
  // split again, from the outermost dimension of the storage.
  AffineExpr c, x;
  bindDims(&context, c, x);
  auto grouped = TileMappingAttr::get(&context, {32, 7}, {2, 3, 4},
                                      {{0, 16, 16}, {1, 3, 3}})
                     .withLayout(AffineMap::get(
                         2, 0, {c.floorDiv(16), x, c % 16}, &context));
  EXPECT_EQ(
      getSpreadTileMapping(grouped),
      TileMappingAttr::get(&context, {32, 7}, {2, 7}, {{0, 16, 16}, {1, 1, 1}})
          .withLayout(grouped.getLayout()));
}

TEST_F(PartitionTest, NestedPartitionsGiveMapsAndBack) {
  // A convolution of 30 by 30 outputs with a kernel of 3 by 3, on 2 by 2 IPUs
  // of 16 tiles. An IPU has 4 parts of 4 rows, and 3 parts of 5 columns.
  TileForm form;
  form.loops = {30, 30};
  form.inputs = {{{32, 32}, {{0, 1, 3}, {1, 1, 3}}}};
  form.results = {{{30, 30}, {{0}, {1}}}};
  LoopBlocks blocks = {4, 5};
  blocks.ipus = {2, 2};
  blocks.ipuTiles = 16;
  EXPECT_EQ(getPartsPerIPU(form, blocks, 0), 4);
  EXPECT_EQ(getPartsPerIPU(form, blocks, 1), 3);
  auto get = [&](ArrayRef<int64_t> domain, int64_t extent0, int64_t extent1) {
    return TileMappingAttr::get(&context, domain, {8, 6},
                                {{0, 4, extent0}, {1, 5, extent1}}, 0,
                                AffineMap(), {2, 2}, 16);
  };
  TileMappingAttr result =
      getAccessTileMapping(&context, form, blocks, form.results.front());
  EXPECT_EQ(result, get({30, 30}, 4, 5));
  TileMappingAttr input =
      getAccessTileMapping(&context, form, blocks, form.inputs.front());
  EXPECT_EQ(input, get({32, 32}, 6, 7));
  std::optional<LoopBlocks> back =
      getPartition(form, form.results.front(), result);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, blocks);
  EXPECT_EQ(back->ipus, blocks.ipus);
  EXPECT_EQ(back->ipuTiles, 16);
  // The input without its halos is on the same IPUs, also if it is larger than
  // the output.
  EXPECT_EQ(getSpreadTileMapping(input),
            TileMappingAttr::get(&context, {32, 32}, {8, 6},
                                 {{0, 4, 4}, {1, 6, 6}}, 0, AffineMap(), {2, 2},
                                 16));
  EXPECT_EQ(getRescaledTileMapping(result, {30, 30}, {60, 90}),
            TileMappingAttr::get(&context, {60, 90}, {8, 6},
                                 {{0, 8, 8}, {1, 15, 15}}, 0, AffineMap(),
                                 {2, 2}, 16));
  // Copies on three tiles of each of two IPUs become parts of a dimension that
  // has enough elements. Otherwise, the grid is not nested.
  auto copies = [&](int64_t size) {
    return TileMappingAttr::get(&context, {30, size}, {8, 6}, {{0, 4, 4}, {}},
                                0, AffineMap(), {2, 2}, 16);
  };
  EXPECT_EQ(getSpreadTileMapping(copies(12)),
            TileMappingAttr::get(&context, {30, 12}, {8, 6},
                                 {{0, 4, 4}, {1, 2, 2}}, 0, AffineMap(), {2, 2},
                                 16));
  TileMappingAttr flat = getSpreadTileMapping(copies(1));
  EXPECT_FALSE(flat.isNested());
  EXPECT_TRUE(flat.coversOnce());
  // This also holds for a tensor without elements.
  auto empty = TileMappingAttr::get(&context, {0, 5}, {2, 2}, {{0, 1, 1}, {}},
                                    0, AffineMap(), {2, 1}, 16);
  EXPECT_TRUE(getSpreadTileMapping(empty).coversOnce());
  // An op with a scalar operand may be nested, too.
  form.inputs.push_back({{}, {}});
  EXPECT_TRUE(getPartition(form, form.results.front(), result));
}

TEST_F(PartitionTest, CutsAreRescaled) {
  auto mapping = TileMappingAttr::get(&context, {4, 56, 9}, {2, 14},
                                      {{0, 2, 2}, {1, 4, 4}, {}}, 3);
  EXPECT_EQ(getRescaledTileMapping(mapping, {4, 56, 9}, {4, 58, 9}),
            TileMappingAttr::get(&context, {4, 58, 9}, {2, 12},
                                 {{0, 2, 2}, {1, 5, 5}, {}}, 3));
  EXPECT_FALSE(getRescaledTileMapping(mapping, {4, 56, 9}, {4, 58}));
  // Four blocks of 56 rows become twelve blocks for three times as many rows.
  EXPECT_EQ(getRescaledTileMapping(mapping, {4 * 56, 9}, {12 * 56, 9}),
            TileMappingAttr::get(&context, {12, 56, 9}, {2, 14},
                                 {{0, 6, 6}, {1, 4, 4}, {}}, 3));
  EXPECT_FALSE(getRescaledTileMapping(mapping, {4 * 56, 9}, {230, 9}));
  // A new dimension is not split.
  EXPECT_EQ(getRescaledTileMapping(mapping, {4 * 56, 9, 1}, {4 * 56, 9, 2}),
            TileMappingAttr::get(&context, {4, 56, 9, 2}, {2, 14},
                                 {{0, 2, 2}, {1, 4, 4}, {}, {}}, 3));
  EXPECT_EQ(getRescaledTileMapping(mapping, {1, 4 * 56, 9}, {2, 4 * 56, 9}),
            TileMappingAttr::get(&context, {2, 4, 56, 9}, {2, 14},
                                 {{}, {0, 2, 2}, {1, 4, 4}, {}}, 3));
}

TEST_F(PartitionTest, MergedDimensionsAreSeparated) {
  AffineExpr c, p, x;
  bindDims(&context, c, p, x);
  auto merged =
      TileMappingAttr::get(&context, {32, 15}, {2, 8}, {{0, 16, 16}, {1, 2, 2}})
          .withLayout(
              AffineMap::get(2, 0, {c.floorDiv(16), p, c % 16}, &context));
  auto separate =
      TileMappingAttr::get(&context, {32, 3, 5}, {2, 8}, {{0, 16, 16}, {}, {}})
          .withLayout(
              AffineMap::get(3, 0, {c.floorDiv(16), p, x, c % 16}, &context));
  EXPECT_EQ(getSeparatedTileMapping(merged, {32, 3, 5}), separate);
  EXPECT_EQ(getSeparatedTileMapping(merged, {32, 15}), merged);
  // The dimensions do not multiply to a dimension of the mapping, or they
  // divide groups.
  EXPECT_FALSE(getSeparatedTileMapping(merged, {32, 2, 7}));
  EXPECT_FALSE(getSeparatedTileMapping(merged, {2, 16, 15}));
}

TEST_F(PartitionTest, CopiesBecomePartsOfTheDimensionBefore) {
  // Two blocks of 6 rows are each on 4 tiles. The tiles of a block share it by
  // rows, although 12 is more than the number of rows.
  auto copies =
      TileMappingAttr::get(&context, {11, 2}, {2, 4}, {{0, 6, 6}, {}});
  EXPECT_EQ(
      getSpreadTileMapping(copies),
      TileMappingAttr::get(&context, {11, 2}, {4, 2}, {{0, 3, 3}, {1, 1, 1}}));
  // Two of three tiles would remain unused if columns alone were split.
  copies = TileMappingAttr::get(&context, {11, 1}, {2, 3}, {{0, 6, 6}, {}});
  EXPECT_EQ(getSpreadTileMapping(copies),
            TileMappingAttr::get(&context, {11, 1}, {6}, {{0, 2, 2}, {}}));
}

/// The weight of a product of the matrix unit is in blocks of 16 rows and 16
/// columns. Each of 1152 tiles holds two blocks.
TEST_F(PartitionTest, StoredTensorsAreEven) {
  AffineExpr row = getAffineDimExpr(2, &context),
             column = getAffineDimExpr(3, &context);
  auto layout = AffineMap::get(
      4, 0,
      {getAffineDimExpr(0, &context), getAffineDimExpr(1, &context),
       column.floorDiv(16), row.floorDiv(16), column % 16, row % 16},
      &context);
  auto blocked = TileMappingAttr::get(&context, {1, 4, 192, 768}, {4, 48, 6},
                                      {{}, {0, 1, 1}, {2, 32, 32}, {1, 16, 16}},
                                      /*first=*/320, layout);
  ASSERT_EQ(blocked.getMaxElements(), 512);
  TileMappingAttr even =
      getEvenTileMapping(blocked, {768, 768}, /*elementBytes=*/2, 1472);
  ASSERT_TRUE(even);
  EXPECT_TRUE(even.coversOnce());
  EXPECT_EQ(even.getMaxElements(), 416);
  EXPECT_LE(even.getNumTiles(), 1472);
  EXPECT_EQ(even.getFirst(), 0);
  // The 16 rows of a block stay contiguous.
  EXPECT_EQ(even.getStorageDims().back().dim, 0);
  EXPECT_EQ(even.getStorageDims().back().group, 16);
  // No tile mapping is more even on the same tiles.
  EXPECT_FALSE(getEvenTileMapping(even, {768, 768}, 2, 1472));
  // A vector is cut into whole words.
  auto vector =
      TileMappingAttr::get(&context, {768}, {96}, {{0, 8, 8}}, /*first=*/7);
  even = getEvenTileMapping(vector, {768}, /*elementBytes=*/2, 1472);
  ASSERT_TRUE(even);
  EXPECT_TRUE(even.coversOnce());
  EXPECT_EQ(even.getMaxElements(), 2);
  // A domain that merges dimensions of the tensor, and copies.
  EXPECT_FALSE(getEvenTileMapping(vector, {32, 24}, 2, 1472));
  auto copies = TileMappingAttr::get(&context, {768}, {2}, {{}}, 0);
  EXPECT_FALSE(getEvenTileMapping(copies, {768}, 2, 1472));
}

TEST_F(PartitionTest, MapsOfViewsAreInverse) {
  auto buffer = TileMappingAttr::get(&context, {4, 6, 10}, {2, 5},
                                     {{0, 2, 2}, {}, {1, 2, 2}}, 3);
  for (const SmallVector<int64_t> &order :
       {SmallVector<int64_t>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    SmallVector<int64_t> strides = {60, 10, 1}, sizes = {4, 6, 10};
    StridedView view{0, applyPermutation(sizes, order),
                     applyPermutation(strides, order)};
    TileMappingAttr mapping = getTileMappingOfView(buffer, view);
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping.getDomain(), ArrayRef(view.sizes));
    EXPECT_EQ(getTileMappingOfBuffer(mapping, view, 240), buffer);
  }
  // A part, a repetition and a reversal of the buffer.
  EXPECT_FALSE(getTileMappingOfView(buffer, {0, {4, 6, 5}, {60, 10, 1}}));
  EXPECT_FALSE(getTileMappingOfView(buffer, {0, {40, 6}, {0, 10}}));
  EXPECT_FALSE(getTileMappingOfView(buffer, {9, {4, 6, 10}, {60, 10, -1}}));
}

TEST_F(PartitionTest, MapsGoThroughTransposes) {
  // The columns of a transposed matrix are the rows of its buffer.
  auto mapping =
      TileMappingAttr::get(&context, {1, 6, 20}, {5}, {{}, {}, {0, 4, 4}});
  StridedView transposed{0, {6, 20}, {1, 6}};
  EXPECT_EQ(getTileMappingOfBuffer(mapping, transposed, 120),
            TileMappingAttr::get(&context, {20, 6}, {5}, {{0, 4, 4}, {}}));
  EXPECT_EQ(
      getTileMappingOfBuffer(mapping, StridedView::identity({6, 20}), 120),
      mapping);
  // If the view is half of the buffer, the buffer has the same number of parts.
  EXPECT_EQ(getTileMappingOfBuffer(mapping, transposed, 240),
            TileMappingAttr::get(&context, {40, 6}, {5}, {{0, 8, 8}, {}}));
  // Dimensions may be factorised.
  auto factorised = TileMappingAttr::get(&context, {6, 4, 5}, {4, 2},
                                         {{1, 3, 3}, {0, 1, 1}, {}});
  EXPECT_EQ(getTileMappingOfBuffer(factorised, transposed, 120),
            TileMappingAttr::get(&context, {4, 5, 6}, {4, 2},
                                 {{0, 1, 1}, {}, {1, 3, 3}}));
  // A part of a nested partition may be empty: no element of the buffer is on
  // its tile.
  auto withEmpty = TileMappingAttr::get(
      &context, {1, 6, 20}, {2, 2}, {{0, 1, 1}, {1, 3, 3}, {}},
      /*first=*/0, AffineMap(), {2, 2}, /*ipuTiles=*/3);
  EXPECT_TRUE(withEmpty.coversOnce());
  EXPECT_FALSE(
      getTileMappingOfBuffer(withEmpty, {0, {1, 6, 20}, {0, 1, 6}}, 120));
  // What is reversed is cut like what is not.
  EXPECT_EQ(getTileMappingOfBuffer(mapping, {5, {6, 20}, {-1, 6}}, 120),
            getTileMappingOfBuffer(mapping, transposed, 120));
  // The view repeats a dimension.
  EXPECT_FALSE(getTileMappingOfBuffer(mapping, {0, {6, 20}, {1, 0}}, 120));
}

} // namespace
