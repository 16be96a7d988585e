//===- CommonAxesTest.cpp - Common axes of an op's tensors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/CommonAxes.h"

#include "RandomShardings.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
struct Case {
  SmallVector<int64_t> mesh;
  Rule rule;
  /// The shardings of the tensors, closed or open, operands first.
  std::vector<std::string> tensors;
  /// The number of elements of each tensor. If empty, the products of the
  /// factors.
  SmallVector<int64_t> sizes = {};

  SmallVector<int64_t> getSizes() const {
    if (!sizes.empty())
      return sizes;
    SmallVector<int64_t> products;
    for (unsigned i = 0; i < rule.getNumTensors(); ++i) {
      int64_t &product = products.emplace_back(1);
      for (const DimMapping &dim : rule.getTensor(i))
        for (unsigned factor : dim)
          product *= rule.factors[factor].size;
    }
    return products;
  }

  ShardingProjection project() const {
    std::vector<TensorSharding> shardings;
    shardings.reserve(tensors.size());
    for (const std::string &text : tensors)
      shardings.push_back(parseTensor(text, mesh));
    SmallVector<const TensorSharding *> pointers;
    for (const TensorSharding &sharding : shardings)
      pointers.push_back(&sharding);
    return ShardingProjection::build(pointers, rule, /*closedIfMissing=*/true);
  }
};

/// Returns the axes of the factors that have axes, in the form `i=a b, k=c`.
std::string choose(const Case &test) {
  std::string text;
  for (auto [factor, axes] : llvm::enumerate(
           getCommonAxes(test.project(), test.rule, test.getSizes())))
    if (!axes.empty())
      text += (text.empty() ? "" : ", ") + std::string(1, char('i' + factor)) +
              "=" + format(axes, test.mesh);
  return text;
}

Rule withType(StringRef text, unsigned factor, FactorType type) {
  Rule rule = parseRule(text);
  rule.factors[factor].type = type;
  return rule;
}

/// Returns the rule of a dot product: i and j pass through, and k is a
/// reduction.
Rule makeDot(StringRef sizes) {
  return withType("([i, k], [k, j])->([i, j]) " + sizes.str(), 2,
                  FactorType::Reduction);
}
} // namespace

TEST(CommonAxesTest, Compatible) {
  auto isAlike = [](const Case &test) {
    return isCompatible(test.project(), test.rule);
  };
  Rule dot = makeDot("{8, 8, 8}");
  EXPECT_TRUE(isAlike({{2, 2}, dot, {"{a} {b}", "{b} {}", "{a} {}"}}));
  EXPECT_FALSE(isAlike({{2, 2}, dot, {"{a} {b}", "{} {}", "{a} {}"}}));
  // i and j share an axis, although no tensor has both factors.
  Rule apart = parseRule("([i], [j])->([i], [j]) {8, 8}");
  EXPECT_TRUE(isAlike({{2, 2}, apart, {"{a}", "{b}", "{a}", "{b}"}}));
  EXPECT_FALSE(isAlike({{2, 2}, apart, {"{a}", "{a}", "{a}", "{a}"}}));
  Rule sort =
      withType("([i, j])->([i, j]) {8, 8}", 1, FactorType::NeedReplication);
  EXPECT_TRUE(isAlike({{2}, sort, {"{a} {}", "{a} {}"}}));
  EXPECT_FALSE(isAlike({{2}, sort, {"{} {a}", "{} {a}"}}));
  // An axis overflows in only one tensor.
  Rule split = parseRule("([ij])->([i, j]) {4, 2}");
  EXPECT_FALSE(isAlike({{6}, split, {"{a}", "{a:(1)2} {}"}}));
  EXPECT_FALSE(isAlike({{6}, split, {"{}", "{} {a}"}}));
}

TEST(CommonAxesTest, LargerOfTwoTensors) {
  Rule transpose = parseRule("([i, j])->([j, i]) {8, 4}");
  EXPECT_EQ(choose({{2, 4}, transpose, {"{a} {}", "{b} {}"}}), "j=b");
  EXPECT_EQ(choose({{4, 2}, transpose, {"{a} {}", "{b} {}"}}), "i=a");
  Rule broadcast = parseRule("([i])->([i, j]) {8, 4}");
  EXPECT_EQ(choose({{8, 2}, broadcast, {"{a}", "{b} {}"}}), "i=b");
  // The factor that only the operand has keeps the axes that the result does
  // not use.
  Rule reduce = withType("([i, j])->([i]) {8, 4}", 1, FactorType::Reduction);
  Case test{{2, 4}, reduce, {"{} {a b}", "{b}"}, {8, 32}};
  EXPECT_EQ(choose(test), "i=b, j=a");
  test.tensors = {"{} {b a}", "{b:(2)2}"};
  EXPECT_EQ(choose(test), "i=b:(2)2, j=b:(1)2");
}

