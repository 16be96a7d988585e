//===- MemoryAdviceTest.cpp - Memory advice -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/MemoryAdvice.h"

#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace mlir;
using namespace mlir::ipu;

namespace {

using Tried = std::vector<std::pair<MemoryTrialKind, int64_t>>;

/// A search that records all trials.
struct Search {
  template <typename Missing>
  Search(const MemoryStart &start, Missing missing) {
    advice = findMemoryAdvice(
        start, [&](const MemoryTrial &trial) -> std::optional<MemoryOutcome> {
          tried.emplace_back(trial.kind, trial.value);
          return missing(trial);
        });
  }

  MemoryAdvice advice;
  Tried tried;
};

/// Returns the start of a search that tries no transforms.
MemoryStart getStart(int64_t share, int64_t ipus,
                     std::optional<int64_t> dimension,
                     bool copiesConstants = false) {
  return {share,
          ipus,
          dimension,
          copiesConstants,
          /*hasVariables=*/false,
          {/*batchParts=*/8, /*matmulParts=*/8, /*outlines=*/true,
           /*schedules=*/true, /*shardedVariables=*/{},
           /*remoteVariables=*/{}, /*phases=*/8, /*remoteTensors=*/true}};
}

constexpr auto kCopies = MemoryTrialKind::CopyConstants;
constexpr auto kOutline = MemoryTrialKind::Outline;
constexpr auto kSchedule = MemoryTrialKind::Schedule;
constexpr auto kMatmulParts = MemoryTrialKind::MatmulParts;
constexpr auto kBatchParts = MemoryTrialKind::BatchParts;
constexpr auto kShare = MemoryTrialKind::Share;
constexpr auto kIPUs = MemoryTrialKind::IPUs;
constexpr auto kRemoteWeights = MemoryTrialKind::RemoteWeights;
constexpr auto kPhases = MemoryTrialKind::Phases;
constexpr auto kDimension = MemoryTrialKind::Dimension;

TEST(MemoryAdviceTest, OneOfEachKind) {
  Search search(getStart(600, 2, 16), [](const MemoryTrial &trial) -> int64_t {
    switch (trial.kind) {
    case kCopies:
      return 1;
    case kShare:
      return trial.value <= 250 ? 0 : trial.value;
    case kIPUs:
      return trial.value >= 8 ? 0 : 100;
    case kDimension:
      return trial.value <= 12 ? 0 : 7;
    default:
      return -1;
    }
  });
  EXPECT_EQ(search.tried, Tried({{kShare, 500},
                                 {kShare, 400},
                                 {kShare, 300},
                                 {kShare, 200},
                                 {kIPUs, 4},
                                 {kIPUs, 8},
                                 {kDimension, 8},
                                 {kDimension, 12},
                                 {kDimension, 14},
                                 {kDimension, 13}}));
  EXPECT_EQ(search.advice.tried.size(), 10u);
  Tried fitting;
  for (const MemoryTrial &trial : search.advice.fitting)
    fitting.emplace_back(trial.kind, trial.value);
  EXPECT_EQ(fitting, Tried({{kShare, 200}, {kIPUs, 8}, {kDimension, 12}}));
  EXPECT_EQ(search.advice.dimensionTooLarge, 13);
}

TEST(MemoryAdviceTest, CopiesOfConstants) {
  Search search(getStart(50, 16, std::nullopt, /*copiesConstants=*/true),
                [](const MemoryTrial &) { return 0; });
  EXPECT_EQ(search.tried, Tried({{kCopies, 0}}));
  ASSERT_EQ(search.advice.fitting.size(), 1u);
  EXPECT_EQ(search.advice.fitting.front().kind, kCopies);
}

/// Functions and orders are tried before smaller shares, and parts after them.
/// The outcomes of the trials that fit are kept.
TEST(MemoryAdviceTest, Transforms) {
  MemoryStart start;
  start.sharePerMille = 600;
  start.ipus = 16;
  start.hasVariables = true;
  start.transforms.matmulParts = 3;
  Search search(start, [](const MemoryTrial &trial) -> MemoryOutcome {
    if (trial.kind == kSchedule || trial.kind == kBatchParts)
      return {0, 500, 70};
    if (trial.kind == kPhases && trial.value == 4)
      return {0, 300, 200};
    return trial.value <= 400 && trial.kind == kShare
               ? MemoryOutcome(0, 400, 90)
               : MemoryOutcome(1);
  });
  EXPECT_EQ(search.tried, Tried({{kOutline, 1},
                                 {kSchedule, 1},
                                 {kShare, 500},
                                 {kShare, 400},
                                 {kMatmulParts, 4},
                                 {kMatmulParts, 8},
                                 {kBatchParts, 2},
                                 {kRemoteWeights, 1},
                                 {kPhases, 2},
                                 {kPhases, 4}}));
  ASSERT_EQ(search.advice.fitting.size(), 4u);
  EXPECT_EQ(search.advice.fitting[0].kind, kSchedule);
  EXPECT_EQ(search.advice.fitting[0].outcome.bytes, 500);
  EXPECT_EQ(search.advice.fitting[1].outcome.cycles, 90);
  EXPECT_EQ(search.advice.fitting[2].kind, kBatchParts);
}

TEST(MemoryAdviceTest, WhatComesNearest) {
  Search search(getStart(350, 1, std::nullopt), [](const MemoryTrial &trial) {
    return trial.kind == kShare ? 40 : 100 / trial.value + 34;
  });
  EXPECT_TRUE(search.advice.fitting.empty());
  // The trials are shares of 0.3, 0.2, 0.1 and 0.05, and 2 to 16 IPUs.
  EXPECT_EQ(search.advice.tried.size(), 8u);
  ASSERT_TRUE(search.advice.nearest);
  EXPECT_EQ(search.advice.nearest->kind, kShare);
  EXPECT_EQ(search.advice.nearest->value, 300);
  EXPECT_EQ(search.advice.missingBytes, 40);
}

// A trial that cannot be compiled is never the nearest trial.
TEST(MemoryAdviceTest, NothingCanBeCompiled) {
  Search search(getStart(600, 1, 3),
                [](const MemoryTrial &) { return std::nullopt; });
  EXPECT_TRUE(search.advice.fitting.empty());
  EXPECT_FALSE(search.advice.nearest);
  EXPECT_EQ(search.advice.tried.size(), 11u);
}

TEST(MemoryAdviceTest, NothingToTry) {
  Search search(getStart(0, 16, 1), [](const MemoryTrial &) { return 0; });
  EXPECT_EQ(search.advice.tried.size(), 0u);
}

/// For each set of settings that fit, all reported settings were tried, and the
/// search ends.
TEST(MemoryAdviceTest, SaysOnlyWhatWasTried) {
  std::mt19937 random(1);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    MemoryStart start{draw(0, 1000),
                      int64_t(1) << draw(0, 4),
                      draw(1, 4) == 1 ? draw(1, int64_t(1) << 40)
                                      : draw(1, 255),
                      draw(0, 1) == 1,
                      draw(0, 1) == 1,
                      {draw(1, 8), draw(1, 8), draw(0, 1) == 1, draw(0, 1) == 1,
                       /*shardedVariables=*/{}, /*remoteVariables=*/{},
                       /*phases=*/draw(0, 8), /*remoteTensors=*/true}};
    std::vector<std::pair<MemoryTrial, int64_t>> results;
    int64_t chance = draw(0, 9);
    Search search(start, [&](const MemoryTrial &trial) {
      int64_t missing = draw(0, 9) < chance ? 0 : draw(1, 1000);
      results.emplace_back(trial, missing);
      return missing;
    });
    const MemoryAdvice &advice = search.advice;
    EXPECT_LE(int64_t(advice.tried.size()), kMaxMemoryTrials);
    EXPECT_EQ(advice.tried.size(), results.size());
    EXPECT_FALSE(advice.isStopped);
    auto getMissing = [&](MemoryTrialKind kind, int64_t value) {
      for (auto &[trial, missing] : results)
        if (trial.kind == kind && trial.value == value)
          return missing;
      return int64_t(-1);
    };
    for (const MemoryTrial &trial : advice.fitting) {
      EXPECT_EQ(getMissing(trial.kind, trial.value), 0);
      if (trial.kind != kDimension)
        continue;
      EXPECT_LT(trial.value, advice.dimensionTooLarge);
      if (advice.dimensionTooLarge != *start.dimension) {
        EXPECT_GT(getMissing(kDimension, advice.dimensionTooLarge), 0);
      }
    }
    int64_t least = INT64_MAX;
    for (auto &[trial, missing] : results)
      if (missing > 0)
        least = std::min(least, missing);
    if (advice.nearest) {
      EXPECT_EQ(advice.missingBytes, least);
      EXPECT_EQ(getMissing(advice.nearest->kind, advice.nearest->value), least);
    }
  }
}

