//===- FusedSumsTest.cpp - Contractions that add partial sums -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/FusedSets.h"
#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct Shape {
  int64_t blocks, rows, chain, columns;
  /// The number of columns of a tile.
  int64_t step;
  /// The number of addends that the last block has less than `chain`.
  int64_t missing = 0;
  /// The number of blocks of a tile, or 0 for all.
  int64_t blockStep = 0;
};

/// The programs compute y = sum over blocks of x[block] * w[block]. x, of
/// blocks x rows x chain, is a copy of a on each tile. w, of blocks x chain x
/// columns, has some columns on each tile. If the last block is shorter, x is
/// rows x addends, w is addends x columns, and a codelet loops over blocks.
class FusedSumsTest : public ProgramTest {
protected:
  FusedSumsTest() { usesNumbers = true; }

  /// Partial sums take 320 KiB, which exceeds the limit on all hosts.
  static constexpr Shape kShape = {5, 64, 9, 256, 64};

  static std::string getVariable(const std::string &name,
                                 const std::string &type,
                                 const std::string &more = "") {
    return "%" + name + " = ipu.var \"" + name + "\" " + more + ": !" + type +
           "\n";
  }
  static std::string load(const std::string &name, const std::string &type) {
    return getVariable(name, type) + "ipu.host_load @" + name + " to %" + name +
           " : !" + type + getCost();
  }
  static std::string store(const std::string &name, const std::string &type,
                           const std::string &stream) {
    return "ipu.host_store %" + name + " to @" + stream + " : !" + type +
           getCost();
  }
  static std::string erase(const std::string &name, const std::string &type) {
    return "ipu.write_undef %" + name + " : !" + type + "\n";
  }
  static std::string move(const std::string &from, const std::string &fromType,
                          const std::string &to, const std::string &toType) {
    return "ipu.move %" + from + " to %" + to + " : !" + fromType + " to !" +
           toType + "\n";
  }
  static std::string exchange(const std::string &moves) {
    return "ipu.exchange \"e\" {\n" + moves + "}" + getCost();
  }
  static std::string multiply(const std::string &x, const std::string &w,
                              const std::string &p) {
    return "ipu.vertices @multiply ins(%" + x + ", %" + w +
           " : !x, !w) outs(%" + p + " : !p) access [#x, #w, #p]\n";
  }
  static std::string add(const std::string &p, const std::string &y) {
    return "ipu.vertices @add ins(%" + p + " : !q) outs(%" + y +
           " : !y) access [#q, #y]\n";
  }
  static std::string compute(const std::string &vertices) {
    return "ipu.compute_set \"c\" {\n" + vertices + "}" + getCost();
  }

  /// The first member is replaced by the second one in codelets with loops.
  std::pair<std::string, std::string> change;
  std::string changeCodelet(std::string codelet) const {
    if (!change.first.empty())
      codelet.replace(codelet.find(change.first), change.first.size(),
                      change.second);
    return codelet;
  }

