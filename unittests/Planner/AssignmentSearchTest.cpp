//===- AssignmentSearchTest.cpp - Costs and search of assignments ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanModels.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {

class AssignmentSearchTest : public PlanModelTest {
protected:
  /// Adds `layers` layers, each a matmul and an elementwise op, on one IPU or
  /// on all. Returns the last result.
  unsigned addLayers(PlanModelBuilder &builder, unsigned layers,
                     std::optional<int64_t> ipu = std::nullopt) {
    auto onIPU = [&](ModelTensor tensor) {
      tensor.space.ipu = ipu;
      return tensor;
    };
    unsigned x = add(
        builder, onIPU(makeTensor({16, 24}, ModelTensor::Origin::Argument)));
    for (unsigned layer = 0; layer < layers; ++layer) {
      unsigned w = add(
          builder, onIPU(makeTensor({24, 24}, ModelTensor::Origin::Constant)));
      x = addStep(builder, ModelStep::Kind::Compute,
                  onIPU(makeMatmul(16, 24, 24)), {x, w});
      x = addStep(builder, ModelStep::Kind::Compute,
                  onIPU(makeElementwise({16, 24})), {x, x});
    }
    return x;
  }

  static int64_t getNumAssignments(const CandidateLists &lists) {
    int64_t number = 1;
    for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
      number *= lists[tensor].size();
    return number;
  }

  /// Calls `visit` for all assignments.
  static void visitAll(const CandidateLists &lists,
                       function_ref<void(const Assignment &)> visit) {
    Assignment choices(lists.size(), 0);
    while (true) {
      visit(choices);
      size_t i = choices.size();
      while (i > 0 && ++choices[i - 1] == lists[i - 1].size())
        choices[--i] = 0;
      if (i == 0)
        return;
    }
  }
};

TEST_F(AssignmentSearchTest, TheNetworkAddsUpToTheCycles) {
  PlanModelBuilder builder(&context, target);
  addLayers(builder, 1);
  builder.addFixedCycles(100);
  PlanModel model = builder.finish();
  ModelSearch planned(model);
  const CandidateLists &lists = planned.lists;
  const AssignmentCosts &costs = planned.costs;
  const AssignmentSearch &search = planned.search;
  const CostNetwork &network = planned.network;
  ASSERT_GT(getNumAssignments(lists), 30);
  EXPECT_TRUE(search.isExact());
  int64_t least = INT64_MAX;
  visitAll(lists, [&](const Assignment &choices) {
    int64_t cycles = costs.getCycles(choices);
    EXPECT_EQ(network.getCost(choices) + 100, cycles);
    EXPECT_GE(cycles, costs.getLeastCycles());
    EXPECT_GE(cycles, costs.getComputeCycles(choices));
    least = std::min(least, cycles);
  });
  Assignment start = search.chooseInOrder();
  CostNetwork::Solution solution = network.solve(start);
  EXPECT_TRUE(solution.isOptimal);
  EXPECT_EQ(costs.getCycles(solution.choices), least);
  EXPECT_LE(least, costs.getCycles(start));
}

TEST_F(AssignmentSearchTest, EqualLayersOnSeveralIPUsArePlannedOnce) {
  target.ipus = 4;
  PlanModelBuilder builder(&context, target);
  for (int64_t ipu = 0; ipu < 4; ++ipu) {
    // Exchanges of other IPUs are not merged with those of this IPU.
    builder.beginBlock();
    addLayers(builder, 2, ipu);
  }
  PlanModel model = builder.finish();
  ModelSearch planned(model);
  const CandidateLists &lists = planned.lists;
  const AssignmentCosts &costs = planned.costs;
  const AssignmentSearch &search = planned.search;
  const CostNetwork &network = planned.network;
  // The layers of the other IPUs need no searches and no tables of their own.
  const PartitionCache &cache = planned.candidates.cache;
  EXPECT_LE(4 * (cache.getNumQueries() - cache.getNumHits()),
            cache.getNumQueries());
  EXPECT_LE(4 * (search.getNumTables() - search.getNumTableHits()),
            search.getNumTables());
  Assignment choices = network.solve(search.chooseInOrder()).choices;
  size_t perIPU = lists.size() / 4;
  for (unsigned tensor = 0; tensor < perIPU; ++tensor)
    for (unsigned ipu = 1; ipu < 4; ++ipu) {
      unsigned other = ipu * perIPU + tensor;
      EXPECT_EQ(lists[tensor][choices[tensor]].mapping,
                lists[other][choices[other]].mapping);
      EXPECT_LE(lists[other][choices[other]].mapping.getNumTiles(), 12);
    }
  // An equal program on one IPU takes a quarter of the cycles.
  TargetModel single = target;
  single.ipus = 1;
  PlanModelBuilder singleBuilder(&context, single);
  addLayers(singleBuilder, 2);
  PlanModel singleModel = singleBuilder.finish();
  ModelSearch onSingle(singleModel);
  Assignment singleChoices =
      onSingle.network.solve(onSingle.search.chooseInOrder()).choices;
  EXPECT_EQ(costs.getCycles(choices),
            4 * onSingle.costs.getCycles(singleChoices));
}

