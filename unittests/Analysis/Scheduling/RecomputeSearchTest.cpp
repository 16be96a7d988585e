//===- RecomputeSearchTest.cpp - Choices of recomputed nodes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares choices for random chains with the best of all choices, and tests
// steps, live bytes and forced nodes of small graphs.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/RecomputeSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

using namespace mlir::ipu;

namespace {
/// The properties of random training steps.
struct RandomSteps {
  unsigned numForward;
  /// This flag is set if nodes of the forward pass may read any earlier value.
  bool hasSkips = false;
};
} // namespace

/// Returns a training step whose backward pass has one node for each node of
/// the forward pass, in reverse order. It reads some of the operands and
/// results of the node.
static TrainingGraph makeRandomStep(const RandomSteps &shape,
                                    std::mt19937 &random) {
  TrainingGraph graph;
  graph.numForward = shape.numForward;
  auto isOneOf = [&](unsigned n) { return random() % n == 0; };
  std::vector<unsigned> forward{graph.addValue(random() % 30)};
  std::vector<llvm::SmallVector<unsigned, 4>> operands;
  for (unsigned i = 0; i < shape.numForward; ++i) {
    TrainingNode node;
    node.operations = random() % 100;
    node.workspace = isOneOf(4) ? random() % 20 : 0;
    node.isRepeatable = !isOneOf(6);
    node.operands.push_back(forward.back());
    if (shape.hasSkips && isOneOf(3))
      node.operands.push_back(forward[random() % forward.size()]);
    operands.push_back(node.operands);
    unsigned number = graph.addNode(node);
    bool isView = isOneOf(8);
    forward.push_back(graph.addValue(
        isView ? 0 : 1 + random() % 50, number,
        isView ? std::optional(node.operands.front()) : std::nullopt));
  }
  graph.values[forward.back()].isReturned = isOneOf(2);
  unsigned gradient = ~0u;
  for (unsigned i = shape.numForward; i-- > 0;) {
    TrainingNode node;
    node.workspace = isOneOf(4) ? random() % 20 : 0;
    for (unsigned operand : operands[i])
      if (isOneOf(2))
        node.operands.push_back(operand);
    if (isOneOf(2))
      node.operands.push_back(forward[i + 1]);
    if (gradient != ~0u)
      node.operands.push_back(gradient);
    gradient = graph.addValue(random() % 30, graph.addNode(node));
  }
  return graph;
}

namespace {
/// All choices of a small graph.
class AllChoices {
public:
  explicit AllChoices(const TrainingGraph &graph) {
    for (unsigned bits = 0; bits < 1u << graph.numForward; ++bits) {
      RecomputeChoice choice(graph.numForward);
      for (unsigned node = 0; node < graph.numForward; ++node)
        choice[node] = bits >> node & 1;
      completeChoice(graph, choice);
      effects.push_back(measureRecompute(graph, choice));
    }
  }

  int64_t getLowestPeak() const {
    return llvm::min_element(effects,
                             [](auto &a, auto &b) { return a.peak < b.peak; })
        ->peak;
  }
  int64_t getFewestOperations(int64_t budget) const {
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (const RecomputeEffect &effect : effects)
      if (effect.peak <= budget)
        fewest = std::min(fewest, effect.operations);
    return fewest;
  }

private:
  std::vector<RecomputeEffect> effects;
};
} // namespace

TEST(RecomputeSearch, ChainsAreOptimalForEachBudget) {
  std::mt19937 random(1);
  unsigned numCheaper = 0;
  for (unsigned i = 0; i < 400; ++i) {
    TrainingGraph graph = makeRandomStep({1 + i % 9}, random);
    AllChoices all(graph);
    int64_t lowest = all.getLowestPeak();
    int64_t highest = measureRecompute(graph, chooseForced(graph)).peak;
    for (int64_t budget = lowest; budget <= highest;
         budget += 1 + (highest - lowest) / 8) {
      RecomputeEffect found =
          measureRecompute(graph, chooseWithinBudget(graph, budget));
      ASSERT_LE(found.peak, budget) << "graph " << i;
      ASSERT_EQ(found.operations, all.getFewestOperations(budget))
          << "graph " << i << ", budget " << budget;
      numCheaper += found.operations <
                    measureRecompute(graph, chooseAll(graph)).operations;
    }
    // No choice has a lower peak.
    EXPECT_GE(
        measureRecompute(graph, chooseWithinBudget(graph, lowest - 1)).peak,
        lowest);
  }
  EXPECT_GT(numCheaper, 400u);
}

