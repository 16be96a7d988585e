//===- SplitExactlyTest.cpp - Tests of shares that add up -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/SplitExactly.h"

#include "gtest/gtest.h"
#include <limits>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

using Shares = SmallVector<int64_t>;

TEST(SplitExactlyTest, RoundsTheGreatestRemaindersUp) {
  // 10 * 1 / 6, 10 * 2 / 6 and 10 * 3 / 6: the remainders are 4, 2 and 0
  // sixths.
  EXPECT_EQ(splitExactly(10, {1, 2, 3}), (Shares{2, 3, 5}));
  // Of equal remainders, the first ones.
  EXPECT_EQ(splitExactly(5, {1, 1, 1}), (Shares{2, 2, 1}));
  EXPECT_EQ(splitExactly(7, {0, 3, 0}), (Shares{0, 7, 0}));
}

TEST(SplitExactlyTest, TakesZeroWeightsAsEqual) {
  EXPECT_EQ(splitExactly(3, {0, 0}), (Shares{2, 1}));
  EXPECT_EQ(splitExactly(0, {0, 0}), (Shares{0, 0}));
}

TEST(SplitExactlyTest, IsExactForTheGreatestNumbers) {
  int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(splitExactly(most, {most, most}), (Shares{most / 2 + 1, most / 2}));
  EXPECT_EQ(splitExactly(most, {most, 0, 1}), (Shares{most - 1, 0, 1}));
}

TEST(SplitExactlyTest, AddsUpAndStaysWithinOne) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    Shares weights(1 + random() % 9);
    for (int64_t &weight : weights)
      weight = random() % 1000;
    int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t(0));
    int64_t total = random() % 100000;
    Shares shares = splitExactly(total, weights);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), int64_t(0)), total);
    for (size_t k = 0; sum > 0 && k < weights.size(); ++k) {
      int64_t exact = total * weights[k] / sum;
      EXPECT_GE(shares[k], exact);
      EXPECT_LE(shares[k], exact + 1);
    }
  }
}