TEST_F(AssignmentSearchTest, CopiesBetweenIPUsUseLinks) {
  target.ipus = 2;
  auto getCycles = [&](int64_t to) {
    PlanModelBuilder builder(&context, target);
    ModelTensor x = makeTensor({384}, ModelTensor::Origin::Argument);
    x.space.ipu = 0;
    ModelTensor y = makeTensor({384});
    y.space.ipu = to;
    y.given = TileMappingAttr::get(&context, {384}, {6},
                                   {TileMappingBlock{0, 64, 64}});
    addStep(builder, ModelStep::Kind::Copy, y, {add(builder, x)});
    PlanModel model = builder.finish();
    ModelCandidates candidates(model);
    const CandidateLists &lists = candidates.initial;
    ExchangeCosts exchanges(target, kMaxExchangePieces);
    return AssignmentCosts(lists, exchanges).getCycles({0, 0});
  };
  EXPECT_GT(getCycles(1), getCycles(0));
  EXPECT_GT(getCycles(0), 0);
}

TEST_F(AssignmentSearchTest, BestChanges) {
  PlanModelBuilder builder(&context, target);
  addLayers(builder, 1);
  PlanModel model = builder.finish();
  ModelSearch planned(model);
  const CandidateLists &lists = planned.lists;
  const AssignmentCosts &costs = planned.costs;
  const AssignmentSearch &search = planned.search;
  const CostNetwork &network = planned.network;
  Assignment choices = network.solve(search.chooseInOrder()).choices;
  auto changes = network.getBestChanges(choices);
  int numChanges = 0;
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor) {
    std::optional<int64_t> least;
    Assignment changed = choices;
    for (unsigned other = 0; other < lists[tensor].size(); ++other) {
      changed[tensor] = other;
      int64_t more = costs.getCycles(changed) - costs.getCycles(choices);
      if (other != choices[tensor] && (!least || more < *least))
        least = more;
    }
    ASSERT_EQ(changes[tensor].has_value(), least.has_value());
    if (!least)
      continue;
    ++numChanges;
    EXPECT_EQ(changes[tensor]->cost, *least);
    EXPECT_NE(changes[tensor]->choice, choices[tensor]);
    EXPECT_GE(*least, 0);
  }
  EXPECT_GT(numChanges, 2);
}

TEST_F(AssignmentSearchTest, ThePeakIsThatOfTheFullestStep) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({384}, ModelTensor::Origin::Argument));
  unsigned a = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({384}), {x, x});
  unsigned b = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({384}), {a, a});
  addStep(builder, ModelStep::Kind::Copy, makeTensor({384}), {b});
  PlanModel model = builder.finish();
  ModelCandidates candidates(model);
  const CandidateLists &lists = candidates.initial;
  ExchangeCosts exchanges(target, kMaxExchangePieces);
  AssignmentCosts costs(lists, exchanges);
  Assignment choices(lists.size(), 0);
  constexpr int64_t tensor = 32 * 4;
  EXPECT_EQ(costs.getBytes(x, lists[x].front()), tensor);
  EXPECT_EQ(costs.getPeakBytes(choices), 2 * tensor);
  EXPECT_GT(costs.getPeakBytes(choices, /*limit=*/tensor), tensor);
}

} // namespace
