//===- FusedSetsTest.cpp - Compute sets that run block by block -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/FusedSets.h"
#include "ProgramTestUtils.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Programs on matrices of 64 x 1024 elements (256 KiB) on 16 tiles, and on
/// vectors with an element for each row or column.
class FusedSetsTest : public ProgramTest {
protected:
  /// Returns a program that loads a, r and c, runs `body`, and stores `result`.
  OwningOpRef<ModuleOp> getProgram(const std::string &body,
                                   const std::string &result = "y") {
    return parse(R"mlir(
      #m = #ipu.map<[64, 1024], grid = [16], blocks = [p0 * 4 : 4, all]>
      #r = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
      #c = #ipu.map<[1024], grid = [16], blocks = [p0 * 64 : 64]>
      #mc = #ipu.map<[64, 1024], grid = [16], blocks = [all, p0 * 64 : 64]>
      #all = #ipu.map<[1024], grid = [16], blocks = [all]>
      #h = #ipu.map<[64, 512], grid = [16], blocks = [p0 * 4 : 4, all]>
      !m = memref<64x1024xf32, #m>
      !h = memref<64x512xf32, #h>
      !r = memref<64xf32, #r>
      !c = memref<1024xf32, #c>
      !mc = memref<64x1024xf32, #mc>
      !all = memref<1024xf32, #all>
      !b = memref<?x?xf32, strided<[?, 1], offset: ?>>
      !v = memref<?xf32, strided<[1], offset: ?>>
      #id = affine_map<(i, j) -> (i, j)>
      #i = affine_map<(i, j) -> (i)>
      #j = affine_map<(i, j) -> (j)>
      module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
)mlir" + getAddCodelet("add", "!b", "#id") +
                 getAddCodelet("addRow", "!v", "#i") +
                 getAddCodelet("addColumn", "!v", "#j") + getSumCodelet(16) +
                 R"mlir(
        ipu.codelet @rows(%x : !b, %y : !v) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %n = memref.dim %x, %c0 : !b
          %k = memref.dim %x, %c1 : !b
          scf.for %i = %c0 to %n step %c1 {
            %s = scf.for %j = %c0 to %k step %c1 iter_args(%t = %zero) -> f32 {
              %p = memref.load %x[%i, %j] : !b
              %u = arith.addf %t, %p : f32
              scf.yield %u : f32
            }
            memref.store %s, %y[%i] : !v
          }
        }
        ipu.codelet @columns(%x : !b, %y : !v) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %zero = arith.constant 0.0 : f32
          linalg.fill ins(%zero : f32) outs(%y : !v)
          linalg.generic {indexing_maps = [#id, #j], iterator_types = ["reduction", "parallel"]}
              ins(%x : !b) outs(%y : !v) {
          ^bb0(%p: f32, %o: f32):
            %s = arith.addf %o, %p : f32
            linalg.yield %s : f32
          }
        }
        // Fails if an element of `y` is not the number of a row.
        ipu.codelet @pick(%x : !b, %y : !v, %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = memref.dim %x, %c0 : !b
          %k = memref.dim %x, %c1 : !b
          scf.for %i = %c0 to %n step %c1 {
            %f = memref.load %y[%i] : !v
            %w = arith.fptosi %f : f32 to i32
            %r = arith.index_cast %w : i32 to index
            scf.for %j = %c0 to %k step %c1 {
              %p = memref.load %x[%r, %j] : !b
              memref.store %p, %z[%i, %j] : !b
            }
          }
        }
        ipu.stream @a host_to_device : tensor<64x1024xf32>
        ipu.stream @r host_to_device : tensor<64xf32>
        ipu.stream @c host_to_device : tensor<1024xf32>
        ipu.stream @y device_to_host : tensor<64x1024xf32>
        func.func @main() {
          %a = ipu.var "a" : !m
          %r = ipu.var "r" : !r
          %c = ipu.var "c" : !c
          ipu.host_load @a to %a : !m)mlir" +
                 getCost() + "ipu.host_load @r to %r : !r" + getCost() +
                 "ipu.host_load @c to %c : !c" + getCost() + body +
                 "ipu.host_store %" + result + " to @y : !m" + getCost() +
                 "return\n}\n}\n");
  }
  /// Returns a codelet that adds to each element of a matrix the element of an
  /// operand of `type` that `map` selects.
  static std::string getAddCodelet(const std::string &name,
                                   const std::string &type,
                                   const std::string &map) {
    return "ipu.codelet @" + name + "(%x : !b, %y : " + type +
           ", %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, "
           "cycles = 1, per = 1> {\n"
           "linalg.generic {indexing_maps = [#id, " +
           map + ", #id], " +
           R"mlir(iterator_types = ["parallel", "parallel"]}
              ins(%x, %y : !b, )mlir" +
           type + R"mlir() outs(%z : !b) {
          ^bb0(%p: f32, %q: f32, %o: f32):
            %s = arith.addf %p, %q : f32
            linalg.yield %s : f32
          }
        }
)mlir";
  }
  /// Returns a codelet that adds an element of one matrix to an element of
  /// another matrix `times` times.
  static std::string getSumCodelet(unsigned times) {
    std::string ops;
    for (unsigned i = 0; i < times; ++i)
      ops += "%s" + std::to_string(i + 1) + " = arith.addf %s" +
             std::to_string(i) + ", %q : f32\n";
    return R"mlir(
        ipu.codelet @sum(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
              ins(%x, %y : !b, !b) outs(%z : !b) {
          ^bb0(%s0: f32, %q: f32, %o: f32):
)mlir" + ops +
           "linalg.yield %s" + std::to_string(times) + " : f32\n}\n}\n";
  }
  static std::string declare(const std::string &name, const std::string &type,
                             const std::string &more = "") {
    return "%" + name + " = ipu.var \"" + name + "\" " + more + ": !" + type +
           "\n";
  }
  /// Returns a compute set. Each tile mapping has the same name as its type.
  static std::string compute(const std::string &codelet,
                             ArrayRef<std::pair<std::string, std::string>> ins,
                             const std::string &out, const std::string &type) {
    std::string names, types, maps;
    for (const auto &[name, inType] : ins) {
      names += (names.empty() ? "%" : ", %") + name;
      types += (types.empty() ? "!" : ", !") + inType;
      maps += "#" + inType + ", ";
    }
    return "ipu.compute_set \"" + codelet + "\" {\nipu.vertices @" + codelet +
           " ins(" + names + " : " + types + ") outs(%" + out + " : !" + type +
           ") access [" + maps + "#" + type + "]\n}" + getCost();
  }
  static std::string move(const std::string &from, const std::string &type,
                          const std::string &to, const std::string &toType) {
    return "ipu.exchange \"e\" {\nipu.move %" + from + " to %" + to + " : !" +
           type + " to !" + toType + "\n}" + getCost();
  }

  struct Found {
    OwningOpRef<ModuleOp> module;
    std::unique_ptr<Program> program;
    /// The sets in program order.
    std::vector<FusedSets> sets;
  };
  Found find(const std::string &body, const std::string &result = "y") {
    Found found;
    found.module = getProgram(body, result);
    EXPECT_TRUE(found.module);
    if (!found.module)
      return found;
    FailureOr<Program> program = readProgram(*found.module, "main");
    EXPECT_TRUE(succeeded(program));
    if (failed(program))
      return found;
    found.program = std::make_unique<Program>(std::move(*program));
    FusedSetsMap map = findFusedSets(*found.program, options);
    for (const ProgramNode &node : found.program->body.nodes) {
      auto *it = map.find(&node);
      if (it != map.end())
        found.sets.push_back(it->second);
    }
    for (const FusedSets &sets : found.sets)
      expectInBlocks(*found.program, sets);
    return found;
  }

  /// Expects that all elements of outputs are written once, each in its block.
  static void expectInBlocks(const Program &program, const FusedSets &sets) {
    for (const FusedGroup &fused : sets.groups) {
      const VertexGroup &group = *fused.group;
      ASSERT_EQ(fused.firstRows.size(), sets.cuts.size());
      auto output = group.variables.size() - 1;
      const ProgramVariable &variable =
          program.variables[group.variables[output]];
      int64_t size = variable.type.getNumElements() / sets.cuts.back();
      int64_t rank = variable.type.getRank();
      int64_t column = group.rowSize - 1 - 2 * rank, written = 0;
      for (size_t block = 0; block < sets.getNumBlocks(); ++block)
        for (int64_t row = fused.firstRows[block];
             row < fused.firstRows[block + 1]; ++row) {
          const int64_t *region = &fused.table[row * group.rowSize + column];
          int64_t start = region[0], elements = 1, reach = 1;
          if (fused.scratch[output] >= 0)
            start += sets.cuts[block] * size;
          for (int64_t dim = 0; dim < rank; ++dim) {
            elements *= region[1 + dim];
            reach += (region[1 + dim] - 1) * region[1 + rank + dim];
          }
          EXPECT_GE(start, sets.cuts[block] * size);
          EXPECT_LE(start + reach, sets.cuts[block + 1] * size);
          written += elements;
        }
      EXPECT_EQ(written, variable.type.getNumElements());
    }
  }

  /// Expects that both engines have equal results, on 1 and 3 threads.
  void expectSameRuns(const std::string &body,
                      const std::string &result = "y") {
    OwningOpRef<ModuleOp> module = getProgram(body, result);
    ASSERT_TRUE(module);
    FailureOr<ExecuteResult> expected = run(*module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(expected));
    for (unsigned threads : {1, 3}) {
      FailureOr<ExecuteResult> actual = run(*module, EngineKind::Jit, threads);
      ASSERT_TRUE(succeeded(actual));
      expectSame(*expected, *actual);
    }
  }

  /// Expects that both engines report the same fault, and that the message
  /// contains `text`.
  void expectSameFaults(ModuleOp module, StringRef text) {
    auto getMessage = [&](EngineKind engine, unsigned threads) {
      std::string message;
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        llvm::raw_string_ostream(message)
            << diagnostic.getLocation() << diagnostic << '\n';
        return success();
      });
      EXPECT_TRUE(failed(run(module, engine, threads)));
      return message;
    };
    std::string expected = getMessage(EngineKind::Interp, 1);
    EXPECT_NE(expected.find(text.str()), std::string::npos) << expected;
    for (unsigned threads : {1, 3})
      EXPECT_EQ(getMessage(EngineKind::Jit, threads), expected);
  }

  const std::string x = declare("x", "m"), s = declare("s", "r"),
                    y = declare("y", "m"), z = declare("z", "m");
  /// In a block, each matrix has 32 KiB.
  FusedSetsOptions options{1 << 16, 0};
};
} // namespace

