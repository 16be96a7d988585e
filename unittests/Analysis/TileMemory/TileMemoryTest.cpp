//===- TileMemoryTest.cpp - Memory plans against brute force ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class TileMemoryTest : public ::testing::Test {
protected:
  TileMemoryTest() : random(7) {
    DialectRegistry registry;
    registerStepMemoryModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<IPUDialect, func::FuncDialect, linalg::LinalgDialect>();
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  MemoryProblem makeProblem(int64_t tiles, int64_t steps) {
    MemoryProblem problem;
    problem.numTiles = tiles;
    problem.numSteps = steps;
    problem.tileMemory = problem.codeMemory = 1 << 20;
    for (TileCounts &part : problem.fixed)
      part = TileCounts(tiles);
    return problem;
  }

  /// Adds a variable of `bytes` on tiles [first, first + count).
  MemoryVariable &add(MemoryProblem &problem, int64_t first, int64_t count,
                      int64_t bytes, int64_t begin, int64_t end) {
    TileCounts layout(problem.numTiles);
    layout.add(first, count, bytes);
    MemoryVariable variable;
    variable.layout = problem.layouts.size();
    variable.begin = begin;
    variable.end = end;
    problem.layouts.push_back(layout);
    problem.variables.push_back(variable);
    return problem.variables.back();
  }

  MemoryProblem drawProblem() {
    int64_t tiles = draw(1, 9), steps = draw(1, 12);
    MemoryProblem problem = makeProblem(tiles, steps);
    for (unsigned i = 0; i < 6; ++i)
      if (draw(0, 1))
        problem.fixed[i].add(0, draw(0, tiles), draw(1, 50));
    for (int64_t i = 0, e = draw(0, 14); i < e; ++i) {
      int64_t first = draw(0, tiles - 1), begin = draw(0, steps - 1);
      MemoryVariable &variable = add(problem, first, draw(0, tiles - first),
                                     draw(1, 100), begin, draw(begin, steps));
      TileCounts &layout = problem.layouts.back();
      layout.add(0, draw(0, tiles), draw(1, 9));
      variable.align = int64_t(1) << draw(0, 5);
      variable.gapPermille = draw(0, 1) * 30;
      if (draw(0, 4) == 0) {
        variable.alwaysLive = true;
        variable.begin = 0;
        variable.end = steps;
      } else if (variable.end - variable.begin > 2 && draw(0, 1)) {
        int64_t gap = draw(variable.begin + 1, variable.end - 2);
        variable.ranges = {{variable.begin, gap}, {gap + 1, variable.end}};
      }
    }
    return problem;
  }

  /// Returns the error of the verifier, or "" if there is none.
  std::string verify(const MemoryProblem &problem, const MemoryPlan &plan) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    auto emit = [&] { return emitError(UnknownLoc::get(&context)); };
    LogicalResult result = verifyMemoryPlan(problem, plan, emit);
    EXPECT_EQ(succeeded(result), message.empty());
    // The verifier has the same error with several threads.
    std::string first = std::exchange(message, "");
    result = verifyMemoryPlan(problem, plan, emit, &context);
    EXPECT_EQ(succeeded(result), message.empty());
    EXPECT_EQ(message, first);
    return message;
  }

  MLIRContext context;
  std::mt19937 random;
};

int64_t getFixed(const MemoryProblem &problem, int64_t tile) {
  int64_t sum = 0;
  for (const TileCounts &part : problem.fixed)
    sum += part.get(tile);
  return sum;
}

/// Checks byte by byte, on each tile and in each step, that variables do not
/// overlap.
void expectNoOverlap(const MemoryProblem &problem, const MemoryPlan &plan) {
  std::vector<int64_t> classOfTile(problem.numTiles, -1);
  for (auto [number, tileClass] : llvm::enumerate(plan.classes))
    for (auto [begin, end] : tileClass.tiles)
      for (int64_t tile = begin; tile < end; ++tile) {
        EXPECT_EQ(classOfTile[tile], -1);
        classOfTile[tile] = number;
      }
  std::vector<int64_t> liveBytes(problem.numSteps, 0);
  for (int64_t tile = 0; tile < problem.numTiles; ++tile) {
    ASSERT_GE(classOfTile[tile], 0);
    const TileClass &tileClass = plan.classes[classOfTile[tile]];
    int64_t fixed = getFixed(problem, tile), least = 0;
    for (int64_t step = 0; step < problem.numSteps; ++step) {
      std::vector<int64_t> owner(tileClass.highWater, -1);
      std::fill_n(owner.begin(), fixed, 1000);
      int64_t live = fixed;
      for (const MemoryPlacement &placement : tileClass.placements) {
        const MemoryVariable &variable = problem.variables[placement.variable];
        if (!variable.isLive(step))
          continue;
        int64_t bytes = problem.layouts[variable.layout].get(tile);
        ASSERT_GT(bytes, 0);
        int64_t size = getFootprint(variable, bytes);
        ASSERT_LE(placement.offset + size, tileClass.highWater);
        for (int64_t i = 0; i < size; ++i) {
          EXPECT_EQ(owner[placement.offset + i], -1);
          owner[placement.offset + i] = placement.variable;
        }
        live += bytes;
      }
      int64_t wanted = fixed;
      for (const MemoryVariable &variable : problem.variables)
        if (variable.isLive(step))
          wanted += problem.layouts[variable.layout].get(tile);
      EXPECT_EQ(live, wanted);
      least = std::max(least, live);
      liveBytes[step] = std::max(liveBytes[step], live);
    }
    EXPECT_GE(tileClass.lowerBound, least);
    EXPECT_GE(tileClass.highWater, tileClass.lowerBound);
    EXPECT_EQ(tileClass.categories.getTotal(), tileClass.highWater);
  }
  for (auto [given, wanted] : llvm::zip_equal(plan.liveBytes, liveBytes))
    EXPECT_GE(given, wanted);
}

