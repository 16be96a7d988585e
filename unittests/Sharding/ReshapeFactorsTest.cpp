//===- ReshapeFactorsTest.cpp - Rules of reshapes
//--------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ReshapeFactors.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

static std::string getRule(ArrayRef<int64_t> input, ArrayRef<int64_t> output) {
  std::optional<Rule> rule = getReshapeRule(input, output);
  return rule ? format(*rule) : "none";
}

TEST(ReshapeFactorsTest, FactorsAreSharedWhereProductsMeet) {
  EXPECT_EQ(getRule({2, 12}, {6, 4}), "([i, jk])->([ij, k]) {2, 3, 4}");
  EXPECT_EQ(getRule({8, 4}, {8, 4}), "([i, j])->([i, j]) {8, 4}");
  EXPECT_EQ(getRule({2, 4}, {8}), "([i, j])->([ij]) {2, 4}");
  EXPECT_EQ(getRule({8}, {2, 4}), "([ij])->([i, j]) {2, 4}");
}

TEST(ReshapeFactorsTest, FactorsArePrivateUntilProductsMeetAgain) {
  EXPECT_EQ(getRule({6, 4}, {4, 6}),
            "([ij, mn])->([ik, ln]) {2, 3, 2, 3, 2, 2}");
  EXPECT_EQ(getRule({4, 6}, {3, 8}), "([i, lm])->([j, km]) {4, 3, 4, 3, 2}");
  EXPECT_EQ(getRule({5, 2}, {2, 5}), "([i, l])->([j, k]) {5, 2, 5, 2}");
}

TEST(ReshapeFactorsTest, UnitDimensionsHaveFactorsOfTheirOwn) {
  EXPECT_EQ(getRule({1, 8}, {8, 1}), "([i, j])->([j, k]) {1, 8, 1}");
  EXPECT_EQ(getRule({}, {}), "([])->([]) {}");
  EXPECT_EQ(getRule({1}, {}), "([i])->([]) {1}");
}

TEST(ReshapeFactorsTest, EmptyTensorsHaveNoRule) {
  EXPECT_EQ(getRule({0, 4}, {4, 0}), "none");
}

/// Every dimension is the product of its factors, for all factorisations of
/// some sizes.
TEST(ReshapeFactorsTest, FactorsMultiplyToDimensions) {
  auto enumerate = [](int64_t size) {
    std::vector<SmallVector<int64_t>> shapes;
    for (int64_t a = 1; a <= size; ++a)
      if (size % a == 0)
        for (int64_t b = 1; b <= size / a; ++b)
          if (size / a % b == 0)
            shapes.push_back({a, b, size / a / b});
    return shapes;
  };
  for (int64_t size : {12, 36, 60})
    for (const auto &input : enumerate(size))
      for (const auto &output : enumerate(size)) {
        std::optional<Rule> rule = getReshapeRule(input, output);
        ASSERT_TRUE(rule);
        for (auto [shape, mapping] : {std::make_pair(input, rule->operands[0]),
                                      std::make_pair(output, rule->results[0])})
          for (auto [dim, factors] : llvm::zip_equal(shape, mapping)) {
            int64_t product = 1;
            for (unsigned factor : factors)
              product *= rule->factors[factor].size;
            EXPECT_EQ(product, dim) << format(*rule);
          }
      }
}