TEST_F(FusedSetsTest, ReducesRowsAndBroadcastsBack) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     s + compute("rows", {{"x", "m"}}, "s", "r") + y +
                     compute("addRow", {{"x", "m"}, {"s", "r"}}, "y", "m") +
                     "ipu.write_undef %x : !m\nipu.write_undef %s : !r\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  const FusedSets &sets = found.sets.front();
  ASSERT_EQ(sets.groups.size(), 3u);
  EXPECT_EQ(sets.cuts.back(), 64);
  EXPECT_EQ(sets.getNumBlocks(), 8u);
  // x is in scratch memory, but variables that the host reads are not. s is not
  // in scratch memory, because loops define it, and loops are not analysed.
  EXPECT_EQ(sets.groups[0].scratch, (SmallVector<int64_t>{-1, -1, 0}));
  EXPECT_EQ(sets.groups[1].scratch, (SmallVector<int64_t>{0, -1}));
  EXPECT_EQ(sets.groups[2].scratch, (SmallVector<int64_t>{0, -1, -1}));
  EXPECT_EQ(sets.scratchBytes, 8 * 4096);
  ASSERT_EQ(sets.scans.size(), 1u);
  EXPECT_EQ(sets.scans[0].elementsOfPosition, 1024);
  // The rows of reductions remain the rows of vertices.
  EXPECT_EQ(sets.groups[1].vertices.size(), 16u);
  EXPECT_TRUE(sets.groups[0].vertices.empty());
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, KeepsWhatIsReadLater) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     y + compute("add", {{"x", "m"}, {"a", "m"}}, "y", "m");
  Found found = find(body, "x");
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].scratchBytes, 0);
  expectSameRuns(body, "x");
}

