//===- PartitionSearchTest.cpp - Plans of one op ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class TilePlanTest : public ::testing::Test {
protected:
  TilePlanTest() : random(7) {
    context.loadDialect<IPUDialect>();
    target = *TargetModel::getPreset("gc200");
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  PartitionProblem makeProblem(TileForm form, CodeletCost cost, Type type) {
    PartitionProblem problem;
    problem.inputTypes.assign(form.inputs.size(), type);
    problem.resultTypes.assign(form.results.size(), type);
    problem.form = std::move(form);
    problem.cost = getCodeletCost(cost, type, /*scalarOperand=*/false);
    return problem;
  }

  /// Returns the problem of a matmul [b, m, k] x [b, k, n].
  PartitionProblem getMatmul(int64_t b, int64_t m, int64_t k, int64_t n,
                             Type type) {
    TileForm form;
    form.loops = {b, m, n};
    form.inputs = {{{b, m, k}, {{0, 1, 1}, {1, 1, 1}, {}}},
                   {{b, k, n}, {{0, 1, 1}, {}, {2, 1, 1}}}};
    form.results = {{{b, m, n}, {{0, 1, 1}, {1, 1, 1}, {2, 1, 1}}}};
    return makeProblem(form, {CodeletCostKind::Matmul, "matmul"}, type);
  }

  /// Returns the problem of a convolution with windows of `kernel` positions
  /// and `stride` over `size` positions of `channels` channels.
  PartitionProblem getConv(int64_t groups, int64_t channels, int64_t outputs,
                           int64_t size, int64_t kernel, int64_t stride,
                           Type type) {
    int64_t input = (size - 1) * stride + kernel;
    TileForm form;
    form.loops = {1, groups, outputs, size};
    form.inputs = {
        {{1, groups, channels, input}, {{0}, {1}, {}, {3, stride, kernel}}},
        {{groups, outputs, channels, kernel}, {{1}, {2}, {}, {}}}};
    form.results = {{form.loops, {{0}, {1}, {2}, {3}}}};
    return makeProblem(
        form, {CodeletCostKind::Conv, "conv", /*combined=*/0, stride}, type);
  }

  PartitionProblem getReduce(int64_t outputs, int64_t size, Type type) {
    TileForm form;
    form.loops = {outputs};
    form.inputs = {{{outputs, size}, {{0}, {}}}};
    form.results = {{{outputs}, {{0}}}};
    return makeProblem(form, {CodeletCostKind::Reduce, "reduce", size}, type);
  }

  /// Returns the problem of an addition [a, b] + [b].
  PartitionProblem getBroadcast(int64_t a, int64_t b, Type type) {
    TileForm form;
    form.loops = {a, b};
    form.inputs = {{{a, b}, {{0}, {1}}}, {{1, b}, {{}, {1}}}};
    form.results = {{{a, b}, {{0}, {1}}}};
    return makeProblem(form, {CodeletCostKind::Vector, "add"}, type);
  }

  PartitionProblem drawProblem() {
    Type f32 = Float32Type::get(&context), f16 = Float16Type::get(&context);
    return drawProblem(draw(0, 1) ? f32 : f16);
  }
  PartitionProblem drawProblem(Type type) {
    switch (draw(0, 4)) {
    case 0:
      return getMatmul(draw(1, 4), draw(1, 24), draw(1, 40), draw(1, 40), type);
    case 1:
      return getConv(draw(1, 3), draw(1, 20), draw(1, 20), draw(1, 12),
                     draw(1, 3), draw(1, 2), type);
    case 2:
      // With few channels, other methods than the blocks of the matrix unit are
      // used.
      return getConv(draw(1, 9), draw(1, 3), draw(1, 6), draw(1, 30),
                     draw(1, 7), draw(1, 3), type);
    case 3:
      return getReduce(draw(1, 60), draw(1, 60), type);
    default:
      return getBroadcast(draw(1, 40), draw(1, 40), type);
    }
  }

  /// Returns the plans of all partitions whose blocks are as even as possible
  /// for their number.
  SmallVector<TilePlan> getAllPlans(const PartitionProblem &problem,
                                    uint64_t uncut) {
    SmallVector<TilePlan> plans;
    ArrayRef<int64_t> loops = problem.form.loops;
    LoopBlocks blocks(loops.size(), 1);
    int64_t positions = 1;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      positions *= (uncut >> loop & 1) ? 1 : loops[loop];
    auto visit = [&](auto &visit, size_t loop, int64_t parts) -> void {
      if (parts > target.tiles)
        return;
      if (loop == loops.size()) {
        if (problem.isEven(blocks) && (parts > 1 || target.tiles == 1 ||
                                       positions == 1 || problem.evenLoop))
          plans.push_back(getTilePlan(target, problem, blocks));
        return;
      }
      for (int64_t block = 1; block <= loops[loop]; ++block) {
        int64_t count = llvm::divideCeil(loops[loop], block);
        if (block != static_cast<int64_t>(llvm::divideCeil(loops[loop], count)))
          continue;
        if ((uncut >> loop & 1) && count > 1)
          continue;
        blocks[loop] = block;
        visit(visit, loop + 1, parts * count);
      }
    };
    visit(visit, 0, 1);
    return plans;
  }

  MLIRContext context;
  TargetModel target;
  std::mt19937 random;
};

