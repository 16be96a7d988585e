//===- FactorPropagationTest.cpp - Basic and aggressive propagation
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/FactorPropagation.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
struct Case {
  SmallVector<int64_t> mesh;
  StringRef rule;
  std::vector<std::string> tensors;
  Direction direction = Direction::Both;
  bool conservative = false;
  bool isElementwise = false;
};
} // namespace

/// Tensors after a step, separated by ` | `; an absent sharding is "".
static std::string propagate(const Case &test, bool aggressive) {
  Rule rule = parseRule(test.rule);
  std::vector<TensorSharding> shardings;
  for (auto [i, text] : llvm::enumerate(test.tensors))
    shardings.push_back(text.empty() ? getOpenSharding(rule.getTensor(i).size())
                                     : parseTensor(text, test.mesh));
  SmallVector<const TensorSharding *> pointers;
  for (const TensorSharding &sharding : shardings)
    pointers.push_back(&sharding);
  Projection projection = Projection::build(pointers, rule);
  Projection before = projection;
  auto getDirection = [&](unsigned) { return test.direction; };
  PropagationContext context{rule, test.mesh, getDirection, test.conservative,
                             test.isElementwise};
  llvm::BitVector changed = aggressive
                                ? propagateAggressive(projection, context)
                                : propagateBasic(projection, context);
  std::string text;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
    EXPECT_EQ(changed.test(i),
              !(before.getTensor(i) == projection.getTensor(i)));
    text +=
        (i ? " | " : "") + format(makeTensorSharding(projection.getTensor(i),
                                                     rule.getTensor(i), rule),
                                  test.mesh);
  }
  return text;
}

static std::string basic(const Case &test) { return propagate(test, false); }
static std::string aggressive(const Case &test) {
  return propagate(test, true);
}

constexpr StringLiteral kUnary = "([i])->([i]) {64}";
constexpr StringLiteral kThree = "([i], [i], [i])->([i]) {64}";
constexpr StringLiteral kDot = "([i, k], [k, j])->([i, j]) {64, 32, 8}";

TEST(FactorPropagationTest, CompatibleAxesStopAtTheFirstDifference) {
  EXPECT_EQ(basic({{2, 2, 2}, kThree, {"{a ?}", "{?}", "{a b ?}", "{a c ?}"}}),
            "{a ?} | {a ?} | {a b ?} | {a c ?}");
  EXPECT_EQ(basic({{4, 2}, kUnary, {"{a:(1)2 b ?}", "{a ?}"}}),
            "{a:(1)2 b ?} | {a ?}");
  EXPECT_EQ(basic({{4}, kUnary, {"{a:(1)2 ?}", "{a ?}"}}), "{a ?} | {a ?}");
}

TEST(FactorPropagationTest, ForwardResultsOnlyCut) {
  EXPECT_EQ(basic({{2, 2}, kUnary, {"{a ?}", "{a b ?}"}, Direction::Forward}),
            "{a ?} | {a b ?}");
  EXPECT_EQ(basic({{2, 2}, kUnary, {"{a b ?}", "{b ?}"}, Direction::Forward}),
            "{a b ?} | {b ?}");
  EXPECT_EQ(basic({{2, 2}, kUnary, {"{a ?}", "{a b ?}"}, Direction::Backward}),
            "{a b ?} | {a b ?}");
  EXPECT_EQ(basic({{2}, kUnary, {"{a ?}", "{?}"}, Direction::None}),
            "{a ?} | {?}");
}

TEST(FactorPropagationTest, ConflictsOfOtherFactors) {
  // i and j cannot both have `a`: neither gets it in basic, the larger source
  // wins in aggressive.
  EXPECT_EQ(basic({{2}, kDot, {"{a ?} {?}", "{?} {a ?}", ""}}),
            "{a ?} {?} | {?} {a ?} | {?} {?}");
  EXPECT_EQ(aggressive({{2}, kDot, {"{a ?} {?}", "{?} {a ?}", ""}}),
            "{a ?} {?} | {?} {a ?} | {a ?} {?}");
}

TEST(FactorPropagationTest, ReplicatedUnreducedAndClosedBlock) {
  EXPECT_EQ(basic({{2}, kUnary, {"{a ?}", "{?} r={a}"}}), "{a ?} | {?} r={a}");
  EXPECT_EQ(basic({{2}, kUnary, {"{a ?}", "{?} u={a}"}}), "{a ?} | {?} u={a}");
  EXPECT_EQ(basic({{2}, kUnary, {"{a ?}", "{}"}}), "{a ?} | {}");
  EXPECT_EQ(basic({{4}, kUnary, {"{a ?}", "{?} r={a:(2)2}"}}),
            "{a ?} | {a:(1)2 ?} r={a:(2)2}");
}

TEST(FactorPropagationTest, ConservativeAddsNoSubAxes) {
  Case test{{4}, kUnary, {"{a ?}", "{?} r={a:(2)2}"}};
  test.conservative = true;
  EXPECT_EQ(basic(test), "{a ?} | {?} r={a:(2)2}");
}

TEST(FactorPropagationTest, OnlyWhatDividesAMajorFactor) {
  constexpr StringLiteral kSplit = "([ij])->([i, j]) {4, 6}";
  EXPECT_EQ(basic({{8}, kSplit, {"{?}", "{a:(1)4 ?} {?}"}}),
            "{a:(1)4 ?} | {a:(1)4 ?} {?}");
  EXPECT_EQ(basic({{3}, kSplit, {"{?}", "{a ?} {?}"}}), "{?} | {a ?} {?}");
}

TEST(FactorPropagationTest, AggressiveDecidesForEachTensor) {
  EXPECT_EQ(aggressive({{2, 2},
                        "([i, j], [i, j])->([i, j]) {8, 8}",
                        {"{a ?} {?}", "{?} {a ?}", "{} {?}"}}),
            "{a ?} {?} | {?} {a ?} | {} {a ?}");
}

/// No tensor loses axes or changes what is closed, and an axis stays unique.
TEST(FactorPropagationTest, StepsOnlyExtend) {
  SmallVector<int64_t> mesh = {2, 4, 3};
  const std::vector<std::string> pool = {
      "{?} {?}",        "{a ?} {?}",           "{b ?} {a ?}",
      "{?} {b:(1)2 ?}", "{b:(2)2 ?} {?}",      "{c ?} {b}",
      "{} {?}",         "{?} {?} r={a}",       "{a b} {?}",
      "{?} {c a ?}",    "{b:(1)2 ?} {a} u={c}"};
  for (const std::string &a : pool)
    for (const std::string &b : pool)
      for (const std::string &c : pool)
        for (bool isAggressive : {false, true}) {
          Case test{mesh, kDot, {a, b, c}};
          std::string once = propagate(test, isAggressive);
          SmallVector<StringRef> parts;
          StringRef(once).split(parts, " | ");
          for (auto [before, after] : llvm::zip_equal(test.tensors, parts)) {
            TensorSharding x = parseTensor(before, mesh);
            TensorSharding y = parseTensor(after, mesh);
            AxisList all;
            for (auto [from, to] : llvm::zip_equal(x.dims, y.dims)) {
              EXPECT_NE(getPrefixStatus(from.axes, to.axes),
                        PrefixStatus::NotPrefix);
              EXPECT_TRUE(!from.isClosed || from == to);
              for (const AxisRef &ref : to.axes) {
                for (const AxisRef &other : all)
                  EXPECT_FALSE(overlaps(ref, other)) << once;
                all.push_back(ref);
              }
            }
          }
        }
}
