//===- EqualReplicasTest.cpp - What replicas have in common ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs that store once what all replicas hold give the same as a checked run,
// which keeps replicas apart, for random programs.
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Steps between variables v0 to v4 of 12 integers, all defined at the start.
class EqualReplicasTest : public ProgramTest {
protected:
  static constexpr unsigned kVars = 5;
  static constexpr unsigned kSteps = 24;

  static std::string var(unsigned i) { return "%v" + std::to_string(i); }

  std::string getStep(uint64_t &seed) {
    unsigned a = draw(seed) % kVars, b = draw(seed) % kVars,
             c = draw(seed) % kVars;
    b = a == b ? (b + 1) % kVars : b;
    std::string cost = getCost();
    switch (draw(seed) % 10) {
    case 0:
      return "ipu.host_load @same to " + var(a) + " : !v" + cost;
    case 1:
      return "ipu.host_load @own to " + var(a) + " : !v" + cost;
    case 2:
      return "ipu.exchange \"all\" {\nipu.move " + var(a) + " to " + var(b) +
             " : !v to !v\n}" + cost;
    case 3:
      return getPartialMove(a, b, seed);
    case 4: // Both halves of b, from a and maybe another variable.
      c = c == b ? a : c;
      return "ipu.exchange \"halves\" {\nipu.move " + var(a) + "_0 to " +
             var(b) + "_0 : !h0 to !h0\nipu.move " + var(c) + "_1 to " +
             var(b) + "_1 : !h1 to !h1\n}" + cost;
    case 5:
      return "ipu.collective all_reduce add " + var(a) + " to " + var(b) +
             " : !v to !v" + cost;
    case 6:
      return "ipu.collective broadcast " + var(a) + " to " + var(b) +
             " {root = 0 : i64, groups = #pop.replica_groups<stride = 1, size "
             "= 2>} : !v to !v" +
             cost;
    case 7:
      return "ipu.remote_exchange \"there\" {\nipu.remote_store " + var(a) +
             " to @b[" + (draw(seed) % 2 ? "0" : "%row : !n") + "] : !v\n}" +
             cost + "ipu.remote_exchange \"back\" {\nipu.remote_load @b[" +
             (draw(seed) % 2 ? "0" : "%row : !n") + "] to " + var(b) +
             " : !v\n}" + cost;
    default:
      c = c == b ? a : c;
      if (draw(seed) % 2) // In place.
        c = b;
      return "ipu.compute_set \"add\" {\nipu.vertices @add ins(" + var(a) +
             ", " + var(c) + " : !v, !v) outs(" + var(b) +
             " : !v) access [#m, #m, #m]\n}" + cost;
    }
  }

  static std::string getPartialMove(unsigned a, unsigned b, uint64_t &seed) {
    std::string from = draw(seed) % 2 ? "0" : "1";
    std::string to = draw(seed) % 2 ? "0" : "1";
    return "ipu.exchange \"part\" {\nipu.move " + var(a) + "_" + from + " to " +
           var(b) + "_" + to + " : !h" + from + " to !h" + to + "\n}" +
           getCost();
  }

  std::string getProgram(uint64_t seed, int replicas) {
    std::string text = R"(
#m = #ipu.map<[12], grid = [4], blocks = [p0 * 3 : 3]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xi32, strided<[1], offset: ?>>
!v = memref<12xi32, #m>
!h0 = memref<6xi32, strided<[1]>, #m>
!h1 = memref<6xi32, strided<[1], offset: 6>, #m>
!n = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = )" +
                       std::to_string(replicas) + R"( : i64}>} {
  ipu.stream @same host_to_device : tensor<12xi32>
  ipu.stream @own host_to_device replicated : tensor<12xi32>
  ipu.remote_buffer @b : 4 x tensor<12xi32>
  ipu.state @row0 in @b[0] : tensor<12xi32> = dense<7> : tensor<12xi32>
)";
    for (int row = 1; row < 4; ++row)
      text += "ipu.state @row" + std::to_string(row) + " in @b[" +
              std::to_string(row) + "] : tensor<12xi32> = dense<" +
              std::to_string(row) + "> : tensor<12xi32>\n";
    for (unsigned i = 0; i < kVars; ++i)
      text += "ipu.stream @y" + std::to_string(i) +
              " device_to_host replicated : tensor<12xi32>\n";
    text += R"(
  ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %row = ipu.var "row" : !n
    ipu.replica_index to %row : !n)" +
            getCost();
    for (unsigned i = 0; i < kVars; ++i)
      text += var(i) + " = ipu.var \"v\" : !v\nipu.host_load @same to " +
              var(i) + " : !v" + getCost() + var(i) +
              "_0 = memref.reinterpret_cast " + var(i) +
              " to offset: [0], sizes: [6], strides: [1] : !v to !h0\n" +
              var(i) + "_1 = memref.reinterpret_cast " + var(i) +
              " to offset: [6], sizes: [6], strides: [1] : !v to !h1\n";
    for (unsigned i = 0; i < kSteps; ++i)
      text += getStep(seed);
    for (unsigned i = 0; i < kVars; ++i)
      text += "ipu.host_store " + var(i) + " to @y" + std::to_string(i) +
              " : !v" + getCost();
    return text + "return\n}\n}\n";
  }
};
} // namespace

TEST_F(EqualReplicasTest, RandomProgramsAgreeWithCheckedRuns) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    int replicas = seed % 2 ? 4 : 2;
    std::string text = getProgram(seed, replicas);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    FailureOr<ExecuteResult> apart =
        run(*module, EngineKind::Interp, 1, /*check=*/true);
    ASSERT_TRUE(succeeded(apart)) << text;
    for (unsigned threads : {1u, 3u}) {
      FailureOr<ExecuteResult> together =
          run(*module, EngineKind::Interp, threads);
      ASSERT_TRUE(succeeded(together)) << text;
      expectSame(*apart, *together);
      if (HasFailure()) {
        ADD_FAILURE() << text;
        return;
      }
    }
  }
}

/// More replicas than anybody has, of a small program.
TEST_F(EqualReplicasTest, ManyReplicas) {
  // Only rows of replicas 0 to 3 are there.
  std::string text = getProgram(5, 1024);
  size_t at;
  while ((at = text.find("%row : !n]")) != std::string::npos)
    text.replace(at, 9, "1");
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp, 2);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->profile.clocks.size(), 1024u);
  EXPECT_EQ(result->outputs[0].tensor.type.getDimSize(0), 1024);
}