  /// Returns a codelet that multiplies blocks of `chain` addends, the last of
  /// which may be shorter.
  static std::string getLoopCodelet(int64_t chain) {
    return R"mlir(
        ipu.codelet @multiply(%x : !b2, %w : !b2, %p : !b3) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %block = arith.constant )mlir" +
           std::to_string(chain) + R"mlir( : index
          %addends = memref.dim %x, %c1 : !b2
          %blocks = memref.dim %p, %c0 : !b3
          scf.for %i = %c0 to %blocks step %c1 {
            %start = arith.muli %i, %block : index
            %rest = arith.subi %addends, %start : index
            %size = arith.minsi %rest, %block : index
            %rows = memref.dim %x, %c0 : !b2
            %columns = memref.dim %w, %c1 : !b2
            %own_rows = memref.dim %p, %c1 : !b3
            %own_columns = memref.dim %p, %c2 : !b3
            %l = memref.subview %x[0, %start] [%rows, %size] [1, 1] : !b2 to !b2
            %r = memref.subview %w[%start, 0] [%size, %columns] [1, 1] : !b2 to !b2
            %o = memref.subview %p[%i, 0, 0] [1, %own_rows, %own_columns] [1, 1, 1]
                : !b3 to memref<1x?x?xf32, strided<[?, ?, 1], offset: ?>>
            %zero = arith.constant 0.0 : f32
            linalg.fill ins(%zero : f32) outs(%o : memref<1x?x?xf32, strided<[?, ?, 1], offset: ?>>)
            linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (i, k)>,
                                             affine_map<(b, i, j, k) -> (k, j)>,
                                             affine_map<(b, i, j, k) -> (b, i, j)>],
                            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
                ins(%l, %r : !b2, !b2) outs(%o : memref<1x?x?xf32, strided<[?, ?, 1], offset: ?>>) {
            ^bb0(%a: f32, %b: f32, %c: f32):
              %s = math.fma %a, %b, %c : f32
              linalg.yield %s : f32
            }
          }
        }
)mlir";
  }

  /// Returns a program that loads a and w and runs `body`, which also stores
  /// the results.
  OwningOpRef<ModuleOp> getProgram(const Shape &shape,
                                   const std::string &body) {
    auto print = [](std::initializer_list<int64_t> sizes, const char *between) {
      std::string text;
      for (int64_t size : sizes)
        text += (text.empty() ? "" : between) + std::to_string(size);
      return text;
    };
    auto [blocks, rows, chain, columns, step, missing, blockStep] = shape;
    int64_t columnTiles = (columns + step - 1) / step;
    int64_t blockTiles = blockStep ? (blocks + blockStep - 1) / blockStep : 1;
    int64_t addends = blocks * chain - missing;
    auto getPart = [](const std::string &position, int64_t step) {
      return step ? position + " * " + std::to_string(step) + " : " +
                        std::to_string(step)
                  : "all";
    };
    std::string ofBlocks = getPart("p0", blockStep);
    std::string ofAddends = getPart("p0", blockStep * chain);
    std::string ofColumns = getPart("p1", step);
    using Sizes = std::initializer_list<int64_t>;
    auto declare = [&](const std::string &name, Sizes sizes, Sizes grid,
                       const std::string &mapped) {
      return "#" + name + " = #ipu.map<[" + print(sizes, ", ") + "], grid = [" +
             print(grid, ", ") + "], blocks = [" + mapped + "]>\n!" + name +
             " = memref<" + print(sizes, "x") + "xf32, #" + name + ">\n";
    };
    auto tensor = [&](Sizes sizes) {
      return "tensor<" + print(sizes, "x") + "xf32>\n";
    };
    Sizes all = {blockTiles, columnTiles}, one = {1, 1}, sum = {1, columnTiles};
    Sizes xBlocks = {blocks, rows, chain}, wBlocks = {blocks, chain, columns};
    Sizes xAddends = {rows, addends}, wAddends = {addends, columns};
    std::string operands =
        missing
            ? declare("a", xAddends, one, "all, all") +
                  declare("x", xAddends, all, "all, " + ofAddends) +
                  declare("w", wAddends, all, ofAddends + ", " + ofColumns)
            : declare("a", xBlocks, one, "all, all, all") +
                  declare("x", xBlocks, all, ofBlocks + ", all, all") +
                  declare("w", wBlocks, all, ofBlocks + ", all, " + ofColumns);
    return parse(
        operands +
        declare("p", {blocks, rows, columns}, all,
                ofBlocks + ", all, " + ofColumns) +
        declare("q", {blocks, rows, columns}, sum, "all, all, " + ofColumns) +
        declare("y", {rows, columns}, sum, "all, " + ofColumns) + R"mlir(
      !b3 = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
      !b2 = memref<?x?xf32, strided<[?, 1], offset: ?>>
      module attributes {ipu.target = #ipu.target<"gc200", {tiles = )mlir" +
        std::to_string(blockTiles * columnTiles) +
        R"mlir( : i64, tile_memory = 16777216 : i64}>} {
)mlir" + (missing ? changeCodelet(getLoopCodelet(chain)) : R"mlir(
        ipu.codelet @multiply(%x : !b3, %w : !b3, %p : !b3) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %zero = arith.constant 0.0 : f32
          linalg.fill ins(%zero : f32) outs(%p : !b3)
          linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>,
                                           affine_map<(b, i, j, k) -> (b, k, j)>,
                                           affine_map<(b, i, j, k) -> (b, i, j)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%x, %w : !b3, !b3) outs(%p : !b3) {
          ^bb0(%l: f32, %r: f32, %o: f32):
            %s = math.fma %l, %r, %o : f32
            linalg.yield %s : f32
          }
        }
)mlir") +
        R"mlir(
        ipu.codelet @add(%p : !b3, %y : !b2) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %zero = arith.constant -0.0 : f32
          linalg.fill ins(%zero : f32) outs(%y : !b2)
          linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>,
                                           affine_map<(b, i, j) -> (i, j)>],
                          iterator_types = ["reduction", "parallel", "parallel"]}
              ins(%p : !b3) outs(%y : !b2) {
          ^bb0(%l: f32, %o: f32):
            %s = arith.addf %o, %l : f32
            linalg.yield %s : f32
          }
        }
        ipu.stream @a host_to_device : )mlir" +
        tensor(missing ? xAddends : xBlocks) +
        "ipu.stream @w host_to_device : " +
        tensor(missing ? wAddends : wBlocks) +
        "ipu.stream @y device_to_host : " + tensor({rows, columns}) +
        "ipu.stream @z device_to_host : " + tensor({rows, columns}) +
        "ipu.stream @p device_to_host : " + tensor({blocks, rows, columns}) +
        "func.func @main() {\n" + load("a", "a") + load("w", "w") +
        getVariable("x", "x", "copies") + exchange(move("a", "a", "x", "x")) +
        body + "return\n}\n}\n");
  }

  /// Returns the sets that are found in the program, in order.
  std::vector<FusedSets> find(ModuleOp module, unsigned threads = 1) {
    FailureOr<Program> program = readProgram(module, "main");
    EXPECT_TRUE(succeeded(program));
    FusedSetsOptions options;
    options.blockBytes = options.leastBytes = 1 << 18;
    options.threads = threads;
    FusedSetsMap map = findFusedSets(*program, options);
    std::vector<FusedSets> found;
    for (const ProgramNode &node : program->body.nodes)
      if (auto *it = map.find(&node); it != map.end())
        found.push_back(it->second);
    return found;
  }

  /// Expects that a run on `threads` threads has the results of the
  /// interpreter.
  void expectSameRuns(ModuleOp module, unsigned threads = 1) {
    FailureOr<ExecuteResult> expected = run(module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(expected));
    FailureOr<ExecuteResult> actual = run(module, EngineKind::Jit, threads);
    ASSERT_TRUE(succeeded(actual));
    expectSame(*expected, *actual);
  }
  /// Expects that `count` sets are found, and that both engines have the same
  /// results.
  void expectFound(const std::string &body, size_t count) {
    OwningOpRef<ModuleOp> module = getProgram(kShape, body);
    ASSERT_TRUE(module);
    EXPECT_EQ(find(*module).size(), count);
    expectSameRuns(*module);
  }

  const std::string p = getVariable("p", "p"), q = getVariable("q", "q"),
                    y = getVariable("y", "y"), z = getVariable("z", "y");
  /// The steps that multiply, move the partial sums and add them up.
  const std::string plain = p + compute(multiply("x", "w", "p")) + q +
                            exchange(move("p", "p", "q", "q")) +
                            erase("p", "p") + y + compute(add("q", "y")) +
                            erase("q", "q") + store("y", "y", "y");
};
} // namespace

