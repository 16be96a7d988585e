//===- ProductBlocksTest.cpp - Blocks of sums of products -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/ProductBlocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir::ipu;

static constexpr int64_t kMaxCount = 65535;

// The formulas are in docs/dialects/pop.md. With 16 columns, one row and f32, t
// addends on a tile take 220 + 17 t + 50 + 12 + t / 8 * 386 cycles. Adding
// blocks takes 220 + n (P - 1) + 2 (P - 1) + 6 (32 + ceil(ceil(n / 6) / 4) (3 P
// + 7)) cycles with n = 16. 32 addends take 2370 cycles, and two blocks of 16
// take 1834 cycles.
TEST(ProductBlocks, FewestCycles) {
  SumsOfProducts sums;
  sums.columns = 16;
  sums.terms = 32;
  ProductBlock block = chooseProductBlock(sums, kMaxCount);
  EXPECT_EQ(block.terms, 16);
  EXPECT_EQ(block.count, 2);
  // There are at most as many blocks as there are whole steps of 16 addends.
  sums.terms = 31;
  EXPECT_EQ(chooseProductBlock(sums, kMaxCount).count, 1);
  // There are at most as many blocks as requested.
  sums.terms = 32;
  EXPECT_EQ(chooseProductBlock(sums, 1).count, 1);
}

// 64 addends take 4458 cycles as one block, 2878 as two and 1906 as four. A
// third of 64 addends is rounded up to 32, which gives two blocks.
TEST(ProductBlocks, MoreBlocksOfFewerCycles) {
  SumsOfProducts sums;
  sums.columns = 16;
  sums.terms = 64;
  EXPECT_EQ(chooseProductBlock(sums, kMaxCount).count, 4);
  EXPECT_EQ(chooseProductBlock(sums, 3).count, 2);
}

// The gradient of the weights of a convolution 1 x 1. 98 blocks in groups of 14
// take 37,836 cycles, and 56 blocks in one stage take 37,920. Groups cost a
// thirty-second more.
TEST(ProductBlocks, GroupsCostMore) {
  SumsOfProducts sums;
  sums.elementBytes = 2;
  sums.rows = 128;
  sums.columns = 512;
  sums.terms = 16;
  sums.windows = {{28, 28, 1, 1, 1}, {28, 28, 1, 1, 1}};
  ProductBlock block = chooseProductBlock(sums, kMaxCount);
  EXPECT_EQ(block.count, 56);
  EXPECT_EQ(block.group, 0);
}

// Of 58 channels of f16, half are 29, which are no whole words. So blocks have
// 32 and 26 channels. In f32, blocks of 29 channels have whole words.
TEST(ProductBlocks, BlocksHaveWholeWords) {
  SumsOfProducts sums;
  sums.rows = 1;
  sums.columns = sums.terms = 58;
  sums.windows = {{28, 1, 1, 1, 28}, {28, 1, 1, 1, 28}};
  sums.elementBytes = 2;
  ProductBlock block = chooseProductBlock(sums, kMaxCount);
  EXPECT_EQ(block.terms, 32);
  EXPECT_EQ(block.count, 2);
  sums.elementBytes = 4;
  block = chooseProductBlock(sums, kMaxCount);
  EXPECT_EQ(block.terms, 29);
  EXPECT_EQ(block.count, 2);
}

// A block has 48 of 512 channels, and the last one has 32: tiles have work for
// three steps of the matrix unit instead of four.
TEST(ProductBlocks, LastBlockOfFewerAddends) {
  SumsOfProducts sums;
  sums.elementBytes = 2;
  sums.rows = 16;
  sums.columns = sums.terms = 512;
  sums.windows = {{9, 3, 1, 1, 7}, {9, 3, 1, 1, 7}};
  ProductBlock block = chooseProductBlock(sums, kMaxCount);
  EXPECT_EQ(block.terms, 48);
  EXPECT_EQ(block.count, 11);
  EXPECT_EQ(block.group, 0);
}

// More than 64 blocks are added in groups of all blocks along the inner
// dimensions, or of a power of two if only one dimension has blocks.
TEST(ProductBlocks, GroupsOfInnerBlocks) {
  SumsOfProducts sums;
  sums.elementBytes = 2;
  sums.rows = sums.columns = 64;
  sums.terms = 4;
  sums.windows = {{56, 56, 1, 1, 1}, {56, 56, 1, 1, 1}};
  ProductBlock block = chooseProductBlock(sums, kMaxCount);
  EXPECT_GT(block.count, 64);
  EXPECT_EQ(block.group, 56 / block.kernel[1]);
  EXPECT_LE(block.count / block.group, 64);
  sums.windows.clear();
  sums.terms = 4 * 56 * 56;
  block = chooseProductBlock(sums, kMaxCount);
  EXPECT_GT(block.count, 64);
  EXPECT_TRUE(llvm::isPowerOf2_64(block.group));
  EXPECT_GE(block.group * block.group, block.count);
}

TEST(ProductBlocks, BlocksMakeUpTheSum) {
  std::mt19937 random{3};
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 300; ++trial) {
    SumsOfProducts sums;
    sums.groups = draw(1, 4);
    sums.rows = int64_t(1) << draw(0, 10);
    sums.columns = draw(1, 2000);
    sums.terms = draw(1, 3000);
    sums.elementBytes = draw(0, 1) ? 2 : 4;
    for (int64_t dims = draw(0, 2); dims > 0; --dims) {
      int64_t kernel = draw(1, 60), count = draw(1, 60);
      sums.windows.push_back({kernel + count - 1, kernel, 1, 1, count});
    }
    ProductBlock block = chooseProductBlock(sums, kMaxCount);
    int64_t count = llvm::divideCeil(sums.terms, block.terms);
    EXPECT_TRUE(sums.terms % block.terms == 0 || block.terms % 16 == 0);
    EXPECT_TRUE(count == 1 || block.terms >= 16);
    ASSERT_EQ(block.kernel.size(), sums.windows.size());
    for (auto [window, size] : llvm::zip_equal(sums.windows, block.kernel)) {
      EXPECT_EQ(window.kernel % size, 0);
      EXPECT_TRUE(size == window.kernel || window.kernel > window.count);
      count *= window.kernel / size;
    }
    EXPECT_EQ(block.count, count);
    EXPECT_LE(block.count, 1472);
  }
}

TEST(ProductBlocks, GreatSizes) {
  SumsOfProducts sums;
  int64_t prime = 35184372088777, large = int64_t(1) << 55;
  sums.windows = {{prime + 2, prime, 1, 1, 3}, {large, 3, large / 4, 1, large}};
  EXPECT_EQ(chooseProductBlock(sums, kMaxCount).kernel.front(), prime);
  sums.rows = sums.columns = sums.terms = large;
  sums.windows.back().dilation = large;
  EXPECT_GE(chooseProductBlock(sums, kMaxCount).count, 1);
}