TEST_F(FusedSetsTest, SharesScratchMemory) {
  options.maxMerged = 1;
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("w", "m") +
                     compute("add", {{"x", "m"}, {"x", "m"}}, "w", "m") +
                     "ipu.write_undef %x : !m\n" + z +
                     compute("add", {{"w", "m"}, {"a", "m"}}, "z", "m") + y +
                     compute("add", {{"z", "m"}, {"w", "m"}}, "y", "m") +
                     "ipu.write_undef %z : !m\nipu.write_undef %w : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  const FusedSets &sets = found.sets.front();
  ASSERT_EQ(sets.groups.size(), 4u);
  // z has the scratch memory of x.
  EXPECT_EQ(sets.groups[0].scratch[2], sets.groups[2].scratch[2]);
  EXPECT_NE(sets.groups[0].scratch[2], sets.groups[1].scratch[2]);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, FollowsMovesOfAll) {
  options.maxMerged = 1;
  // w is another name for the memory of x. x is written again while its old
  // value is still read.
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("w", "m") + move("x", "m", "w", "m") +
                     compute("add", {{"w", "m"}, {"a", "m"}}, "x", "m") + y +
                     compute("add", {{"x", "m"}, {"w", "m"}}, "y", "m") +
                     "ipu.write_undef %x : !m\nipu.write_undef %w : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  const FusedSets &sets = found.sets.front();
  ASSERT_EQ(sets.groups.size(), 3u);
  EXPECT_EQ(sets.groups[0].scratch[2], sets.groups[1].scratch[0]);
  EXPECT_NE(sets.groups[1].scratch[2], sets.groups[1].scratch[0]);
  EXPECT_TRUE(sets.groups[1].renews[2]);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, MergesElementwiseGroups) {
  // x stays in a register. w does not, because the sums of rows read it.
  std::string body =
      x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
      declare("w", "m") +
      compute("addColumn", {{"x", "m"}, {"d", "all"}}, "w", "m") + s +
      compute("rows", {{"w", "m"}}, "s", "r") + z +
      compute("addRow", {{"w", "m"}, {"s", "r"}}, "z", "m") + y +
      compute("add", {{"a", "m"}, {"z", "m"}}, "y", "m") +
      "ipu.write_undef %x : !m\nipu.write_undef %w : !m\n"
      "ipu.write_undef %z : !m\n";
  body = declare("d", "all", "copies ") + move("c", "c", "d", "all") + body;
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  const FusedSets &sets = found.sets.front();
  ASSERT_EQ(sets.groups.size(), 5u);
  ASSERT_EQ(sets.merged.size(), 2u);
  using Operands = SmallVector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(sets.merged[0].begin, 0u);
  EXPECT_EQ(sets.merged[0].end, 2u);
  EXPECT_EQ(sets.merged[0].operands, (Operands{{0, 0}, {1, 1}, {1, 2}}));
  EXPECT_EQ(sets.merged[1].begin, 3u);
  EXPECT_EQ(sets.merged[1].end, 5u);
  EXPECT_EQ(sets.merged[1].operands,
            (Operands{{3, 0}, {3, 1}, {4, 0}, {4, 2}}));
  // Only w needs scratch memory.
  EXPECT_EQ(sets.scratchBytes,
            (sets.cuts[1] - sets.cuts[0]) * int64_t(1024 * sizeof(float)));
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, MergesWhatIsReadLaterToo) {
  // Both later groups read x. x and w are written, because their live ranges do
  // not end in the set.
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("w", "m") +
                     compute("add", {{"x", "m"}, {"a", "m"}}, "w", "m") + y +
                     compute("add", {{"x", "m"}, {"w", "m"}}, "y", "m");
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  ASSERT_EQ(found.sets[0].merged.size(), 1u);
  using Operands = SmallVector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(found.sets[0].merged[0].operands,
            (Operands{{0, 0}, {0, 2}, {1, 2}, {2, 2}}));
  expectSameRuns(body);
  expectSameRuns(body, "x");
  expectSameRuns(body, "w");
}

