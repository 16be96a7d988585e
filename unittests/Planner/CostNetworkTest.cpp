//===- CostNetworkTest.cpp - Minimisation of sums of costs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Search/CostNetwork.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class RandomProblem {
public:
  explicit RandomProblem(unsigned seed) : random(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  void addVariables(unsigned number, unsigned mostChoices) {
    for (unsigned i = 0; i < number; ++i)
      problem.addVariable(draw(1, mostChoices));
  }

  void addCost(ArrayRef<unsigned> variables) {
    size_t entries = 1;
    for (unsigned variable : variables)
      entries *= problem.getNumChoices(variable);
    auto table = std::make_shared<CostTable>();
    for (size_t i = 0; i < entries; ++i)
      table->push_back(draw(0, 100));
    problem.addCost(variables, table);
  }

  SmallVector<unsigned> drawChoices() {
    SmallVector<unsigned> choices;
    for (unsigned i = 0; i < problem.getNumVariables(); ++i)
      choices.push_back(draw(0, problem.getNumChoices(i) - 1));
    return choices;
  }

  int64_t getLeastCost() {
    SmallVector<unsigned> choices(problem.getNumVariables(), 0);
    int64_t least = INT64_MAX;
    while (true) {
      least = std::min(least, problem.getCost(choices));
      size_t i = choices.size();
      while (i > 0 && ++choices[i - 1] == problem.getNumChoices(i - 1))
        choices[--i] = 0;
      if (i == 0)
        return least;
    }
  }

  CostNetwork problem;

private:
  std::mt19937 random;
};

TEST(ChoiceProblemTest, ChainsAreSolvedExactly) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomProblem random(seed);
    random.addVariables(8, 4);
    for (unsigned i = 0; i + 1 < 8; ++i)
      random.addCost({i, i + 1});
    auto solution = random.problem.solve(random.drawChoices());
    EXPECT_TRUE(solution.isOptimal);
    EXPECT_EQ(solution.iterations, 1u);
    EXPECT_EQ(random.problem.getCost(solution.choices), random.getLeastCost());
  }
}

// Two thousand variables share costs with a variable that has only one choice.
// A table over all of them would have an entry for each combination.
TEST(ChoiceProblemTest, VariablesWithoutAChoiceConnectNothing) {
  constexpr unsigned kSize = 2000;
  CostNetwork problem;
  unsigned hub = problem.addVariable(1);
  auto table = std::make_shared<CostTable>(CostTable{2, 1});
  auto fixed = std::make_shared<CostTable>(CostTable{5});
  for (unsigned i = 0; i < kSize; ++i) {
    problem.addCost({problem.addVariable(2), hub}, table);
    problem.addCost({hub, problem.addVariable(1)}, fixed);
  }
  auto solution =
      problem.solve(SmallVector<unsigned>(problem.getNumVariables(), 0));
  EXPECT_TRUE(solution.isOptimal);
  EXPECT_EQ(problem.getCost(solution.choices), kSize * (1 + 5));
}

TEST(ChoiceProblemTest, AnyGraphThatFitsIsSolvedExactly) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomProblem random(seed);
    random.addVariables(7, 4);
    for (int i = 0; i < 9; ++i) {
      SmallVector<unsigned> variables;
      for (unsigned variable = 0; variable < 7; ++variable)
        if (variables.size() < 3 && random.draw(0, 2) == 0)
          variables.push_back(variable);
      random.addCost(variables);
    }
    auto solution = random.problem.solve(random.drawChoices());
    EXPECT_TRUE(solution.isOptimal);
    EXPECT_EQ(random.problem.getCost(solution.choices), random.getLeastCost());
  }
}