TEST_F(TilePlanTest, NestedPlansAreLegal) {
  int numPlans = 0;
  for (int trial = 0; trial < 300; ++trial) {
    target.ipus = draw(1, 6);
    target.tiles = draw(1, 24);
    target.tile_memory = draw(100, 12000);
    PartitionProblem problem = drawProblem();
    PlanOptions options;
    options.maxPlans = draw(1, 3);
    SmallVector<TilePlan> plans =
        enumerateNestedPlans(target, problem, options);
    EXPECT_LE(plans.size(), options.maxPlans);
    for (const TilePlan &plan : plans) {
      ++numPlans;
      ASSERT_TRUE(plan.blocks.isNested());
      int64_t ipus = 1;
      for (int64_t count : plan.blocks.ipus)
        ipus *= count;
      EXPECT_EQ(ipus, target.ipus);
      EXPECT_EQ(plan.blocks.ipuTiles, target.tiles);
      EXPECT_TRUE(succeeded(verifyTilePlan(target, problem, options, plan, [&] {
        return emitError(UnknownLoc::get(&context));
      })));
      TileMappingAttr mapping = getAccessTileMapping(
          &context, problem.form, plan.blocks, problem.form.results.front());
      EXPECT_LE(mapping.getNumTiles(), target.getTilesPerReplica());
    }
    if (target.ipus == 1) {
      EXPECT_TRUE(plans.empty());
    }
  }
  EXPECT_GT(numPlans, 150);
}

TEST_F(TilePlanTest, NestedPlansHaveFewBytesOrPartners) {
  // 64 by 64 outputs with windows of 3 by 3.
  TileForm form;
  form.loops = {64, 64};
  form.inputs = {{{66, 66}, {{0, 1, 3}, {1, 1, 3}}}};
  form.results = {{{64, 64}, {{0}, {1}}}};
  PartitionProblem problem = makeProblem(
      form, {CodeletCostKind::Reduce, "max", 9}, Float32Type::get(&context));
  target.ipus = 16;
  target.tiles = 16;
  PlanOptions options;
  options.maxPlans = 2;
  SmallVector<TilePlan> plans = enumerateNestedPlans(target, problem, options);
  ASSERT_EQ(plans.size(), 2u);
  // Squares have the fewest elements at their borders. Rows have only two
  // neighbours.
  EXPECT_EQ(ArrayRef(plans[0].blocks.ipus), ArrayRef<int64_t>({4, 4}));
  EXPECT_EQ(ArrayRef(plans[1].blocks.ipus), ArrayRef<int64_t>({1, 16}));
  // All IPUs in a row or a column read the same operand of a matmul.
  problem = getMatmul(1, 64, 8, 64, Float32Type::get(&context));
  plans = enumerateNestedPlans(target, problem, options);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(ArrayRef(plans[0].blocks.ipus), ArrayRef<int64_t>({1, 4, 4}));
}