TEST(RecomputeSearch, BudgetIsNeverWorseThanStandard) {
  std::mt19937 random(2);
  for (unsigned i = 0; i < 60; ++i) {
    TrainingGraph graph = makeRandomStep({5 + i % 100, true}, random);
    RecomputeEffect none = measureRecompute(graph, chooseForced(graph));
    RecomputeEffect standard = measureRecompute(graph, chooseStandard(graph));
    EXPECT_LE(standard.peak, none.peak);
    RecomputeEffect found =
        measureRecompute(graph, chooseWithinBudget(graph, standard.peak));
    EXPECT_LE(found.peak, standard.peak);
    EXPECT_LE(found.operations, standard.operations);
  }
}

//===----------------------------------------------------------------------===//
// Small graphs
//===----------------------------------------------------------------------===//

/// Adds a repeatable node that reads `operands`, and returns its result.
static unsigned addForward(TrainingGraph &graph,
                           llvm::ArrayRef<unsigned> operands, int64_t bytes) {
  TrainingNode node;
  node.operations = 1;
  node.isRepeatable = true;
  node.operands.assign(operands.begin(), operands.end());
  return graph.addValue(bytes, graph.addNode(node));
}

static void addBackward(TrainingGraph &graph, unsigned operand,
                        unsigned context = 0) {
  TrainingNode node;
  node.operands.push_back(operand);
  node.context = context;
  graph.addNode(node);
}

/// Returns the numbers of the steps; those of copies are negative.
static std::vector<int> getNumbers(const TrainingGraph &graph,
                                   const RecomputeChoice &choice) {
  std::vector<int> numbers;
  for (const TrainingStep &step :
       getSteps(graph, choice, 0, graph.nodes.size()))
    numbers.push_back(step.context ? -int(step.node) : int(step.node));
  return numbers;
}

TEST(RecomputeGraph, CopiesComeBeforeTheirFirstUseInEachContext) {
  TrainingGraph graph;
  graph.numForward = 3;
  unsigned kept = addForward(graph, {}, 8);
  unsigned first = addForward(graph, {kept}, 100);
  unsigned second = addForward(graph, {first}, 100);
  addBackward(graph, kept);
  addBackward(graph, second);
  addBackward(graph, first);
  addBackward(graph, first, /*context=*/1);
  RecomputeChoice choice(3, true);
  choice.reset(0);
  EXPECT_EQ(getNumbers(graph, choice),
            (std::vector<int>{0, 1, 2, 3, -1, -2, 4, 5, -1, 6}));
  RecomputeEffect effect = measureRecompute(graph, choice);
  EXPECT_EQ(effect.numCopies, 3u);
  EXPECT_EQ(effect.operations, 3);
  EXPECT_EQ(effect.peak, 208);
  EXPECT_EQ(measureRecompute(graph, RecomputeChoice(3)).peak, 208);
}

TEST(RecomputeGraph, ViewsShareTheStorageOfTheirCopies) {
  TrainingGraph graph;
  graph.numForward = 3;
  unsigned source = addForward(graph, {}, 100);
  TrainingNode node;
  node.isRepeatable = true;
  node.operands.push_back(source);
  unsigned view = graph.addValue(0, graph.addNode(node), source);
  addForward(graph, {}, 150);
  addBackward(graph, view);
  // Of the view alone, a copy saves nothing: it is a view of the original.
  RecomputeChoice choice(3);
  choice.set(1);
  EXPECT_EQ(measureRecompute(graph, choice).peak, 250);
  completeChoice(graph, choice);
  EXPECT_TRUE(choice.none());
  choice.set(0);
  completeChoice(graph, choice);
  EXPECT_TRUE(choice[1]);
  EXPECT_EQ(getNumbers(graph, choice), (std::vector<int>{0, 1, 2, 0, -1, 3}));
  EXPECT_EQ(measureRecompute(graph, choice).peak, 150);
}

// A view that cannot be computed again keeps its storage.
TEST(RecomputeGraph, ViewsKeepTheirStorage) {
  TrainingGraph graph;
  graph.numForward = 2;
  unsigned source = addForward(graph, {}, 100);
  TrainingNode node;
  node.operands.push_back(source);
  addBackward(graph, graph.addValue(0, graph.addNode(node), source));
  EXPECT_TRUE(chooseAll(graph).none());
}

TEST(RecomputeSearch, ForcedNodesAreInEachChoice) {
  TrainingGraph graph;
  graph.numForward = 2;
  unsigned first = addForward(graph, {}, 1);
  graph.nodes.back().isForced = true;
  unsigned second = addForward(graph, {first}, 1);
  addBackward(graph, second);
  for (const RecomputeChoice &choice :
       {chooseForced(graph), chooseStandard(graph),
        chooseWithinBudget(graph, 1000)}) {
    EXPECT_TRUE(choice[0]);
    EXPECT_FALSE(choice[1]);
  }
}