TEST_F(FusedSumsTest, KeepsPartialSumsInRegisters) {
  OwningOpRef<ModuleOp> module = getProgram(kShape, plain);
  ASSERT_TRUE(module);
  std::vector<FusedSets> found = find(*module);
  ASSERT_EQ(found.size(), 1u);
  const FusedSets &sets = found.front();
  // The scratch memory has the partial sums of all blocks.
  EXPECT_EQ(sets.scratchBytes, 5 * 64 * 256 * 4);
  ASSERT_EQ(sets.groups.size(), 2u);
  EXPECT_EQ(sets.groups[0].scratch, (SmallVector<int64_t>{-1, -1, 0}));
  EXPECT_EQ(sets.groups[1].scratch, (SmallVector<int64_t>{0, -1}));
  ASSERT_EQ(sets.merged.size(), 1u);
  EXPECT_EQ(sets.merged[0].getNumRows(), 1u);
  // A row has the regions of x, w, p and y, which are the whole variables.
  EXPECT_EQ(sets.merged[0].table,
            (std::vector<int64_t>{0, 5,  64,  9,   64 * 9,   9,   1, //
                                  0, 5,  9,   256, 9 * 256,  256, 1, //
                                  0, 5,  64,  256, 64 * 256, 256, 1, //
                                  0, 64, 256, 256, 1}));
  expectSameRuns(*module);
}