TEST_F(TilePlanTest, PlansAreTheBestOfAll) {
  for (int trial = 0; trial < 300; ++trial) {
    target.tiles = draw(1, 24);
    target.tile_memory = draw(100, 12000);
    // Plans of narrower types are the best ones whose regions are whole words.
    PartitionProblem problem = drawProblem(Float32Type::get(&context));
    PlanOptions options;
    options.maxPlans = draw(1, 6);
    if (draw(0, 2) == 0)
      options.unsplitLoops = draw(0, (1 << problem.form.loops.size()) - 1);
    if (draw(0, 2) == 0)
      problem.evenLoop = draw(0, problem.form.loops.size() - 1);
    SmallVector<TilePlan> expected = getAllPlans(problem, options.unsplitLoops);
    int64_t limit = getMemoryLimit(target, options);
    bool anyFits = llvm::any_of(
        expected, [&](const TilePlan &plan) { return plan.bytes <= limit; });
    // Plans with smaller blocks of outer loops, that is, with more parts, come
    // first.
    llvm::sort(expected, [&](const TilePlan &a, const TilePlan &b) {
      if (!anyFits && a.bytes != b.bytes)
        return a.bytes < b.bytes;
      return std::tie(a.cycles, a.blocks) < std::tie(b.cycles, b.blocks);
    });
    if (anyFits)
      llvm::erase_if(expected,
                     [&](const TilePlan &plan) { return plan.bytes > limit; });
    expected.truncate(
        std::min<size_t>(expected.size(), anyFits ? options.maxPlans : 1));
    SmallVector<TilePlan> plans = enumeratePlans(target, problem, options);
    ASSERT_EQ(plans.size(), expected.size());
    for (auto [plan, best] : llvm::zip_equal(plans, expected)) {
      EXPECT_EQ(plan.cycles, best.cycles);
      EXPECT_EQ(plan.bytes, best.bytes);
      EXPECT_EQ(plan.blocks, best.blocks);
    }
  }
}

TEST_F(TilePlanTest, RegionsAreWholeWords) {
  Type f16 = Float16Type::get(&context);
  target.tiles = 24;
  PlanOptions options;
  options.maxPlans = 6;
  // Two rows of 33 elements are whole words, one row is not. The columns of the
  // operands of a broadcast are split into pairs.
  for (const TilePlan &plan :
       enumeratePlans(target, getMatmul(1, 70, 33, 1, f16), options))
    EXPECT_EQ(plan.blocks[1] % 2, 0);
  for (const TilePlan &plan :
       enumeratePlans(target, getBroadcast(2, 401, f16), options))
    EXPECT_TRUE(plan.blocks[1] % 2 == 0 || plan.blocks[1] == 401);
}

/// The cycles and bytes follow from the regions of the first tile.
TEST_F(TilePlanTest, RatesAreThoseOfTheFirstTile) {
  // 1 x 12 x 8 times 8 x 20 is split into 3 by 2 parts, with 4 x 8 and 8 x 10
  // elements.
  PartitionProblem problem =
      getMatmul(1, 12, 8, 20, Float32Type::get(&context));
  TilePlan plan = getTilePlan(target, problem, {1, 4, 10});
  EXPECT_EQ(plan.bytes, 4 * 8 * 4 + 8 * 10 * 4 + 4 * 10 * 4);
  // The matrix unit has one padded block of 8 x 16, and a row for each worker.
  int64_t vertex = 50 + 12 + 11 + 18 + 7 + 64 + 6 * 40 + 6 * 7;
  // The rows of the left operand are one run, and the rows of the right operand
  // are eight runs.
  EXPECT_EQ(plan.cycles, 30 + vertex + 90 + 100 + (128 + 320) / 4 + 2 * 9);
  EXPECT_EQ(getComputeSetCycles(target, problem, {1, 4, 10}), 30 + vertex);
}

/// Pairs of tiles share the left operand if the columns are split into an even
/// number of parts, and the part of columns changes from tile to tile.
TEST_F(TilePlanTest, PairsShareOperands) {
  // A tile reads all rows and half of the columns. They move in one exchange
  // or, with one more sync and set-up, in two exchanges. In the second case,
  // the left operand moves twice as fast.
  PartitionProblem problem =
      getMatmul(1, 16, 2048, 16, Float32Type::get(&context));
  TilePlan plan = getTilePlan(target, problem, {1, 16, 8});
  int64_t vertex = getComputeSetCycles(target, problem, {1, 16, 8});
  EXPECT_EQ(plan.cycles, vertex + 190 + 16 * 8192 / 8 + 190 + 2048 * 32 / 4 +
                             2 * (1 + 2048));
  EXPECT_TRUE(plan.blocks.order.empty());
  // The right operand has more elements that pairs can share. Therefore the
  // part of rows changes from tile to tile.
  plan = getTilePlan(target, problem, {1, 1, 8});
  vertex = getComputeSetCycles(target, problem, {1, 1, 8});
  EXPECT_EQ(plan.cycles,
            vertex + 190 + 2048 * 32 / 8 + 190 + 8192 / 4 + 2 * (1 + 2048));
  EXPECT_EQ(plan.blocks.order, (SmallVector<unsigned>{0, 2, 1}));
  // Three parts do not form pairs. If an IPU has several rows of parts, its
  // rows stay together.
  EXPECT_TRUE(getTilePlan(target, problem, {1, 6, 6}).blocks.order.empty());
  target.ipus = 2;
  EXPECT_TRUE(getTilePlan(target, problem, {1, 1, 8}).blocks.order.empty());
}

