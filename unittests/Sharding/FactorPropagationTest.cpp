//===- FactorPropagationTest.cpp - Common axes, and basic propagation -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FactorPropagationTestUtils.h"

using namespace mlir;
using namespace mlir::ipu::sharding;

//===----------------------------------------------------------------------===//
// Axes on which the tensors agree
//===----------------------------------------------------------------------===//

TEST(CompatibleAxesTest, TheLongestListWithoutDifference) {
  EXPECT_EQ(getCompatible({{2, 2}, kThree, {"{a ?}", "{?}", "{a b ?}", ""}}),
            "a b");
  // The last two tensors differ, so that neither adds axes to the common ones.
  EXPECT_EQ(getCompatible(
                {{2, 2, 2}, kThree, {"{a ?}", "{?}", "{a b ?}", "{a c ?}"}}),
            "a");
  EXPECT_EQ(getCompatible(
                {{2, 2, 2}, kThree, {"{a ?}", "{b ?}", "{a ?}", "{a c ?}"}}),
            "");
}

TEST(CompatibleAxesTest, LongerPartsOfAnAxis) {
  SmallVector<int64_t> mesh = {8, 2};
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a:(1)2 ?}", "{a:(1)4 ?}"}}),
            "a:(1)4");
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a:(1)4 b ?}", "{a:(1)2 ?}"}}),
            "a:(1)4 b");
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a:(1)2 ?}", "{a:(1)4 b ?}"}}),
            "a:(1)4 b");
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{b a:(2)2 ?}", "{b a:(2)4 ?}"}}),
            "b a:(2)4");
}

TEST(CompatibleAxesTest, APartThatIsFollowedByMoreEndsTheList) {
  SmallVector<int64_t> mesh = {8, 2};
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a:(1)2 b ?}", "{a:(1)4 ?}"}}),
            "a:(1)2");
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a:(1)4 ?}", "{a:(1)2 b ?}"}}),
            "a:(1)2");
  EXPECT_EQ(
      getCompatible(
          {mesh, kThree, {"{a:(1)4 ?}", "{a:(1)2 b ?}", "{a:(1)4 ?}", ""}}),
      "a:(1)2");
}

TEST(CompatibleAxesTest, OtherPartsOfAnAxisDiffer) {
  EXPECT_EQ(getCompatible({{8, 2}, kUnary, {"{b a:(1)4 ?}", "{b a:(2)4 ?}"}}),
            "b");
  EXPECT_EQ(getCompatible({{8}, kUnary, {"{a:(1)2 ?}", "{a:(2)2 ?}"}}), "");
}

TEST(CompatibleAxesTest, OnlyTheSideThatDirectionStartsFromAdds) {
  SmallVector<int64_t> mesh = {8, 2};
  auto forward = [&](const char *operand, const char *result) {
    return getCompatible({mesh, kUnary, {operand, result}, Direction::Forward});
  };
  auto backward = [&](const char *operand, const char *result) {
    return getCompatible(
        {mesh, kUnary, {operand, result}, Direction::Backward});
  };
  EXPECT_EQ(forward("{a ?}", "{a b ?}"), "a");
  EXPECT_EQ(forward("{a b ?}", "{a ?}"), "a b");
  EXPECT_EQ(forward("{a b ?}", "{b ?}"), "");
  EXPECT_EQ(forward("{a:(1)2 ?}", "{a:(1)4 ?}"), "a:(1)2");
  EXPECT_EQ(backward("{a ?}", "{a b ?}"), "a b");
  EXPECT_EQ(backward("{a b ?}", "{a ?}"), "a");
  EXPECT_EQ(backward("{b ?}", "{a b ?}"), "");
  EXPECT_EQ(backward("{a:(1)4 ?}", "{a:(1)2 ?}"), "a:(1)2");
  EXPECT_EQ(getCompatible({mesh, kUnary, {"{a ?}", "{a ?}"}, Direction::None}),
            "");
}

//===----------------------------------------------------------------------===//
// Basic
//===----------------------------------------------------------------------===//

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
  // i and j cannot both have `a`. With the basic strategy, neither gets it.
  // With the aggressive strategy, the factor with the larger source gets it.
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

TEST(FactorPropagationTest, OtherFactorsCutAnAxis) {
  EXPECT_EQ(basic({{2}, kMatrix, {"{a ?} {?}", "{?} {a ?}"}}),
            "{a ?} {?} | {?} {a ?}");
  EXPECT_EQ(basic({{8}, kMatrix, {"{a ?} {?}", "{?} {a:(4)2 ?}"}}),
            "{a ?} {?} | {a:(1)4 ?} {a:(4)2 ?}");
  // This also holds for tensors without the factor.
  EXPECT_EQ(basic({{2}, kOuter, {"{a ?}", "{a ?}", ""}}),
            "{a ?} | {a ?} | {?} {?}");
  // A replicated axis in a tensor does not matter.
  EXPECT_EQ(basic({{2}, kOuter, {"{a ?}", "{?} r={a}", ""}}),
            "{a ?} | {?} r={a} | {a ?} {?}");
  EXPECT_EQ(basic({{2}, kOuter, {"{a ?}", "{?} u={a}", ""}}),
            "{a ?} | {?} u={a} | {a ?} {?}");
}

