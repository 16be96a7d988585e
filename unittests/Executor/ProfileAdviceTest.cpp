//===- ProfileAdviceTest.cpp - Tests of advice on profiles ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "gtest/gtest.h"
#include <set>

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
    if (kind == StepKind::Compute)
      step.codelets = {"codelet"};
    // The first op has all of the step.
    step.shares = {{"pop.op",
                    name,
                    /*place=*/"",
                    /*op=*/0,
                    {cycles},
                    /*flops=*/0,
                    /*bytes=*/0}};
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

  /// Returns the advice of `rule`, or null if there is none.
  const ProfileAdvice *find(const char *rule) {
    findings = checkRules(profile);
    for (const ProfileAdvice &advice : findings.advice)
      if (advice.rule.name == rule)
        return &advice;
    return nullptr;
  }

  /// Creates the profile of a program with one step, whose fullest tile needs
  /// `bytes` of 1000 bytes.
  void needMemory(int64_t bytes) {
    addStep(StepKind::Compute, 1, 1000, 1000, "even");
    profile.target.tile_memory = 1000;
    profile.target.code_memory = 1000;
    profile.memory.maxTileBytes = profile.memory.meanTileBytes =
        profile.memory.leastTileBytes = bytes;
    for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
      const MemoryCategoryInfo &info =
          getMemoryCategoryInfo(static_cast<MemoryCategory>(i));
      profile.memory.categories.push_back(
          {info.name.str(), info.isEstimated, 0, 0});
    }
  }
  void setBytes(MemoryCategory category, int64_t bytes) {
    profile.memory.categories[static_cast<unsigned>(category)].tileBytes =
        bytes;
  }

  Profile profile;
  ProfileFindings findings;
};

TEST_F(ProfileAdviceTest, SaysNothingOfAGoodProgram) {
  EXPECT_TRUE(getAdvice(profile).empty());
  addStep(StepKind::Host, 1, 200, 1, "x");
  addStep(StepKind::Exchange, 1, 150, 1, "move");
  addStep(StepKind::Sync, 1, 100, 1, "internal");
  addStep(StepKind::Compute, 1, 550, 450, "matmul");
  // All values are equal to the limits above which rules give advice.
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
  EXPECT_EQ(advice[0].rule.name, "exchange");
  EXPECT_EQ(advice[0].saving, 350);
  // The two executions of `small` together take longer than `large`.
  EXPECT_EQ(advice[0].text, "move less between tiles, first in small");
  EXPECT_EQ(advice[1].rule.name, "host");
  EXPECT_EQ(advice[1].saving, 300);
  EXPECT_EQ(advice[2].rule.name, "imbalance");
  EXPECT_EQ(advice[2].saving, 10 * 5 + 120);
  EXPECT_EQ(advice[2].text,
            "give tiles equal work, first in uneven (balance 20.0 %)");
  EXPECT_EQ(advice[3].rule.name, "sync");
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
  EXPECT_EQ(advice[0].rule.name, "memory");
  EXPECT_EQ(advice[0].text, "tile 7 lacks 2,500 bytes; 12 tiles lack memory; "
                            "weights takes 1,234 bytes");
}

TEST_F(ProfileAdviceTest, CodeComesFirst) {
  addStep(StepKind::Host, 1, 900, 1, "x");
  addStep(StepKind::Compute, 1, 100, 100, "add");
  profile.target.code_memory = 1000;
  profile.memory.maxCodeBytes = 1000;
  EXPECT_EQ(getAdvice(profile).front().rule.name, "host");
  profile.memory.maxCodeBytes = 2234;
  EXPECT_EQ(getAdvice(profile).front().rule.name, "code");
  EXPECT_EQ(getAdvice(profile).front().text,
            "call functions instead of repeating ops, or load code: a tile has "
            "1,234 bytes of code too many");
  // Calls do not reduce the code of codelets.
  profile.code.codelets = {{"mul", 600}, {"add", 401}};
  EXPECT_EQ(getAdvice(profile).front().text,
            "use fewer codelets, that is, fewer different ops, types and "
            "sizes: a tile has 1,234 bytes of code too many");
  EXPECT_EQ(getAdvice(profile).front().option, "");
}

TEST_F(ProfileAdviceTest, OptionsAreThoseOfAllTools) {
  needMemory(1001);
  EXPECT_EQ(find("memory")->option,
            "--available-memory-proportion 0.3, available-memory-proportion of "
            "pop-to-ipu-pipeline");
  setBytes(MemoryCategory::AlwaysLive, 1000);
  EXPECT_EQ(find("always-live")->option,
            "--ipus 2, --off-chip weights, --precision f16");
}