TEST_F(TileMemoryTest, RandomProblemsAgreeWithBytes) {
  for (int trial = 0; trial < 400; ++trial) {
    MemoryProblem problem = drawProblem();
    MemoryPlan plan = allocateMemory(problem);
    EXPECT_EQ(verify(problem, plan), "");
    expectNoOverlap(problem, plan);
    MemoryPlan onThreads = allocateMemory(problem, &context);
    EXPECT_EQ(onThreads.liveBytes, plan.liveBytes);
    for (auto [one, other] : llvm::zip_equal(plan.classes, onThreads.classes)) {
      EXPECT_EQ(one.highWater, other.highWater);
      for (auto [a, b] : llvm::zip_equal(one.placements, other.placements))
        EXPECT_EQ(std::make_pair(a.variable, a.offset),
                  std::make_pair(b.variable, b.offset));
    }
  }
}

/// The verifier finds each error of a plan that brute force finds.
TEST_F(TileMemoryTest, RandomCorruptionsAreFound) {
  int found = 0;
  for (int trial = 0; trial < 400; ++trial) {
    MemoryProblem problem = drawProblem();
    MemoryPlan plan = allocateMemory(problem);
    TileClass &tileClass = plan.classes[draw(0, plan.classes.size() - 1)];
    if (tileClass.placements.empty())
      continue;
    MemoryPlacement &placement =
        tileClass.placements[draw(0, tileClass.placements.size() - 1)];
    placement.offset = draw(0, tileClass.highWater);
    // The errors by the definition.
    int64_t tile = tileClass.getFirstTile();
    auto getEnd = [&](const MemoryPlacement &p) {
      const MemoryVariable &variable = problem.variables[p.variable];
      return p.offset +
             getFootprint(variable, problem.layouts[variable.layout].get(tile));
    };
    const MemoryVariable &moved = problem.variables[placement.variable];
    bool isWrong = placement.offset < getFixed(problem, tile) ||
                   getEnd(placement) > tileClass.highWater ||
                   placement.offset % moved.align != 0;
    for (const MemoryPlacement &other : tileClass.placements) {
      const MemoryVariable &variable = problem.variables[other.variable];
      isWrong |= &other != &placement && other.offset < getEnd(placement) &&
                 placement.offset < getEnd(other) && variable.meets(moved);
    }
    EXPECT_EQ(!verify(problem, plan).empty(), isWrong) << trial;
    found += isWrong;
  }
  EXPECT_GT(found, 100);
}

TEST_F(TileMemoryTest, CorruptedPlansAndLivesAreNamed) {
  MemoryProblem problem = makeProblem(4, 4);
  add(problem, 0, 4, 16, 0, 2);
  add(problem, 0, 2, 16, 2, 4);
  MemoryPlan plan = allocateMemory(problem);
  // The second variable has the memory of the first one.
  ASSERT_EQ(plan.classes.size(), 2u);
  EXPECT_EQ(plan.getFullest().highWater, 16);
  ASSERT_EQ(verify(problem, plan), "");

  MemoryProblem longer = problem;
  longer.variables[0].end = 3;
  EXPECT_EQ(verify(longer, plan),
            "expects variable 0 and variable 1, which are both live at step "
            "2, not to "
            "overlap on tile 0 but got [0, 16) and [0, 16)");

  MemoryPlan lost = plan;
  lost.classes[0].placements.pop_back();
  EXPECT_EQ(verify(problem, lost),
            "expects variable 1 to have an address on tile 0");

  MemoryPlan twice = plan;
  twice.classes[0].placements.push_back({1, 0});
  EXPECT_EQ(verify(problem, twice),
            "expects each variable to have one address on tile 0, in the order "
            "of the variables, but got another address of variable 1");

  MemoryPlan outside = plan;
  outside.classes[0].placements[1].offset = 8;
  EXPECT_EQ(verify(problem, outside),
            "expects variable 1 on tile 0 to lie in [0, 16) at a multiple of 1 "
            "but got [8, 24)");

  MemoryPlan missing = plan;
  missing.classes[1].tiles[0].first = 3;
  EXPECT_EQ(verify(problem, missing),
            "expects tile 2 to be in exactly one class of tiles");

  MemoryPlan merged = plan;
  merged.classes[0].tiles[0].second = 4;
  merged.classes.pop_back();
  EXPECT_EQ(
      verify(problem, merged),
      "expects tile 2 to need the same memory as the other tiles of its class");

  MemoryProblem larger = problem;
  larger.fixed[static_cast<unsigned>(MemoryCategory::VertexState)].add(0, 4,
                                                                       17);
  EXPECT_EQ(verify(larger, plan),
            "expects vertex state on tile 0 to lie in [0, 16) but "
            "got [0, 17)");
}

