//===- ScheduleSearchTest.cpp - Search for schedules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares schedules of random graphs with optimal schedules, and tests
// priorities, attractions and the counts of live bytes on small graphs.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/ScheduleSearch.h"

#include "ScheduleGraphs.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <limits>

using namespace mlir::ipu;
using testing::ElementsAre;

namespace {
/// Finds optimal live bytes by dynamic programming over all sets of nodes that
/// may come first. It counts the live bytes of each step from their definition.
class OptimalSchedule {
public:
  explicit OptimalSchedule(const ScheduleGraph &graph)
      : graph(graph), predecessors(graph.getNumNodes()) {
    for (const ScheduledValue &value : graph.getValues()) {
      users.push_back(0);
      for (unsigned user : value.users)
        users.back() |= 1u << user;
    }
    for (unsigned node = 0; node < graph.getNumNodes(); ++node)
      for (unsigned predecessor : graph.getNode(node).predecessors)
        predecessors[node] |= 1u << predecessor;
  }

  LiveBytes count() const {
    LiveBytes result;
    result.peak = minimize(
        [](int64_t before, int64_t live) { return std::max(before, live); });
    result.sum = minimize([&](int64_t before, int64_t live) {
      return live <= result.peak ? before + live : kNone;
    });
    return result;
  }

private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  int64_t countLive(unsigned done, unsigned node) const {
    unsigned after = done | 1u << node;
    int64_t live = graph.getNode(node).workspace;
    for (auto [value, usersOfValue] : llvm::zip_equal(graph.getValues(), users))
      if ((value.liveBefore || (usersOfValue & after)) &&
          (value.liveAfter || (usersOfValue & ~done)))
        live += value.bytes;
    return live;
  }

  template <typename AddFn>
  int64_t minimize(AddFn add) const {
    unsigned all = (1u << graph.getNumNodes()) - 1;
    std::vector<int64_t> best(all + 1, kNone);
    best[0] = 0;
    for (unsigned done = 0; done < all; ++done)
      for (unsigned node = 0; node < graph.getNumNodes(); ++node) {
        unsigned after = done | 1u << node;
        if (best[done] != kNone && after != done &&
            !(predecessors[node] & ~done))
          best[after] =
              std::min(best[after], add(best[done], countLive(done, node)));
      }
    return best[all];
  }

  const ScheduleGraph &graph;
  std::vector<unsigned> users, predecessors;
};

/// The mean excess over the optimum of the schedules of random graphs.
struct MeanExcess {
  double given = 0, peak = 0, sum = 0;
};
} // namespace

static MeanExcess measureExcess(unsigned numNodes, unsigned numGraphs,
                                const ScheduleSearchOptions &options) {
  std::mt19937 random(numNodes);
  MeanExcess mean;
  for (unsigned i = 0; i < numGraphs; ++i) {
    ScheduleGraph graph = makeRandomGraph(
        {numNodes, /*maxDistance=*/i % 2 ? numNodes : 4, 1 + i % 3}, random);
    LiveBytes optimum = OptimalSchedule(graph).count();
    LiveBytes given = countLiveBytes(graph, graph.getGivenOrder());
    Schedule schedule = findSchedule(graph, options);
    EXPECT_EQ(verifySchedule(graph, schedule), "");
    EXPECT_EQ(schedule, findSchedule(graph, options));
    LiveBytes found = countLiveBytes(graph, schedule);
    EXPECT_FALSE(found < optimum);
    EXPECT_FALSE(given < found);
    mean.given += double(given.peak) / optimum.peak - 1;
    mean.peak += double(found.peak) / optimum.peak - 1;
    mean.sum += double(found.sum) / optimum.sum - 1;
  }
  mean.given /= numGraphs;
  mean.peak /= numGraphs;
  mean.sum /= numGraphs;
  return mean;
}

// One window has all nodes of a small graph, so that the schedule is optimal.
TEST(ScheduleSearch, SmallGraphsAreOptimal) {
  for (unsigned numNodes = 2; numNodes <= 12; ++numNodes) {
    MeanExcess mean = measureExcess(numNodes, 100, {});
    EXPECT_EQ(mean.peak, 0);
    EXPECT_EQ(mean.sum, 0);
  }
}

// The parts of the search are also good if no window has all nodes.
TEST(ScheduleSearch, ListSchedulesAreCloseToOptimal) {
  ScheduleSearchOptions options;
  options.windowSize = 1;
  MeanExcess mean = measureExcess(12, 300, options);
  EXPECT_LT(mean.peak, 0.01);
  EXPECT_LT(mean.sum, 0.05);
  EXPECT_GT(mean.given, 0.2);
}

TEST(ScheduleSearch, SmallWindowsAreCloseToOptimal) {
  ScheduleSearchOptions options;
  options.windowSize = 6;
  MeanExcess mean = measureExcess(14, 30, options);
  EXPECT_LT(mean.peak, 0.01);
  EXPECT_LT(mean.sum, 0.02);
}

TEST(ScheduleSearch, LargeGraphsAreNotWorseThanTheGivenOrder) {
  std::mt19937 random(1);
  for (unsigned maxDistance : {8, 300, 1500}) {
    ScheduleGraph graph = makeRandomGraph({1500, maxDistance, 3}, random);
    Schedule schedule = findSchedule(graph);
    EXPECT_EQ(verifySchedule(graph, schedule), "");
    EXPECT_LT(countLiveBytes(graph, schedule),
              countLiveBytes(graph, graph.getGivenOrder()));
  }
}

