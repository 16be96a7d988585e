//===- ReadInPlaceTest.cpp - Contractions that read views -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/ReadInPlace.h"
#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// x, of 40 x 3 x 17, is the transposition of a, of 3 x 40 x 17, on 4 tiles of
/// 10 rows each. y, of 40 x 33, is the sum of products of x and w, of 33 x 3 x
/// 17. Each tile has a copy of w.
class ReadInPlaceTest : public ProgramTest {
protected:
  ReadInPlaceTest() { usesNumbers = true; }

  static std::string move(const std::string &from, const std::string &fromType,
                          const std::string &to, const std::string &toType) {
    return "ipu.exchange \"e\" {\nipu.move %" + from + " to %" + to + " : !" +
           fromType + " to !" + toType + "\n}" + getCost();
  }
  static std::string compute(const std::string &vertices) {
    return "ipu.compute_set \"c\" {\nipu.vertices " + vertices + "\n}" +
           getCost();
  }
  static std::string erase(const std::string &name, const std::string &type) {
    return "ipu.write_undef %" + name + " : !" + type + "\n";
  }
  static std::string store(const std::string &name, const std::string &type,
                           const std::string &stream) {
    return "ipu.host_store %" + name + " to @" + stream + " : !" + type +
           getCost();
  }

  /// Returns a program that loads a and w, runs `body`, and stores y.
  OwningOpRef<ModuleOp> getProgram(const std::string &body) {
    return parse(R"mlir(
      #a = #ipu.map<[3, 40, 17], grid = [1], blocks = [all, all, all]>
      #x = #ipu.map<[40, 3, 17], grid = [4], blocks = [p0 * 10 : 10, all, all]>
      #r = #ipu.map<[40, 17, 3], grid = [4], blocks = [p0 * 10 : 10, all, all]>
      #o = #ipu.map<[33, 3, 17], grid = [1], blocks = [all, all, all]>
      #w = #ipu.map<[33, 3, 17], grid = [4], blocks = [all, all, all]>
      #y = #ipu.map<[40, 33], grid = [4], blocks = [p0 * 10 : 10, all]>
      !a = memref<3x40x17xf32, #a>
      !v = memref<40x3x17xf32, strided<[17, 680, 1]>, #a>
      !u = memref<40x17x3xf32, strided<[17, 1, 680]>, #a>
      !x = memref<40x3x17xf32, #x>
      !r = memref<40x17x3xf32, #r>
      !o = memref<33x3x17xf32, #o>
      !w = memref<33x3x17xf32, #w>
      !y = memref<40x33xf32, #y>
      !b3 = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
      !b2 = memref<?x?xf32, strided<[?, 1], offset: ?>>
      module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
        ipu.codelet @multiply(%x : !b3, %w : !b3, %y : !b2) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %zero = arith.constant 0.0 : f32
          linalg.fill ins(%zero : f32) outs(%y : !b2)
          linalg.generic {indexing_maps = [affine_map<(i, j, b, k) -> (i, b, k)>,
                                           affine_map<(i, j, b, k) -> (j, b, k)>,
                                           affine_map<(i, j, b, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
              ins(%x, %w : !b3, !b3) outs(%y : !b2) {
          ^bb0(%l: f32, %r: f32, %o: f32):
            %s = math.fma %l, %r, %o : f32
            linalg.yield %s : f32
          }
        }
        ipu.codelet @turned(%x : !b3, %w : !b3, %y : !b2) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %zero = arith.constant 0.0 : f32
          linalg.fill ins(%zero : f32) outs(%y : !b2)
          linalg.generic {indexing_maps = [affine_map<(i, j, b, k) -> (i, k, b)>,
                                           affine_map<(i, j, b, k) -> (j, b, k)>,
                                           affine_map<(i, j, b, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
              ins(%x, %w : !b3, !b3) outs(%y : !b2) {
          ^bb0(%l: f32, %r: f32, %o: f32):
            %s = math.fma %l, %r, %o : f32
            linalg.yield %s : f32
          }
        }
        ipu.codelet @negate(%x : !b3, %y : !b3) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          linalg.generic {indexing_maps = [affine_map<(i, b, k) -> (i, b, k)>,
                                           affine_map<(i, b, k) -> (i, b, k)>],
                          iterator_types = ["parallel", "parallel", "parallel"]}
              ins(%x : !b3) outs(%y : !b3) {
          ^bb0(%l: f32, %o: f32):
            %s = arith.negf %l : f32
            linalg.yield %s : f32
          }
        }
        ipu.stream @a host_to_device : tensor<3x40x17xf32>
        ipu.stream @w host_to_device : tensor<33x3x17xf32>
        ipu.stream @y device_to_host : tensor<40x33xf32>
        ipu.stream @x device_to_host : tensor<40x3x17xf32>
        func.func @main() {
          %a = ipu.var "a" : !a
          %x = ipu.var "x" : !x
          %z = ipu.var "z" : !x
          %r = ipu.var "r" : !r
          %o = ipu.var "o" : !o
          %w = ipu.var "w" copies : !w
          %y = ipu.var "y" : !y
          %v = memref.reinterpret_cast %a to offset: [0], sizes: [40, 3, 17], strides: [17, 680, 1] : !a to !v
          %u = memref.reinterpret_cast %a to offset: [0], sizes: [40, 17, 3], strides: [17, 1, 680] : !a to !u
          ipu.host_load @a to %a : !a )mlir" +
                 getCost() + "ipu.host_load @w to %o : !o" + getCost() +
                 move("o", "o", "w", "w") + body + store("y", "y", "y") +
                 "return\n}\n}\n");
  }

  /// Returns the number of moves of `body` that remain after readInPlace().
  /// Sets `program` to the resulting program.
  size_t countMoves(ModuleOp module, FailureOr<Program> &program) {
    program = readProgram(module, "main");
    EXPECT_TRUE(succeeded(program));
    readInPlace(*program);
    size_t count = 0;
    for (const ProgramNode &node : program->body.nodes)
      if (const auto *exchange = std::get_if<ExchangeNode>(&node))
        count += exchange->moves.size();
    // One move copies w.
    return count - 1;
  }
  /// Expects that `count` moves remain, and that compiled runs have the results
  /// of the interpreter.
  void expectMoves(const std::string &body, size_t count) {
    OwningOpRef<ModuleOp> module = getProgram(body);
    ASSERT_TRUE(module);
    FailureOr<Program> program = failure();
    EXPECT_EQ(countMoves(*module, program), count);
    FailureOr<ExecuteResult> expected = run(*module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(expected));
    FailureOr<ExecuteResult> actual = run(*module, EngineKind::Jit);
    ASSERT_TRUE(succeeded(actual));
    expectSame(*expected, *actual);
  }

  const std::string copy = move("v", "v", "x", "x");
  const std::string multiply =
      compute("@multiply ins(%x, %w : !x, !w) outs(%y : !y) "
              "access [#x, #w, #y]");
};
} // namespace

TEST_F(ReadInPlaceTest, ReadsTheSourceOfATransposition) {
  std::string body = copy + erase("a", "a") + multiply + erase("x", "x");
  OwningOpRef<ModuleOp> module = getProgram(body);
  ASSERT_TRUE(module);
  FailureOr<Program> program = failure();
  EXPECT_EQ(countMoves(*module, program), 0u);
  std::vector<std::string> ends;
  for (const ProgramNode &node : program->body.nodes) {
    if (const auto *end = std::get_if<LiveRangeEndNode>(&node))
      ends.push_back(program->variables[end->variable].name);
    const auto *compute = std::get_if<ComputeNode>(&node);
    if (!compute)
      continue;
    EXPECT_TRUE(ends.empty());
    const VertexGroup &group = compute->groups.front();
    EXPECT_EQ(program->variables[group.variables.front()].name, "a");
    // The row of tile 1 has rows 10 to 19 of x.
    EXPECT_EQ(ArrayRef(group.getRow(1), 7),
              ArrayRef<int64_t>({10 * 17, 10, 3, 17, 17, 680, 1}));
  }
  ASSERT_GE(ends.size(), 2u);
  EXPECT_EQ(ends[0], "x");
  EXPECT_EQ(ends[1], "a");
  expectMoves(body, 0);
}

TEST_F(ReadInPlaceTest, CopiesWhatIsReadOtherwise) {
  // The host also reads x.
  expectMoves(copy + multiply + store("x", "x", "x") + erase("x", "x"), 1);
  // An elementwise op also reads x.
  expectMoves(copy + multiply +
                  compute("@negate ins(%x : !x) outs(%z : !x) "
                          "access [#x, #x]") +
                  erase("x", "x") + store("z", "x", "x"),
              1);
  // Another move also reads x.
  expectMoves(copy + multiply + move("x", "x", "z", "x") + erase("x", "x") +
                  store("z", "x", "x"),
              2);
}

TEST_F(ReadInPlaceTest, CopiesWhatIsWrittenMeanwhile) {
  const std::string other = R"mlir(
    %b = ipu.var "b" : !a
    ipu.host_load @a to %b : !a )mlir" +
                            getCost();
  expectMoves(
      other + copy + move("b", "a", "a", "a") + multiply + erase("x", "x"), 2);
  const std::string write =
      compute("@negate ins(%z : !x) outs(%x : !x) access [#x, #x]");
  expectMoves(
      move("v", "v", "z", "x") + copy + write + multiply + erase("x", "x"), 2);
}

TEST_F(ReadInPlaceTest, CopiesWhatVectorsCannotRead) {
  expectMoves(move("u", "u", "r", "r") +
                  compute("@turned ins(%r, %w : !r, !w) outs(%y : !y) "
                          "access [#r, #w, #y]") +
                  erase("r", "r"),
              1);
}