TEST_F(TileMemoryTest, BestFitFillsWhatFirstFitLeaves) {
  // In the order of starts, a has [0, 8) and b has [8, 24). c does not fit
  // before the end of b, because there are no 16 free bytes.
  MemoryProblem problem = makeProblem(1, 3);
  add(problem, 0, 1, 8, 0, 1);
  add(problem, 0, 1, 16, 0, 2);
  add(problem, 0, 1, 16, 1, 3);
  MemoryPlan plan = allocateMemory(problem);
  EXPECT_EQ(plan.getFullest().lowerBound, 32);
  EXPECT_EQ(plan.getFullest().highWater, 32);
  EXPECT_EQ(plan.getFullest().peakStep, 1);
  EXPECT_EQ(verify(problem, plan), "");
}

// A variable with two live ranges has one address. Other variables can have
// this address between the live ranges.
TEST_F(TileMemoryTest, LiveMoreThanOnce) {
  MemoryProblem problem = makeProblem(1, 5);
  add(problem, 0, 1, 16, 0, 5).ranges = {{0, 2}, {4, 5}};
  add(problem, 0, 1, 16, 2, 4);
  MemoryPlan plan = allocateMemory(problem);
  EXPECT_EQ(plan.getFullest().highWater, 16);
  EXPECT_EQ(plan.liveBytes, std::vector<int64_t>(5, 16));
  EXPECT_EQ(verify(problem, plan), "");
  problem.variables[1].end = 5;
  EXPECT_EQ(verify(problem, plan),
            "expects variable 1 and variable 0, which are both live at step "
            "4, not to "
            "overlap on tile 0 but got [0, 16) and [0, 16)");
}

TEST_F(TileMemoryTest, GapsAreRoundingAndElementsAndFragmentation) {
  MemoryProblem problem = makeProblem(2, 1);
  MemoryVariable &variable = add(problem, 0, 1, 100, 0, 1);
  variable.align = 32;
  variable.gapPermille = 30;
  EXPECT_EQ(getFootprint(variable, 100), 128); // 103 rounded up
  EXPECT_EQ(getFootprint(variable, 0), 0);
  problem.fixed[0].add(0, 2, 10);
  MemoryPlan plan = allocateMemory(problem);
  const TileClass &fullest = plan.getFullest();
  EXPECT_EQ(fullest.highWater, 32 + 128);
  EXPECT_EQ(fullest.categories[MemoryCategory::Stack], 10);
  EXPECT_EQ(fullest.categories[MemoryCategory::NotAlwaysLive], 100);
  EXPECT_EQ(fullest.categories[MemoryCategory::Gaps], 50);
  EXPECT_EQ(plan.getSum().getTotal(), 170);
}

TEST_F(TileMemoryTest, SizesSaturate) {
  MemoryProblem problem = makeProblem(1, 2);
  for (int i = 0; i < 3; ++i)
    add(problem, 0, 1, int64_t(1) << 53, 0, 2).alwaysLive = i == 0;
  problem.variables[1].align = INT64_MAX;
  problem.variables[2].gapPermille = INT64_MAX;
  MemoryPlan plan = allocateMemory(problem);
  EXPECT_EQ(plan.getFullest().highWater, int64_t(1) << 53);
  EXPECT_EQ(verify(problem, plan), "");
  EXPECT_FALSE(fits(problem, plan));
}