// Two chains: after the first node of a chain, the chain needs many bytes for
// one step, and then frees nearly all of them.
TEST(ScheduleSearch, FinishesAChainBeforeTheNextOne) {
  ScheduleGraph graph;
  for (unsigned i = 0; i < 6; ++i)
    graph.addNode();
  for (unsigned chain : {0, 1}) {
    unsigned first = chain, second = 2 + chain, third = 4 + chain;
    graph.addDependence(first, second);
    graph.addDependence(second, third);
    graph.addValue(10, {first, second});
    graph.addValue(100, {second, third});
    graph.addValue(1, {third}, /*liveBefore=*/false, /*liveAfter=*/true);
  }
  EXPECT_EQ(countLiveBytes(graph, graph.getGivenOrder()).peak, 210);
  ScheduleSearchOptions options;
  options.windowSize = 1;
  Schedule schedule = findSchedule(graph, options);
  EXPECT_THAT(schedule, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_EQ(countLiveBytes(graph, schedule).peak, 111);
}

TEST(ScheduleSearch, AcceptsGraphsWithoutNodesAndValues) {
  ScheduleGraph graph;
  EXPECT_THAT(findSchedule(graph), ElementsAre());
  graph.addNode();
  EXPECT_THAT(findSchedule(graph), ElementsAre(0));
}

// The node of the higher priority comes first, with the node that it needs,
// although this order needs more bytes.
TEST(ScheduleSearch, HigherPrioritiesComeFirst) {
  ScheduleGraph graph;
  for (int64_t priority : {0, 0, 0, 2, -1, 0})
    graph.addNode(/*workspace=*/0, priority);
  graph.addDependence(2, 3);
  graph.addValue(10, {2, 3}, /*liveBefore=*/false, /*liveAfter=*/true);
  graph.addValue(10, {0}, /*liveBefore=*/true);
  graph.addValue(10, {4}, /*liveBefore=*/true);
  graph.addValue(10, {5}, /*liveBefore=*/false, /*liveAfter=*/true);
  graph.addValue(5, {1}, /*liveBefore=*/false, /*liveAfter=*/true);
  Schedule schedule = findSchedule(graph);
  EXPECT_EQ(verifySchedule(graph, schedule), "");
  EXPECT_THAT(schedule, ElementsAre(2, 3, 0, 1, 5, 4));
  EXPECT_EQ(verifySchedule(graph, graph.getGivenOrder()),
            "expects node 2 of higher priority before node 1");
}

TEST(ScheduleSearch, AttractedNodesAreAdjacent) {
  ScheduleGraph graph;
  for (unsigned i = 0; i < 6; ++i)
    graph.addNode();
  graph.addAttraction(0, 5, 1);
  Schedule schedule = findSchedule(graph);
  auto first = llvm::find(schedule, 0u) - schedule.begin();
  auto second = llvm::find(schedule, 5u) - schedule.begin();
  EXPECT_EQ(std::abs(first - second), 1);
}

// An attraction decides between orders of the same peak only.
TEST(ScheduleSearch, AttractionsDoNotRaiseThePeak) {
  ScheduleGraph graph;
  for (unsigned i = 0; i < 3; ++i)
    graph.addNode();
  graph.addDependence(0, 2);
  graph.addValue(10, {1}, /*liveBefore=*/true);
  graph.addValue(10, {2}, /*liveBefore=*/false, /*liveAfter=*/true);
  graph.addAttraction(0, 2, 1000);
  EXPECT_THAT(findSchedule(graph), ElementsAre(1, 0, 2));
}

TEST(ScheduleGraph, CountsLiveBytesFromTheFirstToTheLastUser) {
  ScheduleGraph graph;
  graph.addNode();
  graph.addNode(/*workspace=*/7);
  graph.addNode();
  graph.addValue(1, {0}, /*liveBefore=*/true);
  graph.addValue(10, {0, 1, 1});
  graph.addValue(100, {1}, /*liveBefore=*/false, /*liveAfter=*/true);
  graph.addValue(1000, {}, /*liveBefore=*/true, /*liveAfter=*/true);
  graph.addAttraction(0, 2, 10000);
  LiveBytes live = countLiveBytes(graph, {0, 1, 2});
  EXPECT_EQ(live.peak, 1117);
  EXPECT_EQ(live.sum, 1011 + 1117 + 1100);
  EXPECT_EQ(live.attraction, 30000);
}

TEST(ScheduleGraph, RejectsOrdersThatAreNoSchedules) {
  ScheduleGraph graph;
  graph.addNode();
  graph.addNode();
  graph.addDependence(0, 1);
  EXPECT_EQ(verifySchedule(graph, {0}), "expects 2 nodes but got 1");
  EXPECT_EQ(verifySchedule(graph, {0, 0}),
            "expects each node once but got node 0 at position 1");
  EXPECT_EQ(verifySchedule(graph, {0, 2}),
            "expects each node once but got node 2 at position 1");
  EXPECT_EQ(verifySchedule(graph, {1, 0}), "expects node 0 before node 1");
}
