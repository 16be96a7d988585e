//===- TileMemoryFunctionsTest.cpp - Memory of several functions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

using Steps = std::vector<std::pair<int64_t, int64_t>>;

class TileMemoryFunctionsTest : public ::testing::Test {
protected:
  TileMemoryFunctionsTest() {
    DialectRegistry registry;
    registerStepMemoryModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<IPUDialect, func::FuncDialect>();
  }

  /// Reads @main of a module with these ops, on a machine with one tile. !v is
  /// a variable of 400 bytes.
  void read(StringRef ops) {
    std::string source = R"mlir(
      #m = #ipu.map<[100], grid = [], blocks = [all]>
      #s = #ipu.map<[], grid = [], blocks = []>
      !v = memref<100xf32, #m>
      !b = memref<?xf32, strided<[1], offset: ?>>
      module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
        ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
        ipu.codelet @two(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
        ipu.codelet @sum(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
    )mlir" + ops.str() + "}";
    module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
    ASSERT_TRUE(module);
    FailureOr<MemoryProblem> result =
        readMemoryProblem(module->lookupSymbol<func::FuncOp>("main"));
    ASSERT_TRUE(succeeded(result));
    problem = std::move(*result);
    plan = allocateMemory(problem);
    EXPECT_EQ(verify(), "");
  }

  void expectLife(StringRef name, int64_t begin, int64_t end) {
    for (const MemoryVariable &variable : problem.variables)
      if (variable.getName() == name) {
        EXPECT_EQ(variable.begin, begin) << name.str();
        EXPECT_EQ(variable.end, end) << name.str();
        return;
      }
    ADD_FAILURE() << "no variable " << name.str();
  }

  Steps getCodeSteps(StringRef function) {
    for (const MemoryCode &code : problem.code)
      if (code.functions.size() == 1 &&
          cast<func::FuncOp>(code.functions.front()).getSymName() == function)
        return Steps(code.steps.begin(), code.steps.end());
    return {};
  }