TEST_F(FusedSumsTest, DividesColumnsBetweenThreads) {
  OwningOpRef<ModuleOp> module = getProgram(kShape, plain);
  ASSERT_TRUE(module);
  std::vector<FusedSets> found = find(*module, /*threads=*/2);
  ASSERT_EQ(found.size(), 1u);
  const MergedGroups &merged = found[0].merged.front();
  ASSERT_EQ(merged.getNumRows(), 2u);
  EXPECT_EQ(merged.firstRows, (std::vector<int64_t>{0, 1, 2}));
  // The second part of y begins in the middle of a row.
  ArrayRef<int64_t> second = ArrayRef(merged.table).take_back(5);
  EXPECT_EQ(second, ArrayRef<int64_t>({128, 64, 128, 256, 1}));
  expectSameRuns(*module, /*threads=*/2);
}

TEST_F(FusedSumsTest, RunsPairsOfOneSet) {
  // The sums and the vertices that compute their addends have different orders.
  std::string body =
      p + q + compute(multiply("x", "w", "p") + multiply("x", "w", "q")) + y +
      z + compute(add("q", "z") + add("p", "y")) + erase("p", "p") +
      erase("q", "q") + store("y", "y", "y") + store("z", "y", "z");
  expectFound(body, 1);
}

TEST_F(FusedSumsTest, KeepsPartialSumsThatAreReadLater) {
  std::string compute1 = p + compute(multiply("x", "w", "p")) + y;
  expectFound(compute1 + compute(add("p", "y")) + store("y", "y", "y") +
                  store("p", "p", "p"),
              0);
  // Partial sums are also read by another name.
  expectFound(compute1 + q + exchange(move("p", "p", "q", "q")) +
                  compute(add("p", "y")) + erase("p", "p") +
                  store("y", "y", "y") + store("q", "p", "p"),
              0);
}

TEST_F(FusedSumsTest, KeepsInputsThatAreWrittenMeanwhile) {
  std::string body =
      getVariable("v", "x", "copies") + exchange(move("a", "a", "v", "x")) + p +
      compute(multiply("v", "w", "p")) + y + q +
      exchange(move("p", "p", "q", "q") + move("a", "a", "v", "x")) +
      erase("p", "p") + compute(add("q", "y")) + erase("q", "q") +
      store("y", "y", "y");
  expectFound(body, 0);
}

TEST_F(FusedSumsTest, KeepsPartialSumsThatAreReplaced) {
  std::string body =
      p + compute(multiply("x", "w", "p")) + y + q + getVariable("v", "p") +
      compute(multiply("x", "w", "v")) + exchange(move("v", "p", "q", "q")) +
      erase("v", "p") + exchange(move("p", "p", "q", "q")) + erase("p", "p") +
      compute(add("q", "y")) + erase("q", "q") + store("y", "y", "y");
  expectFound(body, 0);
}

TEST_F(FusedSumsTest, KeepsLongChains) {
  OwningOpRef<ModuleOp> module = getProgram({2, 64, 2049, 600, 64}, plain);
  ASSERT_TRUE(module);
  EXPECT_TRUE(find(*module).empty());
}