/// Sizes below 256 are found exactly if the program also fits with all smaller
/// sizes.
TEST(MemoryAdviceTest, FindsTheGreatestSize) {
  for (int64_t size : {2, 3, 16, 100, 255})
    for (int64_t greatest = 0; greatest < size; ++greatest) {
      Search search(getStart(0, 16, size), [&](const MemoryTrial &trial) {
        return trial.value <= greatest ? 0 : 1;
      });
      ASSERT_EQ(search.advice.fitting.empty(), greatest == 0);
      if (greatest == 0)
        continue;
      EXPECT_EQ(search.advice.fitting.front().value, greatest);
      EXPECT_EQ(search.advice.dimensionTooLarge, greatest + 1);
    }
}

// What was found before the search stops is reported.
TEST(MemoryAdviceTest, StopsInTime) {
  auto missing = [](const MemoryTrial &trial) -> int64_t {
    return trial.kind == kShare && trial.value <= 400 ? 0 : 5;
  };
  for (int64_t most = 0; most < 8; ++most) {
    int64_t left = most;
    MemoryAdvice advice = findMemoryAdvice(getStart(600, 2, 16), missing,
                                           [&] { return left-- > 0; });
    EXPECT_EQ(int64_t(advice.tried.size()), most);
    EXPECT_EQ(left, -1);
    EXPECT_TRUE(advice.isStopped);
    EXPECT_EQ(advice.fitting.size(), most >= 2 ? 1u : 0u);
    EXPECT_EQ(advice.nearest.has_value(), most >= 1);
  }
}

TEST(MemoryAdviceTest, TimeOfTrials) {
  MemoryTrialTime fast(/*compileSeconds=*/3, /*limit=*/13);
  EXPECT_TRUE(fast.hasTime());
  fast.addTrial(4);
  EXPECT_TRUE(fast.hasTime());
  fast.addTrial(2);
  EXPECT_TRUE(fast.hasTime());
  fast.addTrial(3);
  EXPECT_FALSE(fast.hasTime());

  // The first trial is expected to take as long as the compilation.
  EXPECT_TRUE(MemoryTrialTime(5, 10).hasTime());
  EXPECT_FALSE(MemoryTrialTime(6, 10).hasTime());
  EXPECT_FALSE(MemoryTrialTime(0.5, 0).hasTime());
  MemoryTrialTime slow(500, 10);
  EXPECT_EQ(slow.getLimit(), 50);
  EXPECT_FALSE(slow.hasTime());
}

} // namespace
