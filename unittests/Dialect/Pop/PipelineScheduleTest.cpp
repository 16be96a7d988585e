//===- PipelineScheduleTest.cpp - Tests of schedules of pipelines ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace mlir::pop;
using testing::ElementsAre;

namespace {
constexpr PipelineKind kKinds[] = {PipelineKind::Popart, PipelineKind::GPipe,
                                   PipelineKind::OneFOneB};

/// The times at which the stages process micro-batches, and at which the copies
/// of their results are complete, in the order of the program.
struct Times {
  std::map<std::pair<unsigned, int64_t>, int64_t> stages, copies;
  int64_t end = 0;
};

Times simulate(const PipelineSchedule &schedule, int64_t count) {
  Times times;
  for (const PipelineSchedule::Loop &loop : schedule.getLoops())
    for (int64_t iteration = 0; iteration < count + loop.maxDelay; ++iteration)
      for (ArrayRef<unsigned> turn : loop.turns) {
        SmallVector<std::pair<unsigned, int64_t>> active;
        for (unsigned stage : turn) {
          int64_t number = iteration - schedule.getPosition(stage).delay;
          if (number >= 0 && number < count)
            active.push_back({stage, number});
        }
        for (auto task : active) {
          EXPECT_FALSE(times.stages.count(task));
          times.stages[task] = times.end++;
        }
        for (auto task : active)
          times.copies[task] = times.end++;
      }
  return times;
}

/// Returns whether a stash with `numSlots` rows holds each value of `writer`
/// until `reader` has read it.
bool isEnough(const Times &times, unsigned writer, bool isCopy, unsigned reader,
              int64_t numSlots, int64_t count) {
  for (int64_t number = 0; number + numSlots < count; ++number) {
    std::pair<unsigned, int64_t> next(writer, number + numSlots);
    int64_t overwritten = (isCopy ? times.copies : times.stages).at(next);
    if (overwritten < times.stages.at({reader, number}))
      return false;
  }
  return true;
}

/// Calls `check` for schedules of all kinds with up to 8 stages.
void forEachSchedule(
    llvm::function_ref<void(const PipelineSchedule &, unsigned numStages)>
        check) {
  for (PipelineKind kind : kKinds)
    for (unsigned numStages = 1; numStages <= 8; ++numStages)
      for (unsigned numForward = 0; numForward <= numStages; ++numForward)
        check(PipelineSchedule(kind, numStages, numForward), numStages);
}

TEST(PipelineScheduleTest, EachStageOnceInOrder) {
  forEachSchedule([](const PipelineSchedule &schedule, unsigned numStages) {
    int64_t count = schedule.getMinMicroBatches() + 3;
    Times times = simulate(schedule, count);
    EXPECT_EQ(times.stages.size(), numStages * static_cast<size_t>(count));
    for (auto [task, time] : times.stages) {
      auto [stage, number] = task;
      if (number > 0) {
        EXPECT_LT(times.stages.at({stage, number - 1}), time);
      }
      if (stage > 0) {
        EXPECT_LT(times.copies.at({stage - 1, number}), time);
      }
    }
  });
}

TEST(PipelineScheduleTest, LeastNumberOfSlots) {
  forEachSchedule([](const PipelineSchedule &schedule, unsigned numStages) {
    int64_t count = 2 * schedule.getMinMicroBatches() + 3;
    Times times = simulate(schedule, count);
    for (unsigned writer = 0; writer < numStages; ++writer)
      for (unsigned reader = writer + 1; reader < numStages; ++reader)
        for (bool isCopy : {false, true}) {
          int64_t slots = schedule.getNumSlots(writer, isCopy, reader, count);
          EXPECT_TRUE(isEnough(times, writer, isCopy, reader, slots, count));
          if (slots > 1) {
            EXPECT_FALSE(
                isEnough(times, writer, isCopy, reader, slots - 1, count));
          }
        }
  });
}

TEST(PipelineScheduleTest, ReadsOfSameIteration) {
  PipelineSchedule schedule(PipelineKind::OneFOneB, 4, 2);
  EXPECT_TRUE(schedule.readsSameIteration(0, 1));
  EXPECT_FALSE(schedule.readsSameIteration(1, 2));
  EXPECT_TRUE(schedule.readsSameIteration(2, 3));
}

TEST(PipelineScheduleTest, FillsAndStashes) {
  // Three IPUs. The last one has one stage for both passes with `popart`.
  PipelineSchedule popart(PipelineKind::Popart, 5, 2);
  EXPECT_EQ(popart.getMinMicroBatches(), 5);
  EXPECT_THAT(popart.getLoops().front().turns.front(),
              ElementsAre(4, 3, 2, 1, 0));
  EXPECT_EQ(popart.getNumSlots(0, /*isCopy=*/false, 4, 16), 4);
  EXPECT_EQ(popart.getNumSlots(1, /*isCopy=*/false, 3, 16), 2);

  PipelineSchedule oneFOneB(PipelineKind::OneFOneB, 6, 3);
  EXPECT_EQ(oneFOneB.getMinMicroBatches(), 3);
  EXPECT_EQ(oneFOneB.getNumSlots(0, /*isCopy=*/false, 5, 16), 3);
  EXPECT_EQ(oneFOneB.getNumSlots(1, /*isCopy=*/false, 4, 16), 2);
  EXPECT_EQ(oneFOneB.getNumSlots(2, /*isCopy=*/false, 3, 16), 1);

  PipelineSchedule gpipe(PipelineKind::GPipe, 6, 3);
  EXPECT_EQ(gpipe.getMinMicroBatches(), 3);
  EXPECT_EQ(gpipe.getNumSlots(0, /*isCopy=*/false, 5, 16), 16);
}

TEST(PipelineScheduleTest, Names) {
  for (PipelineKind kind : kKinds)
    EXPECT_EQ(symbolizePipelineKind(stringifyPipelineKind(kind)), kind);
  EXPECT_EQ(symbolizePipelineKind("1F1B"), std::nullopt);
}
} // namespace