TEST_F(ProfileAdviceTest, ImbalanceIsNoMoreThanComputing) {
  // Two IPUs compute one after the other, each for half of the time.
  addStep(StepKind::Compute, 1, 100, 10, "first");
  profile.steps.push_back(profile.steps.front());
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].saving, 100);
}

TEST_F(ProfileAdviceTest, ListsAllRulesAndWhatTheyLookAt) {
  addStep(StepKind::Compute, 1, 100, 100, "even");
  ProfileFindings silent = checkRules(profile);
  addStep(StepKind::Host, 1, 900, 1, "x");
  ProfileFindings speaking = checkRules(profile);
  ASSERT_EQ(silent.rules.size(), speaking.rules.size());
  std::set<std::string> names;
  for (auto [first, second] : llvm::zip(silent.rules, speaking.rules)) {
    EXPECT_EQ(first.name, second.name);
    EXPECT_EQ(first.limit, second.limit);
    EXPECT_TRUE(names.insert(first.name.str()).second);
    EXPECT_FALSE(first.speaks()) << first.name.str();
    EXPECT_EQ(second.speaks(), second.name == "host") << second.name.str();
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(ProfileAdviceTest, RulesOnMemoryAreSilentWhereThereIsRoom) {
  needMemory(500);
  setBytes(MemoryCategory::ExchangeCode, 500);
  setBytes(MemoryCategory::Gaps, 500);
  setBytes(MemoryCategory::AlwaysLive, 500);
  profile.memory.meanTileBytes = profile.memory.leastTileBytes = 1;
  EXPECT_TRUE(getAdvice(profile).empty());
}

TEST_F(ProfileAdviceTest, TilesThatAreNearlyFull) {
  needMemory(900);
  EXPECT_FALSE(find("nearly-full"));
  profile.memory.maxTileBytes = 901;
  profile.memory.fullestTile = 3;
  setBytes(MemoryCategory::AlwaysLive, 500);
  const ProfileAdvice *advice = find("nearly-full");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "always_live");
  EXPECT_EQ(advice->savingBytes, 500);
  EXPECT_EQ(advice->tile, 3);
  // The rule does not apply to a program that does not fit.
  profile.memory.maxTileBytes = 1001;
  EXPECT_FALSE(find("nearly-full"));
}

TEST_F(ProfileAdviceTest, CodeThatFillsItsRegion) {
  needMemory(100);
  profile.code.functions = {{"main", 300}, {"block", 400}};
  profile.memory.maxCodeBytes = 800;
  EXPECT_FALSE(find("code-region"));
  profile.memory.maxCodeBytes = 801;
  const ProfileAdvice *advice = find("code-region");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "block");
  EXPECT_EQ(advice->savingBytes, 400);
}

TEST_F(ProfileAdviceTest, CodeThatTakesMostOfATile) {
  needMemory(600);
  addStep(StepKind::Exchange, 1, 1, 1, "short");
  addStep(StepKind::Exchange, 1, 1, 1, "long");
  profile.steps.back().codeBytes = 100;
  setBytes(MemoryCategory::ExchangeCode, 120);
  setBytes(MemoryCategory::ControlCode, 60);
  // The stack is not part of the program's code, and calls do not reduce the
  // code of codelets.
  setBytes(MemoryCategory::Stack, 300);
  setBytes(MemoryCategory::VertexCode, 300);
  EXPECT_FALSE(find("code-share"));
  EXPECT_FALSE(find("exchange-code"));
  setBytes(MemoryCategory::ExchangeCode, 126);
  const ProfileAdvice *advice = find("exchange-code");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "long");
  EXPECT_EQ(advice->savingBytes, 126);
  ASSERT_TRUE(find("code-share"));
  EXPECT_EQ(find("code-share")->savingBytes, 186);
}

TEST_F(ProfileAdviceTest, EstimatesAreSoft) {
  needMemory(600);
  setBytes(MemoryCategory::AlwaysLive, 300);
  setBytes(MemoryCategory::ControlCode, 300);
  EXPECT_FALSE(find("estimates"));
  setBytes(MemoryCategory::ControlCode, 302);
  EXPECT_TRUE(find("estimates"));
}

