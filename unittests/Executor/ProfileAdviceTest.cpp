//===- ProfileAdviceTest.cpp - Tests of advice on profiles ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"

#include "gtest/gtest.h"

using namespace mlir::ipu;

namespace {
class ProfileAdviceTest : public testing::Test {
protected:
  ProfileAdviceTest() { profile.clocks.emplace_back(); }

  void addStep(StepKind kind, int64_t count, int64_t cycles, int64_t mean,
               const char *name) {
    ProfileStep step;
    step.kind = kind;
    step.name = name;
    step.count = count;
    step.maxCycles = cycles;
    step.meanCycles = mean;
    step.balancePermille = mean * 1000 / cycles;
    profile.steps.push_back(step);
    IPUClock &clock = profile.clocks.front();
    clock.cyclesOfKind[static_cast<unsigned>(kind)] += count * cycles;
    clock.now += count * cycles;
    profile.cycles = clock.now;
  }

  Profile profile;
};

TEST_F(ProfileAdviceTest, SaysNothingOfAGoodProgram) {
  EXPECT_TRUE(getAdvice(profile).empty());
  addStep(StepKind::Host, 1, 200, 1, "x");
  addStep(StepKind::Exchange, 1, 150, 1, "move");
  addStep(StepKind::Sync, 1, 100, 1, "internal");
  addStep(StepKind::Compute, 1, 550, 450, "matmul");
  // All shares are those from which on rules would speak.
  EXPECT_TRUE(getAdvice(profile).empty());
}

TEST_F(ProfileAdviceTest, SortsByWhatItSaves) {
  addStep(StepKind::Host, 1, 300, 1, "x");
  addStep(StepKind::Exchange, 2, 100, 1, "small");
  addStep(StepKind::Exchange, 1, 150, 1, "large");
  addStep(StepKind::Compute, 10, 20, 15, "even");
  addStep(StepKind::Compute, 1, 150, 30, "uneven");
  addStep(StepKind::Sync, 1, 140, 1, "internal");
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  ASSERT_EQ(advice.size(), 4u);
  EXPECT_EQ(advice[0].rule, "exchange");
  EXPECT_EQ(advice[0].saving, 350);
  // Two small ones take longer than a large one.
  EXPECT_EQ(advice[0].text, "move less between tiles, first in small");
  EXPECT_EQ(advice[1].rule, "host");
  EXPECT_EQ(advice[1].saving, 300);
  EXPECT_EQ(advice[2].rule, "imbalance");
  EXPECT_EQ(advice[2].saving, 10 * 5 + 120);
  EXPECT_EQ(advice[2].text,
            "give tiles equal work, first in uneven (balance 20.0 %)");
  EXPECT_EQ(advice[3].rule, "sync");
  EXPECT_EQ(advice[3].saving, 140);
}

TEST_F(ProfileAdviceTest, HostCopiesHideNoMoreThanThereIs) {
  addStep(StepKind::Host, 1, 900, 1, "x");
  addStep(StepKind::Compute, 1, 100, 100, "add");
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].saving, 100);
}

TEST_F(ProfileAdviceTest, MemoryComesFirst) {
  addStep(StepKind::Host, 1, 900, 1, "x");
  addStep(StepKind::Compute, 1, 100, 100, "add");
  profile.target.tile_memory = 1000;
  profile.memory.tilesOverMemory = 12;
  profile.memory.fullestTile = 7;
  profile.memory.maxTileBytes = 3500;
  profile.variables.resize(2);
  profile.variables[1].name = "weights";
  profile.memory.largest = {{1, 1234}};
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].rule, "memory");
  EXPECT_EQ(advice[0].text,
            "tile 7 lacks 2,500 bytes, 12 tiles lack some; 1,234 are weights");
}

TEST_F(ProfileAdviceTest, CodeComesFirst) {
  addStep(StepKind::Host, 1, 900, 1, "x");
  addStep(StepKind::Compute, 1, 100, 100, "add");
  profile.target.code_memory = 1000;
  profile.memory.maxCodeBytes = 1000;
  EXPECT_EQ(getAdvice(profile).front().rule, "host");
  profile.memory.maxCodeBytes = 2234;
  EXPECT_EQ(getAdvice(profile).front().rule, "code");
  EXPECT_EQ(getAdvice(profile).front().text,
            "call functions instead of repeating ops, or load code: a tile has "
            "1,234 bytes too much");
}

TEST_F(ProfileAdviceTest, ImbalanceIsNoMoreThanComputing) {
  // Two IPUs compute one after the other, each half of the time.
  addStep(StepKind::Compute, 1, 100, 10, "first");
  profile.steps.push_back(profile.steps.front());
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].saving, 100);
}
} // namespace
