//===- AggressiveFactorPropagationTest.cpp - Aggressive propagation -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorPropagationTestUtils.h"

using namespace mlir;
using namespace mlir::ipu::sharding;

TEST(AggressiveTest, LargerSourcesComeFirst) {
  EXPECT_EQ(aggressive({{2}, kOuter, {"{a ?}", "{a ?}", ""}}),
            "{a ?} | {a ?} | {a ?} {?}");
  EXPECT_EQ(
      aggressive({{2}, "([i], [j])->([i, j]) {8, 64}", {"{a ?}", "{a ?}", ""}}),
      "{a ?} | {a ?} | {?} {a ?}");
  // Of tensors with equal sizes, the first one determines the axes.
  EXPECT_EQ(
      aggressive({{2}, "([i], [j])->([j, i]) {8, 8}", {"{a ?}", "{a ?}", ""}}),
      "{a ?} | {a ?} | {?} {a ?}");
}

TEST(AggressiveTest, TheFirstOfEqualSourcesCounts) {
  // The axes of i come from the second operand, and the axes of j from the
  // first and third.
  EXPECT_EQ(aggressive({{2},
                        "([i, j], [i, j], [i, j])->([i, j]) {8, 8}",
                        {"{?} {a ?}", "{a ?} {?}", "{?} {a ?}", ""}}),
            "{?} {a ?} | {a ?} {?} | {?} {a ?} | {?} {a ?}");
}

TEST(AggressiveTest, SizesThatDoNotFit) {
  EXPECT_EQ(aggressive({{2},
                        "([i], [j, k])->([i, j]) {8, 4611686018427387904, 8}",
                        {"{a ?}", "{a ?} {?}", ""}}),
            "{a ?} | {a ?} {?} | {?} {a ?}");
}

TEST(AggressiveTest, ElementwiseOpsPreferMoreDevices) {
  Case test{{2, 4}, kBinary, {"{a ?} {?}", "{?} {a b ?}", ""}};
  EXPECT_EQ(aggressive(test), "{a ?} {?} | {?} {a b ?} | {a ?} {?}");
  test.isElementwise = true;
  EXPECT_EQ(aggressive(test), "{a ?} {?} | {?} {a b ?} | {?} {a b ?}");
}

TEST(AggressiveTest, ElementwiseOperandsDoNotGetMoreThanResults) {
  Case test{{2}, kBinary, {"{a ?} {?}", "", "{?} {a}"}};
  EXPECT_EQ(aggressive(test), "{a ?} {?} | {a ?} {?} | {?} {a}");
  test.isElementwise = true;
  EXPECT_EQ(aggressive(test), "{a ?} {?} | {?} {a ?} | {?} {a}");
}

TEST(AggressiveTest, FactorsThatNeverMeetShareAnAxis) {
  Case test{{2}, "([i], [j])->([i], [j]) {8, 8}", {"{a ?}", "", "", "{a ?}"}};
  EXPECT_EQ(aggressive(test), "{a ?} | {a ?} | {a ?} | {a ?}");
  EXPECT_EQ(basic(test), "{a ?} | {?} | {?} | {a ?}");
}

TEST(AggressiveTest, OneTensorDoesNotHinderAnother) {
  constexpr StringLiteral kTwo = "([i], [i])->([i]) {64}";
  EXPECT_EQ(aggressive({{2}, kTwo, {"{a ?}", "{}", ""}}), "{a ?} | {} | {a ?}");
  EXPECT_EQ(basic({{2}, kTwo, {"{a ?}", "{}", ""}}), "{a ?} | {} | {?}");
  EXPECT_EQ(aggressive({{2}, kTwo, {"{a ?}", "{?} r={a}", ""}}),
            "{a ?} | {?} r={a} | {a ?}");
  EXPECT_EQ(aggressive({{4}, kTwo, {"{a ?}", "{?} u={a:(2)2}", ""}}),
            "{a ?} | {a:(1)2 ?} u={a:(2)2} | {a ?}");
}

TEST(AggressiveTest, Conservative) {
  Case test{{4}, kUnary, {"{a ?}", "{?} r={a:(2)2}"}};
  EXPECT_EQ(aggressive(test), "{a ?} | {a:(1)2 ?} r={a:(2)2}");
  test.conservative = true;
  EXPECT_EQ(aggressive(test), "{a ?} | {?} r={a:(2)2}");
}

TEST(AggressiveTest, Directions) {
  EXPECT_EQ(
      aggressive({{2, 2}, kUnary, {"{a ?}", "{a b ?}"}, Direction::Forward}),
      "{a ?} | {a b ?}");
  EXPECT_EQ(
      aggressive({{2, 2}, kUnary, {"{a ?}", "{a b ?}"}, Direction::Backward}),
      "{a b ?} | {a b ?}");
  EXPECT_EQ(aggressive({{2}, kUnary, {"{a ?}", "{?}"}, Direction::None}),
            "{a ?} | {?}");
}

//===----------------------------------------------------------------------===//
// Both strategies
//===----------------------------------------------------------------------===//

/// No tensor loses axes, closed dimensions do not change, and each axis is used
/// once.
TEST(AggressiveTest, StepsOnlyExtend) {
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