TEST_F(ProfileAdviceTest, MemoryThatIsUneven) {
  needMemory(600);
  profile.memory.meanTileBytes = 400;
  EXPECT_FALSE(find("uneven-memory"));
  profile.memory.meanTileBytes = 399;
  profile.variables.resize(1);
  profile.variables[0].name = "table";
  profile.memory.largest = {{0, 250}};
  const ProfileAdvice *advice = find("uneven-memory");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "table");
  EXPECT_EQ(advice->savingBytes, 201);
}

TEST_F(ProfileAdviceTest, GapsThatAnotherOrderAvoids) {
  needMemory(1000);
  setBytes(MemoryCategory::Gaps, 51);
  // All addresses are as low as possible.
  EXPECT_FALSE(find("gaps"));
  profile.memory.leastTileBytes = 960;
  ASSERT_TRUE(find("gaps"));
  EXPECT_EQ(find("gaps")->savingBytes, 40);
  setBytes(MemoryCategory::Gaps, 50);
  EXPECT_FALSE(find("gaps"));
}

TEST_F(ProfileAdviceTest, StepsAtWhichMuchMoreIsLive) {
  needMemory(700);
  for (const char *name : {"a", "b", "peak", "c"})
    addStep(StepKind::Compute, 1, 10, 10, name);
  // 500 bytes are live in three of five steps.
  profile.memory.live = {{0, 500}, {2, 400}, {3, 700}, {4, 500}};
  EXPECT_FALSE(find("spike"));
  profile.memory.live[2].second = 701;
  const ProfileAdvice *advice = find("spike");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "peak");
  EXPECT_EQ(advice->step, 3);
  EXPECT_EQ(advice->savingBytes, 201);
}

TEST_F(ProfileAdviceTest, VariablesThatAreAlwaysThere) {
  needMemory(600);
  setBytes(MemoryCategory::AlwaysLive, 360);
  EXPECT_FALSE(find("always-live"));
  setBytes(MemoryCategory::AlwaysLive, 361);
  ASSERT_TRUE(find("always-live"));
  EXPECT_EQ(find("always-live")->savingBytes, 361);
  ProfileVariable variable;
  variable.name = "weights";
  variable.fullestTileBytes = 101;
  profile.variables = {variable};
  EXPECT_FALSE(find("large-variable"));
  profile.variables[0].alwaysLive = true;
  ASSERT_TRUE(find("large-variable"));
  EXPECT_EQ(find("large-variable")->subject, "weights");
}

TEST_F(ProfileAdviceTest, CopiesOnManyTiles) {
  needMemory(600);
  ProfileVariable once, copied;
  once.name = "once";
  once.bytes = once.uniqueBytes = 400;
  once.fullestTileBytes = 40;
  once.ranges = {{0, 0}};
  copied = once;
  copied.name = "copied";
  // Tiles hold each element of `copied` twice.
  copied.bytes = 800;
  copied.fullestTileBytes = 80;
  profile.variables = {once, copied};
  EXPECT_FALSE(find("copies"));
  profile.variables[1].bytes = 4000;
  const ProfileAdvice *advice = find("copies");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->subject, "copied");
  EXPECT_EQ(advice->savingBytes, 72);
  // The variable is not live at the peak.
  profile.variables[1].ranges = {{1, 1}};
  EXPECT_FALSE(find("copies"));
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

TEST_F(ProfileAdviceTest, TransfersThatTakeLong) {
  for (auto [kind, rule, limit] :
       {std::make_tuple(StepKind::Collective, "collective", 150),
        {StepKind::Remote, "remote", 150},
        {StepKind::Code, "code-loads", 50}}) {
    profile = Profile();
    profile.clocks.emplace_back();
    addStep(kind, 1, limit, 1, "move");
    addStep(StepKind::Compute, 1, 1000 - limit, 1000 - limit, "even");
    EXPECT_FALSE(find(rule)) << rule;
    addStep(kind, 1, 10, 1, "other");
    ASSERT_TRUE(find(rule)) << rule;
    EXPECT_EQ(find(rule)->saving, limit + 10);
    EXPECT_EQ(find(rule)->subject, "move");
    EXPECT_EQ(find(rule)->step, 0);
  }
}

