//===- ProgramPlanTest.cpp - Maps of a whole program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ProgramPlan.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class ProgramPlanTest : public ::testing::Test {
protected:
  ProgramPlanTest() {
    context.loadDialect<IPUDialect, pop::PopDialect, func::FuncDialect>();
  }

  /// Plans `body` as a function on x : tensor<16x24xf32>, on 12 tiles.
  ProgramPlan plan(StringRef body, PlannerKind kind = PlannerKind::Program) {
    module = parseSourceString<ModuleOp>(
        ("module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 12 : "
         "i64}>} { func.func @main(%x: tensor<16x24xf32>) -> "
         "tensor<16x24xf32> {" +
         body + "} }")
            .str(),
        &context);
    EXPECT_TRUE(module);
    ProgramPlanOptions options;
    options.kind = kind;
    return *planProgram(*module->getOps<func::FuncOp>().begin(), options);
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
  EXPECT_EQ(3 * (chosen.numPlans - chosen.numPlanHits), chosen.numPlans);
  EXPECT_GT(chosen.numTableHits, 0);
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

} // namespace