/// With small tables, some variables keep their choices. The solution is never
/// worse than the start and, over all trials, often better.
TEST(ChoiceProblemTest, SmallTablesAreNeverWorseThanTheStart) {
  int64_t gains = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomProblem random(seed);
    random.addVariables(8, 4);
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned j = i + 1; j < 8; ++j)
        random.addCost({i, j});
    CostNetwork::Options options;
    options.maxEntries = 64;
    SmallVector<unsigned> start = random.drawChoices();
    auto solution = random.problem.solve(start, options);
    int64_t cost = random.problem.getCost(solution.choices);
    EXPECT_LE(cost, random.problem.getCost(start));
    EXPECT_GE(cost, random.getLeastCost());
    EXPECT_LE(solution.iterations, options.maxIterations);
    gains += cost < random.problem.getCost(start);
    // A second call has the same result.
    EXPECT_EQ(random.problem.solve(start, options).choices, solution.choices);
  }
  EXPECT_GT(gains, 30);
}

/// With small tables, some problems are solved exactly. `isOptimal` is only set
/// for these.
TEST(ChoiceProblemTest, OptimalMeansThatNoSolutionIsBetter) {
  int64_t numProven = 0, numOpen = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomProblem random(seed);
    random.addVariables(7, 4);
    for (int64_t i = random.draw(3, 12); i > 0; --i) {
      SmallVector<unsigned> variables;
      for (unsigned variable = 0; variable < 7; ++variable)
        if (variables.size() < 3 && random.draw(0, 2) == 0)
          variables.push_back(variable);
      random.addCost(variables);
    }
    CostNetwork::Options options;
    options.maxEntries = random.draw(1, 100);
    auto solution = random.problem.solve(random.drawChoices(), options);
    int64_t cost = random.problem.getCost(solution.choices);
    if (solution.isOptimal) {
      EXPECT_EQ(cost, random.getLeastCost());
      ++numProven;
    } else {
      EXPECT_GE(cost, random.getLeastCost());
      ++numOpen;
    }
  }
  EXPECT_GT(numProven, 50);
  EXPECT_GT(numOpen, 50);
}

/// A skip connection around a long chain has a width of two.
TEST(ChoiceProblemTest, LongChainsWithSkipsAreSolvedInOneRound) {
  RandomProblem random(1);
  random.addVariables(600, 8);
  for (unsigned i = 0; i + 1 < 600; ++i)
    random.addCost({i, i + 1});
  for (unsigned i = 0; i + 10 < 600; i += 10)
    random.addCost({i, i + 9, i + 10});
  auto solution = random.problem.solve(random.drawChoices());
  EXPECT_TRUE(solution.isOptimal);
}

TEST(ChoiceProblemTest, ManyNeighborsOfOneVariable) {
  // Two variables like variables that calls pass: many cost terms have both,
  // and each has many further cost terms.
  RandomProblem random(1);
  unsigned first = random.problem.addVariable(6);
  unsigned second = random.problem.addVariable(5);
  for (unsigned i = 2; i < 20000; ++i) {
    random.problem.addVariable(3);
    random.addCost({i % 2 == 0 ? first : second, i});
    random.addCost({first, second});
  }
  auto solution = random.problem.solve(random.drawChoices());
  EXPECT_TRUE(solution.isOptimal);
  EXPECT_EQ(solution.iterations, 1u);
  // No other choice of the two variables is better for any choices of the other
  // variables.
  int64_t least = random.problem.getCost(solution.choices);
  for (unsigned a = 0; a < 6; ++a)
    for (unsigned b = 0; b < 5; ++b) {
      SmallVector<unsigned> choices = solution.choices;
      choices[first] = a;
      choices[second] = b;
      EXPECT_GE(random.problem.getCost(choices), least);
    }
}

TEST(ChoiceProblemTest, NoVariables) {
  CostNetwork problem;
  EXPECT_TRUE(problem.solve({}).choices.empty());
  EXPECT_EQ(problem.getCost({}), 0);
}

TEST(ChoiceProblemTest, OfEqualChoicesTheFirst) {
  CostNetwork problem;
  unsigned x = problem.addVariable(3);
  problem.addCost({x}, std::make_shared<CostTable>(CostTable{5, 4, 4}));
  EXPECT_EQ(problem.solve({0}).choices, SmallVector<unsigned>{1});
}

} // namespace