TEST(CommonAxesTest, SidesWithoutHalosFirst) {
  Rule slice =
      withType("([i, j])->([i, j]) {8, 8}", 1, FactorType::Permutation);
  Case test{{2, 2}, slice, {"{} {a}", "{b} {}"}, {64, 32}};
  EXPECT_EQ(choose(test), "i=b");
}

TEST(CommonAxesTest, MostElementsWin) {
  Rule dot = makeDot("{8, 8, 8}");
  EXPECT_EQ(choose({{2}, dot, {"{a} {}", "{a} {}", "{} {}"}}), "i=a");
  EXPECT_EQ(choose({{2}, dot, {"{} {a}", "{a} {}", "{a} {}"}}), "k=a");
  EXPECT_EQ(choose({{2}, dot, {"{a} {}", "{} {a}", "{} {}"}}), "j=a");
  EXPECT_EQ(choose({{2}, makeDot("{64, 8, 8}"), {"{a} {}", "{} {a}", "{} {}"}}),
            "i=a");
  // The number of elements counts, not the factors, because the operands of a
  // concatenation are smaller.
  Case test{{6, 3},
            parseRule("([i, j], [i, j])->([i, j]) {8, 40}"),
            {"{a} {}", "{} {}", "{b} {}"},
            {64, 256, 320}};
  EXPECT_EQ(choose(test), "i=b");
  test.sizes.clear();
  EXPECT_EQ(choose(test), "i=a");
}

TEST(CommonAxesTest, OverlappingCandidatesAreTrimmed) {
  Rule dot = makeDot("{8, 8, 64}");
  EXPECT_EQ(choose({{4}, dot, {"{} {a:(2)2}", "{a:(2)2} {}", "{a} {}"}}),
            "i=a:(1)2, k=a:(2)2");
  EXPECT_EQ(choose({{2, 2, 2}, dot, {"{} {b}", "{b} {}", "{a b c} {}"}}),
            "i=a, k=b");
}

TEST(CommonAxesTest, LongerListsComeLater) {
  Rule add = parseRule("([i, j], [i, j])->([i, j]) {8, 8}");
  EXPECT_EQ(choose({{2, 2}, add, {"{a b} {}", "{a} {b}", "{a} {b}"}}),
            "i=a, j=b");
  EXPECT_EQ(choose({{2, 2}, add, {"{a b} {}", "{a} {}", "{a} {}"}}), "i=a b");
}

TEST(CommonAxesTest, ReplicatedFactorsGiveTheirAxesAway) {
  Rule sort = withType("([i, j], [i, j])->([i, j], [i, j]) {8, 8}", 1,
                       FactorType::NeedReplication);
  EXPECT_EQ(choose({{4, 2}, sort, {"{} {a}", "{} {a}", "{} {a}", "{} {a}"}}),
            "i=a");
  EXPECT_EQ(
      choose({{4, 4}, sort, {"{a} {b}", "{a} {b}", "{a} {b}", "{a} {b}"}}),
      "i=a b:(1)2");
  EXPECT_EQ(
      choose({{3, 2}, sort, {"{a} {b}", "{a} {b}", "{a} {b}", "{a} {b}"}}),
      "i=a");
  // Whole axes go to factors that can have them, and other axes are divided.
  Rule solve = withType("([i, j, k], [i, j, k])->([i, j, k]) {2, 4, 8}", 2,
                        FactorType::NeedReplication);
  EXPECT_EQ(choose({{4, 2}, solve, {"{} {} {a}", "{} {} {a}", "{} {} {a}"}}),
            "j=a");
  EXPECT_EQ(
      choose({{4, 2}, solve, {"{} {} {a b}", "{} {} {a b}", "{} {} {a b}"}}),
      "i=b, j=a");
  EXPECT_EQ(choose({{8}, solve, {"{} {} {a}", "{} {} {a}", "{} {} {a}"}}),
            "i=a:(1)2, j=a:(2)4");
  // Axes that only some tensors have are distributed, too.
  EXPECT_EQ(choose({{4, 2}, sort, {"{} {a}", "{} {a}", "{} {a}", "{} {}"}}),
            "i=a");
  EXPECT_EQ(choose({{4, 2}, sort, {"{b} {a}", "{b} {}", "{b} {}", "{b} {}"}}),
            "i=b a");
}

