//===- ProgramPlanTest.cpp - Maps of a whole program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ProgramPlan.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class ProgramPlanTest : public ::testing::Test {
protected:
  ProgramPlanTest() {
    context.loadDialect<IPUDialect, pop::PopDialect, arith::ArithDialect,
                        func::FuncDialect, scf::SCFDialect>();
  }

  /// Plans `body` as a function on x : tensor<16x24xf32>, on 12 tiles that have
  /// `memory`.
  ProgramPlan plan(StringRef body, PlannerKind kind = PlannerKind::Program,
                   int64_t memoryPerMille = 600, int64_t memory = 638976) {
    module = parseSourceString<ModuleOp>(
        ("module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 12 : "
         "i64, tile_memory = " +
         Twine(memory) +
         " : i64}>} { func.func @main(%x: tensor<16x24xf32>) -> "
         "tensor<16x24xf32> {" +
         body + "} }")
            .str(),
        &context);
    EXPECT_TRUE(module);
    ProgramPlanOptions options;
    options.kind = kind;
    options.plan.memoryPerMille = memoryPerMille;
    return *planProgram(*module->getOps<func::FuncOp>().begin(),
                        FunctionCalls(*module), options);
  }

  /// Plans calls of @f, which updates a variable, in `body`.
  ProgramPlan planCalls(StringRef body) {
    module = parseSourceString<ModuleOp>((R"(
  module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64}>} {
    pop.scratch @v : tensor<16x24xf32>
    func.func @main() {)" + body + R"( return }
    func.func private @f() {
      %w = pop.constant dense<0.5> : tensor<24x24xf32>
      %r = pop.get_variable @v : !pop.ref<16x24xf32>
      %x = pop.read %r : !pop.ref<16x24xf32>
      %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
      %1 = pop.tanh %0 : tensor<16x24xf32>
      pop.copy_ %r, %1 : !pop.ref<16x24xf32>, tensor<16x24xf32>
      return
    }
  })")
                                             .str(),
                                         &context);
    EXPECT_TRUE(module);
    return *planProgram(*module->getOps<func::FuncOp>().begin(),
                        FunctionCalls(*module), {});
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Four layers that are the same op on the same types.
constexpr const char *kLayers = R"(
  %w = pop.constant dense<0.5> : tensor<24x24xf32>
  %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
  %1 = pop.relu %0 : tensor<16x24xf32>
  %2 = pop.matmul %1, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
  %3 = pop.relu %2 : tensor<16x24xf32>
  %4 = pop.matmul %3, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
  %5 = pop.relu %4 : tensor<16x24xf32>
  return %5 : tensor<16x24xf32>
)";

TEST_F(ProgramPlanTest, IsNoWorseThanItsStarts) {
  ProgramPlan chosen = plan(kLayers);
  EXPECT_LT(chosen.cycles, chosen.genericCycles);
  EXPECT_LE(chosen.cycles, chosen.greedyCycles);
  EXPECT_TRUE(chosen.isOptimal);
  EXPECT_EQ(chosen.mappings.size(), 8u);
  for (auto [value, mapping] : chosen.mappings) {
    EXPECT_TRUE(mapping.coversOnce());
    EXPECT_LE(mapping.getFirst() + mapping.getNumTiles(), 12);
  }
  ProgramPlan generic = plan(kLayers, PlannerKind::Generic);
  EXPECT_GE(generic.cycles, chosen.genericCycles);
}

TEST_F(ProgramPlanTest, EqualLayersArePlannedOnce) {
  ProgramPlan chosen = plan(kLayers);
  // A search for each way to plan a matmul, and one for relu.
  EXPECT_LE(3 * (chosen.numPlans - chosen.numPlanHits), chosen.numPlans);
  EXPECT_GT(chosen.numTableHits, 0);
}

TEST_F(ProgramPlanTest, MoreMemoryIsNeverWorse) {
  StringRef layers = R"(
    %w = pop.constant dense<0.5> : tensor<24x960xf32>
    %v = pop.constant dense<0.5> : tensor<960x24xf32>
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x960xf32>) -> tensor<16x960xf32>
    %1 = pop.relu %0 : tensor<16x960xf32>
    %2 = pop.matmul %1, %v {accum = #pop.accum<chain>} : (tensor<16x960xf32>, tensor<960x24xf32>) -> tensor<16x24xf32>
    return %2 : tensor<16x24xf32>
  )";
  int64_t tileMemory = 65536, least = INT64_MAX;
  for (int64_t perMille = 0; perMille <= 1000; perMille += 25) {
    ProgramPlan chosen =
        plan(layers, PlannerKind::Program, perMille, tileMemory);
    EXPECT_LE(chosen.cycles, least) << perMille;
    EXPECT_LE(chosen.shareBytes, tileMemory * perMille / 1000) << perMille;
    EXPECT_EQ(chosen.numOverShare, 0) << perMille;
    least = chosen.cycles;
  }
}

TEST_F(ProgramPlanTest, IsDeterministic) {
  ProgramPlan first = plan(kLayers);
  SmallVector<TileMappingAttr> mappings;
  for (auto [value, mapping] : first.mappings)
    mappings.push_back(mapping);
  ProgramPlan second = plan(kLayers);
  EXPECT_EQ(first.cycles, second.cycles);
  size_t i = 0;
  for (auto [value, mapping] : second.mappings)
    EXPECT_EQ(mapping, mappings[i++]);
}

TEST_F(ProgramPlanTest, GivenMapsAreKept) {
  ProgramPlan chosen = plan(R"(
    %0 = pop.relu %x {ipu.map = #ipu.map<[384], grid = [3], blocks = [p0 * 128 : 128], first = 2>} : tensor<16x24xf32>
    %1 = pop.neg %0 : tensor<16x24xf32>
    return %1 : tensor<16x24xf32>
  )");
  auto given = TileMappingAttr::get(
      &context, {384}, {3}, {TileMappingBlock{0, 128, 128}}, /*first=*/2);
  EXPECT_EQ(chosen.mappings[chosen.mappings.begin()[1].first], given);
}

TEST_F(ProgramPlanTest, CallsCountEachTime) {
  ProgramPlan none = plan("return %x : tensor<16x24xf32>");
  EXPECT_EQ(none.functions.size(), 1u);
  ProgramPlan once = planCalls("call @f() : () -> ()");
  EXPECT_EQ(once.functions.size(), 2u);
  EXPECT_EQ(once.variables.size(), 1u);
  EXPECT_GT(once.cycles, 12);
  ProgramPlan twice = planCalls(R"(
    call @f() : () -> ()
    call @f() : () -> ()
  )");
  EXPECT_EQ(twice.cycles, 2 * once.cycles);
  EXPECT_EQ(twice.codeBytes, once.codeBytes);
  ProgramPlan often = planCalls(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    scf.for %i = %c0 to %c7 step %c1 {
      func.call @f() : () -> ()
    }
    call @f() : () -> ()
  )");
  EXPECT_EQ(often.cycles, 8 * once.cycles);
  EXPECT_EQ(often.codeBytes, once.codeBytes);
}

} // namespace