TEST_F(FusedSetsTest, FetchesWhatIsNeededNext) {
  // While w is computed, a of the next block, which an earlier group reads, and
  // y of the same block, which a later group writes, are fetched. x and w are
  // in a cache or in registers.
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("w", "m") +
                     compute("sum", {{"x", "m"}, {"a", "m"}}, "w", "m") + s +
                     compute("rows", {{"w", "m"}}, "s", "r") + y +
                     compute("addRow", {{"w", "m"}, {"s", "r"}}, "y", "m") +
                     "ipu.write_undef %x : !m\nipu.write_undef %w : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  const FusedSets &sets = found.sets.front();
  ASSERT_EQ(sets.merged.size(), 1u);
  const MergedGroups &merged = sets.merged.front();
  using Operands = SmallVector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(merged.operands, (Operands{{0, 0}, {1, 2}, {0, 0}, {3, 2}}));
  int64_t columns = 5;
  ASSERT_EQ(merged.group->rowSize, 4 * columns);
  for (size_t block = 0; block < sets.getNumBlocks(); ++block) {
    ArrayRef<int64_t> row =
        ArrayRef(merged.table).slice(merged.firstRows[block] * 4 * columns);
    size_t next = std::min(block + 1, sets.getNumBlocks() - 1);
    EXPECT_EQ(row[2 * columns], sets.cuts[next] * 1024);
    EXPECT_EQ(row[3 * columns], sets.cuts[block] * 1024);
  }
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, FetchesNothingOfCopiesAfterTheLastGroup) {
  // a and y of the next block are fetched. r, which is copied at the end,
  // belongs to no group.
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     y + compute("sum", {{"x", "m"}, {"a", "m"}}, "y", "m") +
                     declare("v", "r") + move("r", "r", "v", "r") +
                     "ipu.write_undef %x : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  ASSERT_EQ(found.sets.front().merged.size(), 1u);
  using Operands = SmallVector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(found.sets.front().merged.front().operands,
            (Operands{{0, 0}, {1, 2}, {0, 0}, {1, 2}}));
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, MergesNoUpdatesInPlace) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     compute("add", {{"a", "m"}, {"x", "m"}}, "a", "m") + y +
                     compute("add", {{"a", "m"}, {"x", "m"}}, "y", "m") +
                     "ipu.write_undef %x : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].groups.size(), 3u);
  EXPECT_TRUE(found.sets[0].merged.empty());
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, UpdatesInPlace) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     compute("add", {{"x", "m"}, {"a", "m"}}, "x", "m") +
                     compute("add", {{"a", "m"}, {"x", "m"}}, "a", "m") + y +
                     compute("add", {{"a", "m"}, {"x", "m"}}, "y", "m") +
                     "ipu.write_undef %x : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].groups.size(), 4u);
  EXPECT_EQ(found.sets[0].groups[2].scratch, (SmallVector<int64_t>{-1, 0, -1}));
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, RefusesToWriteInPlaceWhatIsSharedInTheRange) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("w", "m") + move("x", "m", "w", "m") +
                     compute("add", {{"x", "m"}, {"a", "m"}}, "x", "m") + y +
                     compute("add", {{"x", "m"}, {"w", "m"}}, "y", "m");
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  // The set contains the last two groups.
  EXPECT_EQ(found.sets[0].groups.size(), 2u);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, ReadsTheSameInEachBlock) {
  std::string body =
      x + declare("d", "all", "copies ") + move("c", "c", "d", "all") +
      compute("addColumn", {{"a", "m"}, {"d", "all"}}, "x", "m") + y +
      compute("add", {{"x", "m"}, {"a", "m"}}, "y", "m") +
      "ipu.write_undef %x : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].groups.size(), 2u);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, EndsAtReductionsOverBlocks) {
  // Each sum reads all blocks of x.
  std::string body =
      x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
      declare("w", "mc") + move("x", "m", "w", "mc") + declare("t", "c") +
      compute("columns", {{"w", "mc"}}, "t", "c") +
      declare("d", "all", "copies ") + move("t", "c", "d", "all") + y +
      compute("addColumn", {{"x", "m"}, {"d", "all"}}, "y", "m");
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  ASSERT_EQ(found.sets[0].groups.size(), 1u);
  EXPECT_EQ(found.sets[0].scans.size(), 1u);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, ReadsAnythingInABlock) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     z + compute("pick", {{"x", "m"}, {"r", "r"}}, "z", "m") +
                     y + compute("add", {{"x", "m"}, {"z", "m"}}, "y", "m");
  inputs["r"] = std::vector<char>(64 * 4);
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  // A vertex reads only elements of its own block.
  EXPECT_EQ(found.sets[0].groups.size(), 3u);
  expectSameRuns(body);
}

