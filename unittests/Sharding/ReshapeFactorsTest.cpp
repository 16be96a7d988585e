//===- ReshapeFactorsTest.cpp - Rules of reshapes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ReshapeFactors.h"

#include "RandomShardings.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>
#include <numeric>

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

TEST(ReshapeFactorsTest, UncountableTensorsHaveNoRule) {
  int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(getRule({huge}, {huge / 2, 2}),
            "([ij])->([i, j]) {2305843009213693952, 2}");
  EXPECT_EQ(getRule({huge, 4}, {4, huge}), "none");
  EXPECT_EQ(getRule({huge, huge}, {huge, huge}), "none");
}

TEST(ReshapeFactorsTest, MoreShapes) {
  EXPECT_EQ(getRule({24}, {24}), "([i])->([i]) {24}");
  EXPECT_EQ(getRule({24}, {2, 3, 4}), "([ijk])->([i, j, k]) {2, 3, 4}");
  EXPECT_EQ(getRule({2, 3, 4}, {6, 4}), "([i, j, k])->([ij, k]) {2, 3, 4}");
  EXPECT_EQ(getRule({4, 9}, {4, 3, 3}), "([i, jk])->([i, j, k]) {4, 3, 3}");
  EXPECT_EQ(getRule({2, 1, 3}, {2, 3}), "([i, j, k])->([i, k]) {2, 1, 3}");
  EXPECT_EQ(getRule({1}, {1}), "([i])->([j]) {1, 1}");
  EXPECT_EQ(getRule({4}, {0}), "none");
}

//===----------------------------------------------------------------------===//
// A second implementation of the algorithm
//===----------------------------------------------------------------------===//

namespace {
struct Side {
  SmallVector<int64_t> shape;
  TensorMapping mapping;
  size_t dim = 0;
  int64_t dims = 1, factors = 1;

  explicit Side(ArrayRef<int64_t> shape)
      : shape(shape), mapping(shape.size()) {}
  bool isDone() const { return dim == shape.size(); }
  /// Returns the size of the part of the current dimension that has no factor
  /// yet.
  int64_t open() {
    if (isDone())
      return 1;
    if (dims == factors)
      dims *= shape[dim];
    return dims / factors;
  }
  void add(unsigned factor, int64_t size) {
    mapping[dim].push_back(factor);
    factors *= size;
    if (dims == factors)
      ++dim;
  }
};
} // namespace

static Rule modelReshape(ArrayRef<int64_t> input, ArrayRef<int64_t> output) {
  Rule rule;
  Side in(input), out(output);
  auto addPrivate = [&](Side &side, int64_t size) {
    side.add(rule.factors.size(), size);
    rule.factors.push_back(Factor{size});
  };
  while (!in.isDone() || !out.isDone()) {
    bool hadUnit = false;
    for (Side *side : {&in, &out})
      if (!hadUnit && !side->isDone() && side->open() == 1) {
        addPrivate(*side, 1);
        hadUnit = true;
      }
    if (hadUnit)
      continue;
    int64_t nextIn = in.open(), nextOut = out.open();
    int64_t gcd = std::gcd(nextIn, nextOut);
    if (in.factors == out.factors) {
      if (gcd > 1) {
        in.add(rule.factors.size(), gcd);
        out.add(rule.factors.size(), gcd);
        rule.factors.push_back(Factor{gcd});
        continue;
      }
      addPrivate(in, nextIn);
      addPrivate(out, nextOut);
      continue;
    }
    Side &behind = in.factors < out.factors ? in : out;
    int64_t big = std::max(in.factors, out.factors);
    int64_t next = behind.open();
    if (big % behind.factors == 0 && next % (big / behind.factors) == 0)
      addPrivate(behind, big / behind.factors);
    else
      addPrivate(behind, next > gcd ? next / gcd : next);
  }
  rule.operands.push_back(in.mapping);
  rule.results.push_back(out.mapping);
  return rule;
}

/// Returns a random shape of `size` elements, which may have dimensions of size
/// 1.
static SmallVector<int64_t> makeShape(Random &random, int64_t size) {
  SmallVector<int64_t> shape;
  while (size > 1 || random.chance(20)) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= size; ++d)
      if (size % d == 0)
        divisors.push_back(d);
    shape.push_back(random.pick(divisors));
    size /= shape.back();
  }
  return shape;
}

TEST(ReshapeFactorsTest, AgreesWithTheModel) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    int64_t size = random.pick<int64_t>({12, 24, 36, 60, 64, 72, 210, 720});
    SmallVector<int64_t> input = makeShape(random, size);
    SmallVector<int64_t> output = makeShape(random, size);
    ASSERT_EQ(getRule(input, output), format(modelReshape(input, output)));
  }
}

/// Returns the position in each factor of element number `index`.
static std::vector<int64_t>
getPositions(int64_t index, const TensorMapping &mapping, const Rule &rule) {
  std::vector<int64_t> positions(rule.factors.size(), -1);
  for (const DimMapping &dim : llvm::reverse(mapping))
    for (unsigned factor : llvm::reverse(dim)) {
      positions[factor] = index % rule.factors[factor].size;
      index /= rule.factors[factor].size;
    }
  return positions;
}

/// Each element has the same position in a shared factor before and after the
/// reshape.
TEST(ReshapeFactorsTest, SharedFactorsCorrespond) {
  int numShared = 0, numPrivate = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    int64_t size = random.pick<int64_t>({12, 24, 36, 60, 64, 72, 210});
    SmallVector<int64_t> input = makeShape(random, size);
    SmallVector<int64_t> output = makeShape(random, size);
    std::optional<Rule> rule = getReshapeRule(input, output);
    ASSERT_TRUE(rule);
    for (int64_t index = 0; index < size; ++index) {
      auto before = getPositions(index, rule->operands[0], *rule);
      auto after = getPositions(index, rule->results[0], *rule);
      for (auto [x, y] : llvm::zip_equal(before, after)) {
        bool isShared = x >= 0 && y >= 0;
        (isShared ? numShared : numPrivate) += 1;
        if (isShared) {
          ASSERT_EQ(x, y) << format(*rule) << " " << index;
        }
      }
    }
  }
  EXPECT_GT(numShared, 1000);
  EXPECT_GT(numPrivate, 1000);
}

/// For all factorisations of some sizes, each dimension is the product of its
/// factors.
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
