//===- SplitsTest.cpp - Choice among splits ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Splits/SplitChoice.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

/// Returns the alternatives of one form whose programs take `cycles`.
SmallVector<SplitAlternative> getAlternatives(ArrayRef<int64_t> cycles,
                                              bool sharesCode = false) {
  SmallVector<SplitAlternative> alternatives;
  for (int64_t number : cycles) {
    SplitAlternative &next = alternatives.emplace_back();
    next.plan.sharesCode = sharesCode;
    next.rate = PlanRate{/*codeExcess=*/0, /*memoryExcess=*/0, number, number};
  }
  return alternatives;
}

TEST(SplitRule, SharesCompareCodeBeforeCycles) {
  PlanRate fits{/*codeExcess=*/0, /*memoryExcess=*/0, /*cycles=*/9,
                /*sharedCycles=*/9};
  PlanRate isFast{/*codeExcess=*/8, /*memoryExcess=*/0, /*cycles=*/1,
                  /*sharedCycles=*/1};
  EXPECT_TRUE(isBetterShare(fits, isFast));
  EXPECT_FALSE(isBetterShare(isFast, fits));
}

TEST(SplitRule, SharesCompareMemoryBeforeCycles) {
  PlanRate fits{/*codeExcess=*/0, /*memoryExcess=*/0, /*cycles=*/9,
                /*sharedCycles=*/9};
  PlanRate isFast{/*codeExcess=*/0, /*memoryExcess=*/8, /*cycles=*/1,
                  /*sharedCycles=*/1};
  EXPECT_TRUE(isBetterShare(fits, isFast));
  EXPECT_FALSE(isBetterShare(isFast, fits));
}

TEST(SplitRule, SharesIgnoreSharedCycles) {
  PlanRate a{/*codeExcess=*/0, /*memoryExcess=*/8, /*cycles=*/1,
             /*sharedCycles=*/9};
  PlanRate b{/*codeExcess=*/0, /*memoryExcess=*/8, /*cycles=*/2,
             /*sharedCycles=*/1};
  EXPECT_TRUE(isBetterShare(a, b));
  EXPECT_FALSE(isBetterShare(a, a));
}

TEST(SplitRule, CallsWithLessCodeExcessWin) {
  PlanRate ops{/*codeExcess=*/8, /*memoryExcess=*/0, /*cycles=*/1,
               /*sharedCycles=*/1};
  PlanRate calls{/*codeExcess=*/4, /*memoryExcess=*/9, /*cycles=*/5,
                 /*sharedCycles=*/5};
  EXPECT_TRUE(areCallsBetter(calls, ops));
  EXPECT_FALSE(areCallsBetter(ops, calls));
}

TEST(SplitRule, CallsWithLessMemoryExcessWinIfCodeIsEqual) {
  PlanRate ops{/*codeExcess=*/4, /*memoryExcess=*/8, /*cycles=*/1,
               /*sharedCycles=*/1};
  PlanRate calls{/*codeExcess=*/4, /*memoryExcess=*/7, /*cycles=*/5,
                 /*sharedCycles=*/5};
  EXPECT_TRUE(areCallsBetter(calls, ops));
  EXPECT_FALSE(areCallsBetter(ops, calls));
}

TEST(SplitRule, CallsThatFitEquallyMustBeFasterByBothEstimates) {
  auto areBetter = [](int64_t cycles, int64_t sharedCycles) {
    PlanRate ops{/*codeExcess=*/0, /*memoryExcess=*/8, /*cycles=*/5,
                 /*sharedCycles=*/4};
    return areCallsBetter({0, 8, cycles, sharedCycles}, ops);
  };
  EXPECT_TRUE(areBetter(4, 3));
  EXPECT_FALSE(areBetter(5, 3));
  EXPECT_FALSE(areBetter(4, 4));
  EXPECT_FALSE(areBetter(5, 4));
}

TEST(SplitRule, TheGreatestOfEqualSharesWins) {
  EXPECT_EQ(findBestShare(getAlternatives({7})), 0u);
  EXPECT_EQ(findBestShare(getAlternatives({7, 7, 5, 5, 6})), 2u);
}

TEST(SplitRule, StopsAfterTwoResultsWithoutGain) {
  EXPECT_TRUE(mayGainFromSmallerShare(getAlternatives({7})));
  EXPECT_TRUE(mayGainFromSmallerShare(getAlternatives({7, 8})));
  EXPECT_FALSE(mayGainFromSmallerShare(getAlternatives({7, 8, 7})));
  // A gain restarts the count.
  EXPECT_TRUE(mayGainFromSmallerShare(getAlternatives({7, 8, 6})));
  EXPECT_TRUE(mayGainFromSmallerShare(getAlternatives({7, 8, 6, 9})));
  EXPECT_FALSE(mayGainFromSmallerShare(getAlternatives({7, 8, 6, 9, 9})));
}