/// A problem with a million tiles in a few classes, and ten thousand variables.
TEST_F(TileMemoryTest, LargeProblems) {
  MemoryProblem wide = makeProblem(1 << 20, 3);
  for (int64_t i = 0; i < 8; ++i)
    add(wide, i << 17, 1 << 17, 64 + i % 2, i % 3, 3);
  MemoryPlan plan = allocateMemory(wide);
  EXPECT_EQ(plan.classes.size(), 8u);
  EXPECT_EQ(verify(wide, plan), "");

  MemoryProblem deep = makeProblem(1472, 10000);
  for (int64_t i = 0; i < 10000; ++i) {
    // Each statement has one draw, because the order of evaluation of arguments
    // depends on the compiler.
    int64_t length = draw(1, 700);
    int64_t bytes = draw(8, 800);
    add(deep, i % 64 * 23, 23, bytes, i, std::min<int64_t>(i + length, 10000));
  }
  plan = allocateMemory(deep);
  EXPECT_EQ(plan.classes.size(), 64u);
  EXPECT_EQ(verify(deep, plan), "");
  EXPECT_LE(plan.getFullest().highWater, plan.getFullest().lowerBound * 5 / 4);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

// A program on two tiles with two elements and one element of each variable.
constexpr StringLiteral kProgram = R"mlir(
#m = #ipu.map<[3], grid = [2], blocks = [p0 * 2 : 2]>
!v = memref<3xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 3 : i64}>} {
  ipu.stream @in host_to_device : tensor<3xf32>
  ipu.codelet @f(%x : !b, %y : !b) inputs 1
      cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %w = ipu.var "w" init(dense<1.0> : tensor<3xf32>) : !v
    %x = ipu.var "x" : !v
    ipu.host_load @in to %x : !v
    %y = ipu.var "y" : !v
    ipu.repeat 5 {
      %t = ipu.var "t" : !v
      ipu.compute_set "a" {
        ipu.vertices @f ins(%x : !v) outs(%t : !v) access [#m, #m]
      }
      ipu.compute_set "b" {
        ipu.vertices @f ins(%t : !v) outs(%y : !v) access [#m, #m]
      }
    }
    ipu.write_undef %x : !v
    ipu.sync internal
    func.return
  }
}
)mlir";

TEST_F(TileMemoryTest, ProgramOfALoop) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, ParserConfig(&context));
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<func::FuncOp>("main");
  FailureOr<MemoryProblem> problem = readMemoryProblem(function);
  ASSERT_TRUE(succeeded(problem));
  // The steps are host_load (0), a (1), b (2), repeat (3) and sync (4).
  EXPECT_EQ(problem->numSteps, 5);
  ASSERT_EQ(problem->variables.size(), 4u);
  auto expectLife = [&](unsigned number, int64_t begin, int64_t end) {
    EXPECT_EQ(problem->variables[number].begin, begin) << number;
    EXPECT_EQ(problem->variables[number].end, end) << number;
  };
  expectLife(0, 0, 5);
  expectLife(1, 0, 4); // The loop uses it, so that it is live until the end.
  expectLife(2, 1, 5);
  expectLife(3, 1, 3); // A variable of the body.
  EXPECT_TRUE(problem->variables[0].alwaysLive);

  MemoryPlan plan = allocateMemory(*problem);
  EXPECT_EQ(verify(*problem, plan), "");
  ASSERT_EQ(plan.classes.size(), 3u);
  const MemoryBytes &bytes = plan.classes[0].categories;
  EXPECT_EQ(bytes[MemoryCategory::Stack], 2560 + 1536);
  EXPECT_EQ(bytes[MemoryCategory::VertexCode], 300);
  EXPECT_EQ(bytes[MemoryCategory::ExchangeCode], 0);
  // The code of two compute sets, a host copy, a loop and a sync.
  EXPECT_EQ(bytes[MemoryCategory::ControlCode], 2 * 24 + 3 * 12);
  EXPECT_EQ(bytes[MemoryCategory::VertexState], 2 * (4 + 2 * 8));
  EXPECT_EQ(bytes[MemoryCategory::HostExchange], 64 + 16);
  EXPECT_EQ(bytes[MemoryCategory::AlwaysLive], 8);
  EXPECT_EQ(bytes[MemoryCategory::NotAlwaysLive], 3 * 8);
  EXPECT_EQ(plan.classes[0].peakStep, 1);
  // There are 4600 fixed bytes, which is a multiple of 8. Tile 1 has half of
  // the 8 bytes of each variable.
  EXPECT_EQ(bytes[MemoryCategory::Gaps], 0);
  EXPECT_EQ(plan.classes[0].highWater, 4600 + 4 * 8);
  EXPECT_EQ(plan.classes[1].categories[MemoryCategory::Gaps], 4 * 4);
  EXPECT_EQ(plan.classes[1].highWater, 4600 + 4 * 8);
  // This class has neither vertices nor variables.
  EXPECT_EQ(plan.classes[2].highWater, 2560 + 1536 + 3 * 12);
  EXPECT_EQ(plan.liveBytes,
            (std::vector<int64_t>{4616, 4632, 4632, 4624, 4616}));
}

} // namespace