TEST(FactorPropagationTest, PartsThatCannotCoexist) {
  EXPECT_EQ(basic({{6}, kMatrix, {"{a:(1)2 ?} {?}", "{?} {a:(1)3 ?}"}}),
            "{a:(1)2 ?} {?} | {?} {a:(1)3 ?}");
  EXPECT_EQ(basic({{6}, kUnary, {"{a:(1)2 ?}", "{?} r={a:(1)3}"}}),
            "{a:(1)2 ?} | {?} r={a:(1)3}");
  EXPECT_EQ(basic({{8}, kUnary, {"{a:(1)4 ?}", "{a:(2)4 ?}"}}),
            "{a:(1)4 ?} | {a:(2)4 ?}");
}

TEST(FactorPropagationTest, UnreducedCuts) {
  EXPECT_EQ(basic({{4}, kUnary, {"{a ?}", "{?} u={a:(2)2}"}}),
            "{a ?} | {a:(1)2 ?} u={a:(2)2}");
}

TEST(FactorPropagationTest, WhatAClosedDimensionHasGoesOn) {
  constexpr StringLiteral kTwo = "([i], [i])->([i]) {64}";
  EXPECT_EQ(basic({{2}, kTwo, {"{?}", "{a}", "{?}"}}), "{a ?} | {a} | {a ?}");
  EXPECT_EQ(basic({{2, 2}, kTwo, {"{a b ?}", "{a}", "{?}"}}),
            "{a b ?} | {a} | {a ?}");
  EXPECT_EQ(basic({{4}, kTwo, {"{a ?}", "{a:(1)2}", "{?}"}}),
            "{a ?} | {a:(1)2} | {a:(1)2 ?}");
  EXPECT_EQ(basic({{4}, kTwo, {"{a:(1)2 ?}", "{a}", "{?}"}}),
            "{a ?} | {a} | {a ?}");
}

TEST(FactorPropagationTest, OverflowBlocks) {
  constexpr StringLiteral kSplit = "([ij, k])->([i, j, k]) {4, 2, 8}";
  EXPECT_EQ(basic({{6, 2}, kSplit, {"{a ?} {?}", ""}}),
            "{a ?} {?} | {a:(1)2 ?} {?} {?}");
  // No axis is added before an overflowing axis, or to a factor that it blocks.
  EXPECT_EQ(basic({{6, 2}, kSplit, {"{a ?} {?}", "{a:(1)2 b ?} {?} {?}"}}),
            "{a ?} {?} | {a:(1)2 b ?} {?} {?}");
  EXPECT_EQ(basic({{6, 2}, kSplit, {"{a ?} {?}", "{?} {b ?} {?}"}}),
            "{a ?} {?} | {a:(1)2 ?} {b ?} {?}");
  // Another factor cannot have the axis.
  EXPECT_EQ(basic({{6, 2}, kSplit, {"{a ?} {?}", "{?} {?} {a:(2)3 ?}"}}),
            "{a ?} {?} | {a:(1)2 ?} {?} {a:(2)3 ?}");
}

TEST(FactorPropagationTest, OverflowIsNoConflictOfItsOwnFactor) {
  // (1)4 and the overflowing (2)3 cannot coexist. The axis of the factor, which
  // is the preceding (1)2, still propagates.
  EXPECT_EQ(basic({{12},
                   "([ij], [ij])->([i, j]) {4, 2}",
                   {"{a:(1)4 ?}", "{a:(1)6 ?}", ""}}),
            "{a:(1)4 ?} | {a:(1)6 ?} | {a:(1)2 ?} {?}");
}

TEST(FactorPropagationTest, SizesOfMajorFactors) {
  EXPECT_EQ(basic({{4, 2}, "([ij])->([i, j]) {6, 4}", {"", "{a b ?} {?}"}}),
            "{a:(1)2 ?} | {a b ?} {?}");
  EXPECT_EQ(basic({{2, 4}, "([ij])->([i, j]) {4, 4}", {"", "{a b ?} {?}"}}),
            "{a b:(1)2 ?} | {a b ?} {?}");
  // The last factor of a dimension can have axes that do not divide it.
  EXPECT_EQ(basic({{3}, "([i])->([i]) {4}", {"{a ?}", ""}}), "{a ?} | {a ?}");
  // A minor factor cannot get axes before the major factor is fully sharded.
  EXPECT_EQ(basic({{2}, "([ij])->([i, j]) {4, 4}", {"", "{?} {a ?}"}}),
            "{?} | {?} {a ?}");
  EXPECT_EQ(basic({{2, 4}, "([ij])->([i, j]) {4, 4}", {"", "{b ?} {a ?}"}}),
            "{b a ?} | {b ?} {a ?}");
}