TEST_F(TilePlanTest, MemoryDecides) {
  // Runs are expensive, so that whole rows are best. A tile reads 16 elements
  // of one operand and a row of 16 elements of the other, and computes 16
  // elements.
  target.tiles = 16;
  target.tile_memory = 1000;
  target.exchange_run_cycles = 1000;
  PartitionProblem problem = getBroadcast(16, 16, Float32Type::get(&context));
  TilePlan roomy = enumeratePlans(target, problem).front();
  EXPECT_EQ(roomy.blocks, (LoopBlocks{1, 16}));
  EXPECT_EQ(roomy.bytes, 192);
  PlanOptions tight;
  tight.memoryPerMille = 191;
  TilePlan small = enumeratePlans(target, problem, tight).front();
  EXPECT_LE(small.bytes, 191);
  EXPECT_GT(small.cycles, roomy.cycles);
  // No plan fits. The result is the plan with the fewest bytes.
  tight.memoryPerMille = 0;
  TilePlan least = enumeratePlans(target, problem, tight).front();
  for (const TilePlan &plan : getAllPlans(problem, 0))
    EXPECT_LE(least.bytes, plan.bytes);
}

TEST_F(TilePlanTest, NothingToComputeIsNotCut) {
  PartitionProblem problem = getReduce(0, 4, Float32Type::get(&context));
  SmallVector<TilePlan> plans = enumeratePlans(target, problem);
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].blocks, LoopBlocks{1});
  EXPECT_EQ(getComputeSetCycles(target, problem, plans[0].blocks), 0);
}

TEST_F(TilePlanTest, HugeSizesDoNotOverflow) {
  PartitionProblem problem =
      getMatmul(1 << 18, 1 << 18, 1 << 19, 1 << 18, Float32Type::get(&context));
  TilePlan plan = enumeratePlans(target, problem).front();
  EXPECT_GT(plan.bytes, target.tile_memory);
  EXPECT_GT(plan.cycles, 0);
}

/// Returns the error of verifyTilePlan() for `plan`, or an empty string if
/// there is none.
static std::string verify(const TargetModel &target,
                          const PartitionProblem &problem,
                          const PlanOptions &options, const TilePlan &plan) {
  std::string message;
  MLIRContext *context = problem.cost.getContext();
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  (void)verifyTilePlan(target, problem, options, plan,
                       [&] { return emitError(UnknownLoc::get(context)); });
  return message;
}

TEST_F(TilePlanTest, PlansAreVerified) {
  target.tiles = 6;
  PartitionProblem problem =
      getMatmul(1, 12, 8, 20, Float32Type::get(&context));
  PlanOptions options;
  TilePlan good = getTilePlan(target, problem, {1, 4, 10});
  EXPECT_EQ(verify(target, problem, options, good), "");
  for (const TilePlan &plan : enumeratePlans(target, problem, options))
    EXPECT_EQ(verify(target, problem, options, plan), "");

  TilePlan bad = good;
  bad.blocks.pop_back();
  EXPECT_EQ(verify(target, problem, options, bad),
            "expects a block for each of the 3 loops but got 2");
  bad = good;
  bad.blocks[1] = 13;
  EXPECT_EQ(verify(target, problem, options, bad),
            "expects a block of 1 to 12 for loop 1 but got 13");
  bad.blocks[1] = 0;
  EXPECT_EQ(verify(target, problem, options, bad),
            "expects a block of 1 to 12 for loop 1 but got 0");
  bad.blocks[1] = 3;
  EXPECT_EQ(verify(target, problem, options, bad),
            "expects at most 6 parts but got 8");
  bad = good;
  --bad.cycles;
  EXPECT_EQ(verify(target, problem, options, bad),
            "expects " + std::to_string(good.cycles) +
                " cycles and 608 bytes "
                "but got " +
                std::to_string(bad.cycles) + " and 608");
  options.memoryPerMille = 0;
  EXPECT_EQ(verify(target, problem, options, good),
            "takes 608 bytes of a tile, but 0 are available");
  // Two vertices write the same element of a result.
  problem.form.results[0].dims[2] = {};
  bad = getTilePlan(target, problem, good.blocks);
  EXPECT_EQ(verify(target, problem, PlanOptions(), bad),
            "expects each element of result 0 on one tile");
}

} // namespace