TEST_F(ProfileAdviceTest, ExchangesSayWhy) {
  addStep(StepKind::Exchange, 1, 400, 1, "move");
  addStep(StepKind::Compute, 1, 600, 600, "even");
  profile.target.exchange_bytes_per_cycle = 4;
  profile.target.ipus = 1;
  profile.target.tiles = 10;
  KindTotals &totals =
      profile.totals[static_cast<unsigned>(StepKind::Exchange)];
  // The exchange would take 200 cycles if all tiles received the same number of
  // bytes.
  totals.bytes = 8000;
  EXPECT_EQ(find("exchange")->text, "move less between tiles, first in move");
  totals.bytes = 7000;
  EXPECT_EQ(find("exchange")->text,
            "balance the bytes that tiles send and receive, first in move: "
            "exchanges then take 43.7 % of their present time");
  EXPECT_EQ(find("exchange")->saving, 225);
  profile.traffic.setupCycles = 121;
  EXPECT_EQ(find("exchange")->text,
            "merge exchanges, first move: set-up takes 30.2 % of the time of "
            "exchanges");
  EXPECT_EQ(find("exchange")->saving, 121);
}

TEST_F(ProfileAdviceTest, UnitsThatAreNotUsed) {
  profile.target = *TargetModel::getPreset("gc200");
  addStep(StepKind::Compute, 1, 1000000, 1000000, "matmul");
  ProfileOp op;
  op.name = "slow";
  op.steps = {0};
  op.cycles = 1000000;
  op.cyclesOfKind[static_cast<unsigned>(StepKind::Compute)] = 1000000;
  op.utilisationPpm = 199999;
  profile.ops = {op};
  int64_t peak = getPeakFlops(profile.target, FlopUnit::MatrixF16) *
                 profile.target.getTilesPerReplica();
  int64_t &flops = profile.flops[static_cast<unsigned>(FlopUnit::MatrixF16)];
  flops = peak * 200000;
  EXPECT_FALSE(find("utilisation"));
  flops = peak * 199000;
  ASSERT_TRUE(find("utilisation"));
  EXPECT_EQ(find("utilisation")->subject, "slow");
  EXPECT_EQ(find("utilisation")->saving, 800001);
  // The rule does not apply to a run that mostly moves data.
  addStep(StepKind::Host, 1, 1000000, 1, "x");
  EXPECT_FALSE(find("utilisation"));
}

TEST_F(ProfileAdviceTest, ProductsInF32) {
  profile.target = *TargetModel::getPreset("gc200");
  addStep(StepKind::Compute, 2, 1000, 1000, "matmul");
  profile.steps.back().unit = FlopUnit::MatrixF32;
  profile.steps.back().flops = 1;
  profile.flops[static_cast<unsigned>(FlopUnit::MatrixF32)] = 500;
  profile.flops[static_cast<unsigned>(FlopUnit::MatrixF16)] = 500;
  EXPECT_FALSE(find("f32"));
  profile.flops[static_cast<unsigned>(FlopUnit::MatrixF16)] = 498;
  ASSERT_TRUE(find("f32"));
  EXPECT_EQ(find("f32")->saving, 1500);
  EXPECT_EQ(find("f32")->subject, "matmul");
}

TEST_F(ProfileAdviceTest, OneOpTakesMost) {
  addStep(StepKind::Compute, 1, 1000, 1000, "matmul");
  ProfileOp op;
  op.name = "conv";
  op.steps = {0};
  op.cycles = 400;
  profile.ops = {op};
  EXPECT_FALSE(find("one-op"));
  profile.ops[0].cycles = 402;
  ASSERT_TRUE(find("one-op"));
  EXPECT_EQ(find("one-op")->subject, "conv");
}

TEST_F(ProfileAdviceTest, ManyShortSteps) {
  profile.target.compute_set_cycles = 30;
  profile.target.sync_internal_cycles = 100;
  profile.target.ipus = 1;
  addStep(StepKind::Compute, 10, 499, 499, "short");
  addStep(StepKind::Sync, 2, 100, 100, "internal");
  addStep(StepKind::Compute, 1, 4810, 4810, "long");
  // 10 starts and 2 syncs take 500 of 10,000 cycles. There are no further
  // syncs.
  EXPECT_FALSE(find("short-steps"));
  addStep(StepKind::Compute, 1, 100, 100, "shorter");
  ASSERT_TRUE(find("short-steps"));
  EXPECT_EQ(find("short-steps")->saving, 530);
  EXPECT_EQ(find("short-steps")->subject, "short");
}

TEST_F(ProfileAdviceTest, WaitsForOthers) {
  addStep(StepKind::Compute, 1, 950, 950, "even");
  profile.clocks.front().wait = 50;
  profile.clocks.front().now = 1000;
  EXPECT_FALSE(find("wait"));
  profile.clocks.front().wait = 52;
  ASSERT_TRUE(find("wait"));
  EXPECT_EQ(find("wait")->saving, 52);
  EXPECT_EQ(find("wait")->subject, "replica 0, IPU 0");
}
} // namespace
