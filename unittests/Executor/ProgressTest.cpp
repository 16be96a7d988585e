//===- ProgressTest.cpp - Progress of a run -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class ProgressTest : public ProgramTest {
protected:
  /// Returns all reports of a run in the form "fraction in thousandths:op".
  std::vector<std::string> getReports(const std::string &body,
                                      const std::string &functions = "") {
    OwningOpRef<ModuleOp> module = parse(R"(
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<1xi1, #one>
!i = memref<1xi32, #one>
!b = memref<?xi1, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @not(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : !b
    %true = arith.constant true
    %w = arith.xori %v, %true : i1
    memref.store %w, %y[%c0] : !b
  })" + functions + R"(
  func.func @main() {
)" + body + "return\n}\n}\n");
    std::vector<std::string> reports;
    if (!module)
      return reports;
    ExecuteOptions options;
    options.engine = EngineKind::Interp;
    options.progress = [&](const RunProgress &progress) {
      if (progress.step)
        reports.push_back(std::to_string(int(progress.fraction * 1000)) + ":" +
                          progress.step->getName().stripDialect().str());
    };
    EXPECT_TRUE(succeeded(execute(*module, options)));
    return reports;
  }

  using Strings = std::vector<std::string>;
};
} // namespace

// Each node counts as the cycles of its step plus one cycle.
TEST_F(ProgressTest, StepsCountByTheirCycles) {
  EXPECT_EQ(getReports("ipu.sync internal" + getCost(1, 99) +
                       "ipu.sync internal" + getCost(1, 299) +
                       "ipu.sync internal" + getCost(1, 399)),
            Strings({"0:sync", "125:sync", "500:sync"}));
}

TEST_F(ProgressTest, RoundsDivideALoop) {
  EXPECT_EQ(getReports("ipu.sync internal" + getCost(1, 99) +
                       "ipu.repeat 4 {\nipu.sync internal" + getCost(1, 9) +
                       "ipu.sync internal" + getCost(1, 9) + "}" +
                       getCost(1, 4) + "ipu.sync internal" + getCost(1, 99)),
            Strings({"0:sync", "333:repeat", "333:sync", "375:sync", "416:sync",
                     "458:sync", "500:sync", "541:sync", "583:sync", "625:sync",
                     "666:sync"}));
}

TEST_F(ProgressTest, CallsHaveTheCyclesOfTheirFunctions) {
  EXPECT_EQ(getReports(
                "ipu.call @f" + getCost(1, 1) + "ipu.call @f" + getCost(1, 1),
                "func.func private @f() {\nipu.sync internal" + getCost(1, 48) +
                    "ipu.sync internal" + getCost(1, 48) + "return\n}"),
            Strings({"0:call", "0:sync", "250:sync", "500:call", "500:sync",
                     "750:sync"}));
}

TEST_F(ProgressTest, UnknownRoundsStayWhereTheyBegan) {
  // One iteration of `before` and `body` counts.
  EXPECT_EQ(
      getReports(R"(%p = ipu.var "p" init(dense<true> : tensor<1xi1>) : !p
    ipu.sync internal)" +
                 getCost(1, 49) + "ipu.while %p : !p {\n ipu.sync internal" +
                 getCost(1, 9) + "} do {\n" + R"(ipu.compute_set "not" {
      ipu.vertices @not ins(%p : !p) outs(%p : !p) access [#one, #one]
    })" + getCost(1, 9) +
                 "}" + getCost(1, 29) + "ipu.sync internal" + getCost(1, 99)),
      Strings({"0:sync", "250:while", "250:sync", "250:compute_set", "250:sync",
               "500:sync"}));
}

TEST_F(ProgressTest, RepeatOfAnUnknownCountIsDividedWhenItRuns) {
  EXPECT_EQ(getReports(R"(%n = ipu.var "n" init(dense<2> : tensor<1xi32>) : !i
    ipu.repeat %n : !i {
      ipu.sync internal)" +
                       getCost(1, 9) + "}" + getCost(1, 89) +
                       "ipu.sync internal" + getCost(1, 99)),
            Strings({"0:repeat", "0:sync", "250:sync", "500:sync"}));
}