TEST(SplitRule, StopsLaterIfNothingFits) {
  auto mayGain = [](ArrayRef<int64_t> cycles) {
    SmallVector<SplitAlternative> alternatives = getAlternatives(cycles);
    for (SplitAlternative &alternative : alternatives)
      alternative.rate->memoryExcess = 8;
    return mayGainFromSmallerShare(alternatives);
  };
  EXPECT_TRUE(mayGain({7, 8, 7, 9}));
  EXPECT_FALSE(mayGain({7, 8, 7, 9, 9}));
}

TEST(SplitRule, TheBestSharesOfBothFormsAreCompared) {
  SplitChoice choice = chooseForm(getAlternatives({7, 5, 6}),
                                  getAlternatives({9, 4}, /*sharesCode=*/true));
  EXPECT_EQ(choice.chosen, 4u);
  EXPECT_EQ(choice.getChosen().getForm(), "calls");
  EXPECT_EQ(choice.getRunnerUp(), &choice.alternatives[1]);

  choice = chooseForm(getAlternatives({7, 5, 6}),
                      getAlternatives({9, 5}, /*sharesCode=*/true));
  EXPECT_EQ(choice.chosen, 1u);
  EXPECT_EQ(choice.getChosen().getForm(), "ops");
  EXPECT_EQ(choice.getRunnerUp(), &choice.alternatives[4]);
}

TEST(SplitRule, ASingleAlternativeHasNoRunnerUp) {
  SplitChoice choice;
  choice.alternatives.emplace_back();
  EXPECT_EQ(choice.getRunnerUp(), nullptr);
}

TEST(SplitPlan, FindsEntriesByTheNumberOfTheOp) {
  SplitPlan plan;
  plan.decisions = {{/*op=*/1, {{"k"}, 4}}, {/*op=*/5, {{"n"}, 2}}};
  EXPECT_EQ(plan.findDecision(0), nullptr);
  EXPECT_EQ(plan.findDecision(1), &plan.decisions[0]);
  EXPECT_EQ(plan.findDecision(3), nullptr);
  EXPECT_EQ(plan.findDecision(5), &plan.decisions[1]);
  EXPECT_EQ(plan.findDecision(6), nullptr);
  EXPECT_EQ(plan.findExcess(1), nullptr);
}

class SplitChoiceOfMatmul : public ::testing::Test {
protected:
  SplitChoiceOfMatmul() {
    context.loadDialect<IPUDialect, pop::PopDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  func.func @main(%a: tensor<64x3072xf32>, %b: tensor<3072x16xf32>) -> tensor<64x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<64x3072xf32>, tensor<3072x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
})mlir",
                                         &context);
  }

  SplitChoice plan(int64_t perMille) {
    PlanOptions options;
    options.memoryPerMille = perMille;
    return planSplits(*module, getTargetModel(*module), options,
                      SerialPartsKind::Ops);
  }

  std::string print() const {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SplitChoiceOfMatmul, PlanningDoesNotChangeTheModule) {
  std::string before = print();
  SplitChoice choice = plan(600);
  EXPECT_EQ(before, print());
  EXPECT_TRUE(choice.getChosen().plan.hasSerialParts());
  EXPECT_TRUE(choice.getChosen().plan.excesses.empty());
}

TEST_F(SplitChoiceOfMatmul, AlternativesInARowHaveDifferentDecisions) {
  SplitChoice choice = plan(600);
  ArrayRef<SplitAlternative> alternatives = choice.alternatives;
  ASSERT_GT(alternatives.size(), 1u);
  for (size_t i = 1; i < alternatives.size(); ++i) {
    EXPECT_FALSE(alternatives[i].plan.decisions ==
                 alternatives[i - 1].plan.decisions);
    EXPECT_LT(alternatives[i].perMille, alternatives[i - 1].perMille);
  }
}

TEST_F(SplitChoiceOfMatmul, APlanStatesWhyAnOpExceedsItsShare) {
  SplitChoice choice = plan(1);
  ASSERT_EQ(choice.alternatives.size(), 1u);
  ArrayRef<SplitExcess> excesses = choice.getChosen().plan.excesses;
  // Only one part of the op is reported.
  ASSERT_EQ(excesses.size(), 1u);
  EXPECT_EQ(excesses.front().reason, ExcessReason::NoSmallerSplit);
  EXPECT_EQ(excesses.front().share, 65);
  EXPECT_GT(excesses.front().bytes, 0);
}

} // namespace