  std::string verify() {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    LogicalResult result = verifyMemoryPlan(
        problem, plan, [&] { return emitError(UnknownLoc::get(&context)); });
    EXPECT_EQ(succeeded(result), message.empty());
    return message;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  MemoryProblem problem;
  MemoryPlan plan;
};

// The steps of a function are numbered before its first call. A variable that
// is live across another call is live from these steps on.
TEST_F(TileMemoryFunctionsTest, LivesAcrossCalls) {
  read(R"mlir(
    func.func @f() {
      %t = ipu.var "t" : !v
      ipu.sync internal             // 1
      ipu.write_undef %t : !v
      ipu.sync internal             // 2
      return
    }
    func.func @main() {
      %x = ipu.var "x" : !v
      ipu.sync internal             // 0
      ipu.call @f                   // 3
      ipu.write_undef %x : !v
      %y = ipu.var "y" : !v
      ipu.sync internal             // 4
      %z = ipu.var "z" : !v
      ipu.write_undef %y : !v
      ipu.call @f                   // 5
      ipu.write_undef %z : !v
      %u = ipu.var "u" : !v
      ipu.sync internal             // 6
      ipu.write_undef %u : !v
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 7);
  expectLife("x", 0, 4);
  expectLife("t", 1, 2);
  expectLife("y", 4, 5);
  expectLife("z", 1, 6);
  expectLife("u", 6, 7);
  // x, z and t are live at step 1. Each of five syncs and two calls has 12
  // bytes of code.
  EXPECT_EQ(plan.classes[0].peakStep, 1);
  EXPECT_EQ(plan.classes[0].categories[MemoryCategory::NotAlwaysLive], 1200);
  EXPECT_EQ(plan.classes[0].categories[MemoryCategory::ControlCode], 7 * 12);
}

// A function may be called by another one long after its own first call.
TEST_F(TileMemoryFunctionsTest, LivesAcrossNestedCalls) {
  read(R"mlir(
    func.func @inner() {
      ipu.sync internal             // 0
      return
    }
    func.func @outer() {
      %t = ipu.var "t" : !v
      ipu.call @inner               // 3
      ipu.write_undef %t : !v
      return
    }
    func.func @main() {
      ipu.call @inner               // 1
      ipu.sync internal             // 2
      %x = ipu.var "x" : !v
      ipu.call @outer               // 4
      ipu.write_undef %x : !v
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 5);
  expectLife("t", 0, 4);
  expectLife("x", 0, 5);
}

// Storage is live from its first to its last use. A call uses the storage that
// its callee uses. If a use is in a loop, the storage is live in the whole
// loop. The storage of a state is always live.
TEST_F(TileMemoryFunctionsTest, Storage) {
  read(R"mlir(
    ipu.stream @in host_to_device : tensor<100xf32>
    ipu.stream @out device_to_host : tensor<100xf32>
    ipu.storage @arg : !v
    ipu.storage @result : !v
    ipu.storage @loop : !v
    ipu.storage @unused : !v
    ipu.storage @state.storage : !v
    ipu.state @state in @state.storage : tensor<100xf32> = dense<0.0> : tensor<100xf32>
    func.func @f() {
      %arg = ipu.var "arg" of @arg : !v
      %result = ipu.var "result" of @result : !v
      ipu.exchange "f" {            // 2
        ipu.move %arg to %result : !v to !v
      }
      return
    }
    func.func @main() {
      %arg = ipu.var "arg" of @arg : !v
      %result = ipu.var "result" of @result : !v
      %loop = ipu.var "loop" of @loop : !v
      %unused = ipu.var "unused" of @unused : !v
      ipu.sync internal             // 0
      ipu.host_load @in to %arg : !v    // 1
      ipu.call @f                   // 3
      ipu.host_store %result to @out : !v   // 4
      ipu.repeat 3 {
        ipu.sync internal           // 5
        ipu.repeat 2 {
          ipu.host_load @in to %loop : !v   // 6
        }                           // 7
        ipu.sync internal           // 8
      }                             // 9
      ipu.sync internal             // 10
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 11);
  expectLife("arg", 1, 4);
  expectLife("result", 2, 5);
  expectLife("loop", 5, 10);
  expectLife("unused", 0, 0);
  expectLife("state.storage", 0, 11);
  const MemoryBytes &bytes = plan.classes[0].categories;
  EXPECT_EQ(bytes[MemoryCategory::AlwaysLive], 400);
  // arg and result are live at step 2.
  EXPECT_EQ(bytes[MemoryCategory::NotAlwaysLive], 800);
}

// The storage of a function keeps its elements until the next call. It is live
// in all steps between the calls of a loop.
TEST_F(TileMemoryFunctionsTest, StorageOfACallInALoop) {
  read(R"mlir(
    ipu.stream @in host_to_device : tensor<100xf32>
    ipu.storage @a : !v
    func.func @f() {
      %a = ipu.var "a" of @a : !v
      ipu.host_load @in to %a : !v  // 1
      return
    }
    func.func @g() {
      ipu.call @f                   // 2
      return
    }
    func.func @main() {
      %i = ipu.var "i" : memref<i1, #s>
      ipu.while %i : memref<i1, #s> {
        ipu.sync internal           // 0
      } do {
        ipu.call @g                 // 3
        ipu.sync internal           // 4
      }                             // 5
      ipu.sync internal             // 6
      ipu.if %i : memref<i1, #s> {
        ipu.sync internal           // 7
      } else {
        ipu.call @f                 // 8
        ipu.sync internal           // 9
      }                             // 10
      ipu.sync internal             // 11
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 12);
  expectLife("a", 0, 9);
}

// Codelets that only one function uses are part of its code. Codelets that
// several functions use are loaded with each of them. Functions whose code is
// on the tiles at different times share memory.
TEST_F(TileMemoryFunctionsTest, LoadedCode) {
  read(R"mlir(
    func.func @f() {
      %x = ipu.var "x" : !v
      %y = ipu.var "y" : !v
      ipu.compute_set "f" {         // 1
        ipu.vertices @one outs(%x : !v) access [#m]
        ipu.vertices @two outs(%y : !v) access [#m]
      }
      return
    }
    func.func @g() {
      %x = ipu.var "x" : !v
      %y = ipu.var "y" : !v
      ipu.compute_set "g" {         // 4
        ipu.vertices @two outs(%x : !v) access [#m]
        ipu.vertices @sum outs(%y : !v) access [#m]
      }
      return
    }
    func.func @main() {
      ipu.code_load [@f] to executable  // 0
      ipu.call @f                   // 2
      ipu.code_load [@g] to executable  // 3
      ipu.call @g                   // 5
      ipu.sync internal             // 6
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 7);
  // The code is on the tiles from the load to the call.
  EXPECT_EQ(getCodeSteps("f"), (Steps{{0, 3}}));
  EXPECT_EQ(getCodeSteps("g"), (Steps{{3, 6}}));
  // The code of @f takes 300 bytes and 24 bytes for a compute set, the code of
  // @g takes 900 and 24 bytes, and the shared codelet takes 300 bytes. Two
  // loads, two calls and a sync, of 12 bytes each, are always on the tile.
  const TileClass &tile = plan.classes[0];
  int64_t always = 4096 + 5 * 12, both = 300;
  ASSERT_EQ(problem.code.size(), 3u);
  EXPECT_EQ(problem.code[2].functions.size(), 2u);
  EXPECT_EQ(Steps(problem.code[2].steps.begin(), problem.code[2].steps.end()),
            (Steps{{0, 6}}));
  EXPECT_EQ(tile.codeBytes, always + both + 924);
  // Four vertices, each with one edge of 8 bytes.
  int64_t state = 4 * (4 + 8);
  EXPECT_EQ(plan.liveBytes,
            (std::vector<int64_t>{
                always + state + both + 324, always + state + both + 324 + 800,
                always + state + both + 324, always + state + both + 924,
                always + state + both + 924 + 800, always + state + both + 924,
                always + state}));
  EXPECT_EQ(tile.peakStep, 4);
  EXPECT_EQ(tile.categories[MemoryCategory::VertexCode], 300 + 900);
  EXPECT_EQ(tile.categories.getTotal(), tile.highWater);

  // The code that is on the tile at the same time must fit in the region for
  // instructions.
  problem.codeMemory = tile.codeBytes;
  EXPECT_TRUE(fits(problem, plan));
  problem.codeMemory -= 1;
  EXPECT_FALSE(fits(problem, plan));

  // The verifier fails if both codes start at address 0, or if one code is
  // moved by a byte.
  plan.classes[0].codePlacements[0].offset -= 1;
  EXPECT_EQ(verify(), "expects code 0 on tile 0 to lie in [4156, 5380) but got "
                      "[4155, 4479)");
  plan = allocateMemory(problem);
  problem.code[1].steps = {{2, 6}};
  EXPECT_EQ(verify(),
            "expects code 0 and code 1, which are both live at step 2, not "
            "to overlap on tile 0 but got [4156, 4480) and [4156, 5080)");
  plan = allocateMemory(problem);
  EXPECT_EQ(verify(), "");
  EXPECT_EQ(plan.classes[0].codeBytes, always + both + 324 + 924);
  plan.classes[0].codePlacements.pop_back();
  EXPECT_EQ(verify(), "expects code 2 to have an address on tile 0");
  plan.classes[0].codeBytes = 100;
  EXPECT_EQ(verify(), "expects the code on tile 0 to hold 4156 bytes that are "
                      "always live but got 100");
}

// Variables that are live while code is not on the tile can have the addresses
// of the code. Other variables follow after these addresses. The verifier
// accepts both.
TEST_F(TileMemoryFunctionsTest, VariablesInTheRoomOfCode) {
  read(R"mlir(
    ipu.storage @w.storage : !v
    ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
    func.func @f() {
      %w = ipu.var "w" of @w.storage : !v
      ipu.compute_set "f" {         // 1
        ipu.vertices @sum outs(%w : !v) access [#m]
      }
      return
    }
    func.func @main() {
      ipu.code_load [@f] to executable  // 0
      ipu.call @f                   // 2
      %x = ipu.var "x" : !v
      %y = ipu.var "y" : !v
      ipu.sync internal             // 3
      return
    })mlir");
  // 924 bytes of code, or 800 bytes of x and y.
  const TileClass &tile = plan.classes[0];
  int64_t always = 4096 + 3 * 12, state = 4 + 8;
  EXPECT_EQ(tile.codePlacements[0].offset, always);
  EXPECT_EQ(tile.codeBytes, always + 924);
  EXPECT_EQ(tile.placements[1].offset, 4136);
  EXPECT_EQ(tile.placements[2].offset, 4536);
  EXPECT_EQ(tile.dataOffset, always + 924);
  EXPECT_EQ(tile.placements[0].offset, 5072);
  EXPECT_EQ(tile.highWater, 5472);
  EXPECT_EQ(tile.lowerBound, always + 924 + state + 400);
  EXPECT_EQ(tile.peakStep, 0);
  EXPECT_EQ(tile.categories[MemoryCategory::VertexCode], 900);
  EXPECT_EQ(tile.categories[MemoryCategory::NotAlwaysLive], 0);
  EXPECT_EQ(tile.categories.getTotal(), tile.highWater);

  problem.code[0].steps = {{0, 4}};
  EXPECT_EQ(verify(), "expects code 0 and variable 1, which are both live at "
                      "step 3, not to overlap on tile 0 but got [4132, 5056) "
                      "and [4136, 4536)");
  problem.code[0].steps = {{0, 3}};
  plan.classes[0].dataOffset = 5050;
  EXPECT_EQ(verify(), "expects code 0 and vertex state, which are both live "
                      "at step 0, not to overlap on tile 0 but got [4132, 5056)"
                      " and [5050, 5062)");
  plan.classes[0].dataOffset = 4000;
  EXPECT_EQ(verify(), "expects vertex state on tile 0 to lie in [4132, 5472) "
                      "but got [4000, 4012)");
}

// Code that is loaded but never called is on the tiles while it is loaded.
TEST_F(TileMemoryFunctionsTest, LoadedAndNeverCalled) {
  read(R"mlir(
    func.func @f() {
      %x = ipu.var "x" : !v
      ipu.compute_set "f" {
        ipu.vertices @sum outs(%x : !v) access [#m]
      }
      return
    }
    func.func @g() {
      %x = ipu.var "x" : !v
      ipu.compute_set "g" {
        ipu.vertices @one outs(%x : !v) access [#m]
      }
      return
    }
    func.func @main() {
      %x = ipu.var "x" : !v
      ipu.code_load [@f] to executable      // 0
      ipu.code_load [@g] to compute_buffer  // 1
      ipu.code_copy @g from compute_buffer to io_buffer  // 2
      return
    })mlir");
  EXPECT_EQ(problem.numSteps, 3);
  EXPECT_EQ(getCodeSteps("f"), (Steps{{0, 1}}));
  EXPECT_EQ(getCodeSteps("g"), (Steps{}));
  EXPECT_EQ(problem.code[0].get(0), 900 + 24);
  expectLife("code of @g in compute_buffer", 1, 3);
  EXPECT_EQ(problem.layouts[problem.variables[1].layout].get(0), 300 + 24);
  expectLife("code of @g in io_buffer", 2, 3);
}

// If only one branch loads the code, the code must be on the tiles before the
// branch for the other path.
TEST_F(TileMemoryFunctionsTest, LoadInOneBranch) {
  StringRef source = R"mlir(
    func.func @f() {
      ipu.sync internal             // 1
      return
    }
    func.func @main() {
      %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
      ipu.code_load [@f] to executable  // 0
      ipu.call @f                   // 2
      ipu.sync internal             // 3
      ipu.if %p : memref<i1, #s> {
        ipu.sync internal           // 4
        ipu.code_load [@f] to executable  // 5
      } else {
        ipu.sync internal           // 6
        LOAD
      }                             // 7 or 8
      ipu.call @f
      ipu.sync internal
      return
    })mlir";
  auto [before, after] = source.split("LOAD");
  read((before + after).str());
  // The code is not live before the load in the first branch, and not after the
  // last call.
  EXPECT_EQ(getCodeSteps("f"), (Steps{{0, 4}, {5, 9}}));
  read((before + "ipu.code_load [@f] to executable" + after).str());
  EXPECT_EQ(getCodeSteps("f"), (Steps{{0, 3}, {5, 6}, {7, 10}}));
  EXPECT_EQ(problem.numSteps, 11);
}

// If a loop loads the code that it calls, the code is only on the tiles from
// the load to the call.
TEST_F(TileMemoryFunctionsTest, LoadInALoop) {
  read(R"mlir(
    func.func @f() {
      ipu.sync internal             // 2
      return
    }
    func.func @main() {
      %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
      ipu.while %p : memref<i1, #s> {
        ipu.sync internal           // 0
      } do {
        ipu.code_load [@f] to executable  // 1
        ipu.call @f                 // 3
        ipu.sync internal           // 4
      }                             // 5
      return
    })mlir");
  EXPECT_EQ(getCodeSteps("f"), (Steps{{1, 4}}));
  // Without the load in the loop, the code stays on the tiles from one
  // iteration to the next.
  read(R"mlir(
    func.func @f() {
      ipu.sync internal             // 3
      return
    }
    func.func @main() {
      ipu.sync internal             // 0
      ipu.code_load [@f] to executable  // 1
      ipu.repeat 3 {
        ipu.sync internal           // 2
        ipu.call @f                 // 4
        ipu.sync internal           // 5
      }                             // 6
      ipu.sync internal             // 7
      return
    })mlir");
  EXPECT_EQ(getCodeSteps("f"), (Steps{{1, 7}}));
}

// In a program without loads, all code is always on the tiles.
TEST_F(TileMemoryFunctionsTest, CodeWithoutLoads) {
  read(R"mlir(
    func.func @f() {
      %x = ipu.var "x" : !v
      ipu.compute_set "f" {
        ipu.vertices @one outs(%x : !v) access [#m]
      }
      return
    }
    func.func @main() {
      ipu.call @f
      ipu.call @f
      return
    })mlir");
  EXPECT_TRUE(problem.code.empty());
  EXPECT_EQ(plan.classes[0].categories[MemoryCategory::VertexCode], 300);
  EXPECT_EQ(plan.classes[0].categories[MemoryCategory::ControlCode],
            24 + 2 * 12);
  EXPECT_EQ(plan.classes[0].codeBytes, 4096 + 300 + 48);
}

// Checks random code and variables byte by byte. If two of them are on a tile
// in the same step, they do not overlap. Code has the same addresses as without
// variables. The memory is at most as large as if all code was always on the
// tiles.
TEST_F(TileMemoryFunctionsTest, RandomCode) {
  std::mt19937 random(11);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int64_t lower = 0;
  for (int trial = 0; trial < 600; ++trial) {
    int64_t tiles = draw(1, 4), steps = draw(1, 10);
    problem = MemoryProblem();
    problem.numTiles = tiles;
    problem.numSteps = steps;
    problem.tileMemory = problem.codeMemory = 1 << 20;
    problem.fixed.fill(TileCounts(tiles));
    problem.fixed[0].add(0, tiles, draw(0, 20));
    problem.fixed[4].add(0, tiles, draw(0, 20));
    for (int64_t i = 0, e = draw(0, 6); i < e; ++i) {
      MemoryCode code;
      code.bytes.fill(TileCounts(tiles));
      code.bytes[draw(1, 3)].add(0, draw(0, tiles), draw(1, 50));
      for (int64_t step = draw(0, 3); step < steps; step += draw(1, 4)) {
        int64_t end = draw(step + 1, steps);
        code.steps.emplace_back(step, end);
        step = end;
      }
      problem.code.push_back(code);
    }
    for (int64_t i = 0, e = draw(0, 8) * draw(0, 1); i < e; ++i) {
      TileCounts layout(tiles);
      layout.add(0, draw(0, tiles), draw(1, 50));
      MemoryVariable variable;
      variable.layout = i;
      variable.begin = draw(0, steps - 1);
      variable.end = draw(variable.begin, steps);
      variable.align = int64_t(1) << draw(0, 4);
      variable.alwaysLive = draw(0, 3) == 0;
      if (variable.alwaysLive)
        std::tie(variable.begin, variable.end) = std::tuple(0, steps);
      problem.layouts.push_back(layout);
      problem.variables.push_back(variable);
    }
    plan = allocateMemory(problem);
    ASSERT_EQ(verify(), "");
    for (const TileClass &tileClass : plan.classes) {
      int64_t tile = tileClass.getFirstTile();
      int64_t fixed = problem.fixed[0].get(tile), sum = 0, most = 0, least = 0;
      int64_t data = problem.fixed[4].get(tile);
      for (int64_t step = 0; step < steps; ++step) {
        std::vector<int> owner(tileClass.highWater, -1);
        auto take = [&](int64_t offset, int64_t size, int number) {
          for (int64_t i = offset; i < offset + size; ++i) {
            EXPECT_EQ(owner.at(i), -1);
            owner.at(i) = number;
          }
        };
        take(0, fixed, 1000);
        take(tileClass.dataOffset, data, 1001);
        int64_t now = 0, live = fixed + data;
        for (const MemoryPlacement &placement : tileClass.codePlacements) {
          const MemoryCode &code = problem.code[placement.variable];
          ASSERT_LE(placement.offset + code.get(tile), tileClass.codeBytes);
          if (!code.isResident(step))
            continue;
          take(placement.offset, code.get(tile), placement.variable);
          now += code.get(tile);
        }
        for (const MemoryPlacement &placement : tileClass.placements) {
          const MemoryVariable &variable =
              problem.variables[placement.variable];
          int64_t bytes = problem.layouts[variable.layout].get(tile);
          if (!variable.isLive(step))
            continue;
          take(placement.offset, getFootprint(variable, bytes),
               100 + placement.variable);
          live += getFootprint(variable, bytes);
        }
        most = std::max(most, now);
        least = std::max(least, live + now);
        EXPECT_GE(plan.liveBytes[step], live + now);
      }
      for (const MemoryCode &code : problem.code)
        sum += code.steps.empty() ? 0 : code.get(tile);
      EXPECT_GE(tileClass.codeBytes, fixed + most);
      EXPECT_LE(tileClass.codeBytes, fixed + sum);
      EXPECT_GE(tileClass.lowerBound, least);
      EXPECT_GE(tileClass.highWater, tileClass.lowerBound);
      if (sum > 0) {
        EXPECT_EQ(tileClass.lowerBound, least);
      }
      EXPECT_EQ(tileClass.categories.getTotal(), tileClass.highWater);
    }

    MemoryProblem always = problem;
    for (MemoryCode &code : always.code)
      if (!code.steps.empty())
        code.steps = {{0, steps}};
    int64_t withLoads = plan.getFullest().highWater;
    int64_t without = allocateMemory(always).getFullest().highWater;
    EXPECT_LE(withLoads, without);
    lower += withLoads < without;
  }
  EXPECT_GT(lower, 100);
}

} // namespace
