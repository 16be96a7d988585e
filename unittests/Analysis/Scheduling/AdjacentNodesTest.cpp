//===- AdjacentNodesTest.cpp - Schedules with adjacent nodes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/AdjacentNodes.h"

#include "ScheduleGraphs.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir::ipu;
using testing::ElementsAre;

static int64_t getOne(unsigned) { return 1; }

/// Makes a graph of nodes 0 to `numNodes` - 1 with the given dependences.
static ScheduleGraph
makeGraph(unsigned numNodes,
          llvm::ArrayRef<std::pair<unsigned, unsigned>> dependences) {
  ScheduleGraph graph;
  for (unsigned node = 0; node < numNodes; ++node)
    graph.addNode();
  for (auto [before, after] : dependences)
    graph.addDependence(before, after);
  return graph;
}

TEST(AdjacentNodesTest, KeepsTheGivenOrder) {
  ScheduleGraph graph = makeGraph(3, {{0, 2}});
  AdjacentNodes adjacent(graph);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(0, 1, 2));
  adjacent.add(AdjacentNodes::Nodes{1}, getOne);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(0, 1, 2));
}

TEST(AdjacentNodesTest, MovesUsersAfterTheLastNode) {
  // 0 and 3 become adjacent; 1 uses 0, and 2 is independent.
  ScheduleGraph graph = makeGraph(5, {{0, 1}, {3, 4}});
  AdjacentNodes adjacent(graph);
  adjacent.add(AdjacentNodes::Nodes{0, 3}, getOne);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(2, 0, 3, 1, 4));
}

TEST(AdjacentNodesTest, SeparatesDependentNodes) {
  ScheduleGraph graph = makeGraph(4, {{0, 1}, {1, 3}});
  AdjacentNodes adjacent(graph);
  adjacent.add(AdjacentNodes::Nodes{0, 2, 3}, getOne);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(0, 2, 1, 3));
}

TEST(AdjacentNodesTest, BoundsTheSizeOfASet) {
  // Users 1, 3, 5 and 7 of the nodes 0, 2, 4 and 6 show where sets end.
  ScheduleGraph graph = makeGraph(8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  AdjacentNodes adjacent(graph);
  adjacent.add(
      AdjacentNodes::Nodes{0, 2, 4, 6},
      [](unsigned node) { return node == 4 ? 9 : 2; },
      /*maxSize=*/4);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(0, 2, 1, 3, 4, 5, 6, 7));
}

TEST(AdjacentNodesTest, MakesNoCycleOfSets) {
  // 0 -> 1 and 2 -> 3: {0, 3} and {1, 2} exclude each other.
  ScheduleGraph graph = makeGraph(4, {{0, 1}, {2, 3}});
  AdjacentNodes adjacent(graph);
  adjacent.add(AdjacentNodes::Nodes{0, 3}, getOne);
  adjacent.add(AdjacentNodes::Nodes{1, 2}, getOne);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(2, 0, 3, 1));
}

/// Returns whether a path of dependences leads from `from` to `to`.
static bool hasPath(const ScheduleGraph &graph, unsigned from, unsigned to) {
  return from == to ||
         llvm::any_of(graph.getNode(from).successors, [&](unsigned after) {
           return after <= to && hasPath(graph, after, to);
         });
}

/// Returns the maximal runs of consecutive nodes of `nodes` in `schedule`.
static std::vector<std::vector<unsigned>>
getRuns(const Schedule &schedule, llvm::ArrayRef<unsigned> nodes) {
  std::vector<std::vector<unsigned>> runs;
  bool isOpen = false;
  for (unsigned node : schedule) {
    bool isMember = llvm::is_contained(nodes, node);
    if (isMember && !isOpen)
      runs.emplace_back();
    if (isMember)
      runs.back().push_back(node);
    isOpen = isMember;
  }
  return runs;
}

TEST(AdjacentNodesTest, AddsSeveralGroups) {
  // Two chains: load (0, 3), update (1, 4) and store (2, 5).
  ScheduleGraph graph = makeGraph(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}});
  AdjacentNodes adjacent(graph);
  AdjacentNodes::Nodes groups[] = {{0, 3}, {2, 5}};
  adjacent.add(groups, getOne);
  EXPECT_THAT(adjacent.getSchedule(), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(AdjacentNodesTest, SchedulesRandomGraphs) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    RandomGraphShape shape = {20, 1 + unsigned(random() % 20),
                              unsigned(random() % 3)};
    ScheduleGraph graph = makeRandomGraph(shape, random);
    std::vector<AdjacentNodes::Nodes> kinds(3);
    for (unsigned node = 0; node < shape.numNodes; ++node)
      if (unsigned kind = random() % 4; kind < 3)
        kinds[kind].push_back(node);
    AdjacentNodes adjacent(graph);
    for (const AdjacentNodes::Nodes &kind : kinds)
      adjacent.add(kind, getOne);
    Schedule schedule = adjacent.getSchedule();
    ASSERT_EQ(schedule.size(), shape.numNodes);
    ASSERT_EQ(verifySchedule(graph, schedule), "");
    // The first kind has as few runs as its longest chain of dependences, or
    // fewer if levels happen to be adjacent.
    std::vector<unsigned> chain(shape.numNodes);
    unsigned longest = 0;
    for (unsigned node : kinds[0]) {
      for (unsigned before : kinds[0])
        if (before < node && hasPath(graph, before, node))
          chain[node] = std::max(chain[node], chain[before]);
      longest = std::max(longest, ++chain[node]);
    }
    EXPECT_LE(getRuns(schedule, kinds[0]).size(), longest);
  }
}