TEST_F(FusedSetsTest, LeavesSmallSetsAlone) {
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     y + compute("add", {{"x", "m"}, {"a", "m"}}, "y", "m");
  options.leastBytes = 1 << 20;
  EXPECT_TRUE(find(body).sets.empty());
  options = {1 << 20, 0};
  EXPECT_TRUE(find(body).sets.empty());
}

TEST_F(FusedSetsTest, FindsTheFirstFaultOfTheProgram) {
  // The first vertices of the last compute set fail in the first block. Late
  // vertices of an earlier compute set fail in the last block.
  std::string body = x + compute("pick", {{"a", "m"}, {"r", "r"}}, "x", "m") +
                     s + compute("rows", {{"a", "m"}}, "s", "r") + y +
                     compute("pick", {{"x", "m"}, {"s", "r"}}, "y", "m") +
                     "ipu.write_undef %x : !m\n";
  std::vector<float> rows(64, 0), matrix(64 * 1024, 1);
  rows[50] = 77;
  rows[58] = 99;
  auto getBytes = [](const std::vector<float> &values) {
    std::vector<char> bytes(values.size() * 4);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  };
  inputs["r"] = getBytes(rows);
  inputs["a"] = getBytes(matrix);
  ASSERT_EQ(find(body).sets.size(), 1u);
  OwningOpRef<ModuleOp> module = getProgram(body);
  expectSameFaults(*module, "on tile 12 of replica 0");
  // Without the fault of the earlier set, the fault of the last set is
  // reported.
  inputs["r"] = std::vector<char>(64 * 4);
  expectSameFaults(*module, "on tile 0 of replica 0");
}