/// The sizes have remainders of 1 and n - 1 with respect to tiles, vectors and
/// regions.
TEST_F(FusedSumsTest, HasTheBitsOfTheInterpreter) {
  const Shape shapes[] = {
      {5, 9, 9, 1500, 400}, {3, 127, 8, 191, 191}, {33, 15, 11, 145, 29},
      {500, 8, 2, 17, 5},   {65, 512, 3, 2, 1},    {2, 2049, 9, 17, 16},
      {129, 9, 8, 63, 31},  {8, 8, 40, 1025, 17},
  };
  for (const Shape &shape : shapes) {
    SCOPED_TRACE(testing::Message()
                 << shape.blocks << " x " << shape.rows << " x " << shape.chain
                 << " x " << shape.columns);
    OwningOpRef<ModuleOp> module = getProgram(shape, plain);
    ASSERT_TRUE(module);
    // Small programs fit in a cache and are not fused.
    bool isLarge = shape.blocks * shape.rows * shape.columns >= 1 << 16;
    EXPECT_EQ(find(*module).size(), isLarge ? 1u : 0u);
    expectSameRuns(*module);
  }
  usesNumbers = false;
  OwningOpRef<ModuleOp> module = getProgram(kShape, plain);
  expectSameRuns(*module);
}

TEST_F(FusedSumsTest, JoinsShorterLastBlocks) {
  // Blocks of 9 addends, the last of which has 4, on tiles of 2 blocks.
  OwningOpRef<ModuleOp> module =
      getProgram({5, 64, 9, 256, 64, /*missing=*/5, /*blockStep=*/2}, plain);
  ASSERT_TRUE(module);
  std::vector<FusedSets> found = find(*module);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].merged.size(), 1u);
  // A row has the regions of x, w and p for four blocks of 9, those for the
  // block of 4, and that of y.
  EXPECT_EQ(found[0].merged[0].table,
            (std::vector<int64_t>{0,         64, 4,   9,   40,       9,   1, //
                                  0,         4,  9,   256, 9 * 256,  256, 1, //
                                  0,         4,  64,  256, 64 * 256, 256, 1, //
                                  36,        64, 1,   4,   40,       9,   1, //
                                  36 * 256,  1,  4,   256, 9 * 256,  256, 1, //
                                  4 * 16384, 1,  64,  256, 64 * 256, 256, 1, //
                                  0,         64, 256, 256, 1}));
  expectSameRuns(*module);
  expectSameRuns(*module, /*threads=*/2);
}

TEST_F(FusedSumsTest, HasTheBitsOfTheInterpreterWithShorterLastBlocks) {
  const Shape shapes[] = {
      {2, 64, 9, 600, 64, 8, 1},   {5, 9, 9, 1500, 400, 1, 2},
      {33, 15, 11, 145, 29, 3, 8}, {7, 127, 8, 191, 191, 7, 3},
      {3, 9, 8, 63, 31, 4, 1},
  };
  for (const Shape &shape : shapes) {
    SCOPED_TRACE(testing::Message()
                 << shape.blocks << " x " << shape.rows << " x " << shape.chain
                 << " x " << shape.columns);
    OwningOpRef<ModuleOp> module = getProgram(shape, plain);
    ASSERT_TRUE(module);
    bool isLarge = shape.blocks * shape.rows * shape.columns >= 1 << 16;
    EXPECT_EQ(find(*module).size(), isLarge ? 1u : 0u);
    expectSameRuns(*module);
    expectSameRuns(*module, /*threads=*/2);
  }
}

TEST_F(FusedSumsTest, KnowsFormsOfLoops) {
  const std::pair<std::string, std::string> changes[] = {
      // The size of a block is computed in another way.
      {"arith.minsi %rest, %block", "arith.minsi %block, %rest"},
      // The number of addends may be read from either input.
      {"memref.dim %x, %c1 : !b2", "memref.dim %w, %c0 : !b2"},
  };
  for (const auto &each : changes) {
    SCOPED_TRACE(each.second);
    change = each;
    OwningOpRef<ModuleOp> module =
        getProgram({5, 64, 9, 256, 64, /*missing=*/5, /*blockStep=*/2}, plain);
    ASSERT_TRUE(module);
    EXPECT_EQ(find(*module).size(),
              each.second == "memref.dim %w, %c0 : !b2" ? 1u : 0u);
    expectSameRuns(*module);
  }
}