TEST(CommonAxesTest, CompoundDimensions) {
  Rule merge = parseRule("([i, j])->([ij]) {2, 4}");
  EXPECT_EQ(choose({{2, 2}, merge, {"{a} {b}", "{}"}}), "i=a, j=b");
  // With an axis, j would be strided in the result.
  EXPECT_EQ(choose({{2, 2}, merge, {"{} {b}", "{}"}}), "");
  EXPECT_EQ(choose({{4}, merge, {"{a} {}", "{}"}}), "i=a:(1)2");
  EXPECT_EQ(choose({{3}, merge, {"{a} {}", "{}"}}), "");
  EXPECT_EQ(choose({{2, 3}, merge, {"{a} {b}", "{}"}}), "i=a, j=b");
}

TEST(CommonAxesTest, OverflowOfReshapes) {
  Rule split = parseRule("([ij])->([i, j]) {4, 2}");
  EXPECT_EQ(choose({{6}, split, {"{a}", "{} {}"}}), "i=a:(1)2");
  EXPECT_EQ(choose({{6, 2, 2}, split, {"{a b c}", "{} {}"}}),
            "i=a:(1)2 b, j=c");
  EXPECT_EQ(choose({{6, 2, 16}, split, {"{a b}", "{} {c}"}}), "i=a:(1)2");
}

TEST(CommonAxesTest, UnreducedAxesStay) {
  Rule add = parseRule("([i], [i])->([i]) {8}");
  EXPECT_EQ(choose({{2}, add, {"{a}", "{} u={a}", "{} u={a}"}}), "");
  // The reduction factor is not in the result.
  EXPECT_EQ(
      choose({{2}, makeDot("{8, 8, 8}"), {"{} {a}", "{} {}", "{} {} u={a}"}}),
      "k=a");
}

/// For all shardings of the tensors, the chosen axes are compatible, can be
/// expressed as shardings, and are axes of some tensor. A second choice does
/// not change them.
TEST(CommonAxesTest, AlwaysCompatible) {
  Random random(21);
  unsigned sharded = 0;
  for (int round = 0; round < 20000; ++round) {
    SmallVector<int64_t> mesh = makeMesh(random);
    Rule rule = makeRule(random);
    for (Factor &factor : rule.factors)
      factor.type = random.pick<FactorType>(
          {FactorType::PassThrough, FactorType::PassThrough,
           FactorType::Reduction, FactorType::NeedReplication,
           FactorType::Permutation});
    std::vector<AxisList> plan = makePlan(random, rule, mesh);
    bool isPlanned = random.chance(50);
    std::vector<TensorSharding> shardings;
    SmallVector<int64_t> sizes = {};
    AxisList available;
    for (unsigned i = 0; i < rule.getNumTensors(); ++i) {
      const TensorMapping &mapping = rule.getTensor(i);
      shardings.push_back(isPlanned
                              ? makeSharding(random, plan, mapping)
                              : makeSharding(random, mapping.size(), mesh));
      sizes.push_back(random.within(1, 8));
      for (const DimSharding &dim : shardings.back().dims)
        available.append(dim.axes);
    }
    auto project = [&](ArrayRef<TensorSharding> shardings) {
      SmallVector<const TensorSharding *> pointers;
      for (const TensorSharding &sharding : shardings)
        pointers.push_back(&sharding);
      return ShardingProjection::build(pointers, rule,
                                       /*closedIfMissing=*/true);
    };
    std::string text = format(rule);
    for (const TensorSharding &sharding : shardings)
      text += " | " + format(sharding, mesh);

    SmallVector<AxisList> common =
        getCommonAxes(project(shardings), rule, sizes);
    std::vector<TensorSharding> made;
    made.reserve(rule.getNumTensors());
    for (unsigned i = 0; i < rule.getNumTensors(); ++i)
      made.push_back(makeSharding(common, rule.getTensor(i), rule));
    ShardingProjection again = project(made);
    EXPECT_TRUE(isCompatible(again, rule)) << text;
    for (unsigned i = 0; i < rule.getNumTensors(); ++i)
      for (const DimMapping &dim : rule.getTensor(i))
        for (unsigned factor : dim) {
          const FactorSharding *entry = again.getTensor(i).find(factor);
          ASSERT_TRUE(entry) << text;
          EXPECT_EQ(format(entry->axes, mesh), format(common[factor], mesh))
              << text;
          EXPECT_TRUE(entry->overflow.empty()) << text;
          for (const AxisRef &axis : shardings[i].unreduced)
            for (const AxisRef &other : common[factor])
              EXPECT_FALSE(overlaps(axis, other)) << text;
        }
    for (const AxisList &axes : common)
      for (const AxisRef &axis : axes) {
        ++sharded;
        AxisList rest = {axis};
        for (const AxisRef &other : available)
          rest = getDifference(rest, {other});
        EXPECT_TRUE(rest.empty()) << text;
      }
  }
  // The test is only useful if many results have axes.
  EXPECT_GT(sharded, 10000u);
}