TEST_F(FusedSetsTest, FindsFaultsOfSizes) {
  // The fault is in vertices that are joined and split. The operand has too few
  // columns.
  std::string body = x + compute("add", {{"a", "m"}, {"a", "m"}}, "x", "m") +
                     declare("h", "h") + z +
                     compute("add", {{"x", "m"}, {"h", "h"}}, "z", "m") + y +
                     compute("add", {{"x", "m"}, {"z", "m"}}, "y", "m") +
                     "ipu.write_undef %x : !m\n";
  Found found = find(body);
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].groups.size(), 3u);
  // Groups with faults are not merged.
  EXPECT_TRUE(found.sets[0].merged.empty());
  expectSameFaults(*getProgram(body), "on tile 0 of replica 0");
}

TEST_F(FusedSetsTest, MovesOfAllAndTransfersMoveNothing) {
  // Elements move from the host through two variables on other tiles to the
  // host.
  OwningOpRef<ModuleOp> module =
      getProgram(declare("w", "mc") + move("a", "m", "w", "mc") + y +
                 move("w", "mc", "y", "m"));
  ASSERT_TRUE(module);
  for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit}) {
    std::map<std::string, HostBytes> given;
    ExecuteOptions options;
    options.engine = engine;
    options.threads = 1;
    options.input = [&](StringRef name, RankedTensorType type) {
      HostTensor tensor{type, HostBytes(*getTensorBytes(type))};
      given[name.str()] = tensor.data;
      return FailureOr<HostTensor>(std::move(tensor));
    };
    FailureOr<ExecuteResult> result = execute(*module, options);
    ASSERT_TRUE(succeeded(result));
    const HostBytes &output = result->outputs.front().tensor.data;
    EXPECT_EQ(output.data(), std::as_const(given["a"]).data());
  }
}
