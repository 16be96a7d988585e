//===- ProgramPlanTest.cpp - Tile mappings of a whole program ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ProgramPlan.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Planner/Candidates/FindCandidates.h"
#include "ipu-mlir/Planner/Cost/AssignmentCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class ProgramPlanTest : public ::testing::Test {
protected:
  ProgramPlanTest() {
    context.loadDialect<IPUDialect, pop::PopDialect, arith::ArithDialect,
                        func::FuncDialect, scf::SCFDialect>();
  }

  /// Plans `body` as a function of x : tensor<16x24xf32>, on 12 tiles with
  /// `memory` bytes.
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

  /// Returns the fewest cycles of all choices from the lists for a share, for
  /// the last planned program. Returns std::nullopt if there are too many
  /// choices.
  std::optional<int64_t> getLeastCost(int64_t memoryPerMille,
                                      bool copiesConstants) {
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    FunctionCalls calls(*module);
    TargetModel target = getTargetModel(function);
    PartitionCache cache(target);
    ExchangeCosts exchanges(target, kMaxExchangePieces);
    PlanOptions options;
    options.memoryPerMille = memoryPerMille;
    FailureOr<ImportedModel> imported = importPlanModel(
        function, calls, target, cache, VariableTileMappings(),
        copiesConstants ? ConstantCopies::OfAll : ConstantCopies::None,
        ConstantClones());
    EXPECT_TRUE(succeeded(imported));
    const PlanModel &model = imported->model;
    CandidateSources sources(model, cache, /*isNested=*/false);
    CandidateLists lists =
        findCandidates(getInitialCandidates(model, sources, options), sources,
                       [](unsigned, function_ref<void()> search) { search(); });
    AssignmentCosts costs(lists, exchanges);
    int64_t number = 1;
    for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
      number *= lists[tensor].size();
    if (number > 2000)
      return std::nullopt;
    Assignment choices(lists.size(), 0);
    int64_t least = INT64_MAX;
    while (true) {
      least = std::min(least, costs.getCycles(choices));
      size_t i = choices.size();
      while (i > 0 && ++choices[i - 1] == lists[i - 1].size())
        choices[--i] = 0;
      if (i == 0)
        return least;
    }
  }

  /// Plans `body`, which calls @f. @f updates a variable.
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

/// Four layers, each with the same op on the same types.
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
  // There is one search for each way to plan a matmul, and one search for relu.
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

TEST_F(ProgramPlanTest, OptimalMeansThatNoOtherChoiceIsBetter) {
  std::mt19937 random(1);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int numProven = 0;
  for (int i = 0; i < 60; ++i) {
    // A chain of ops, some of which read an earlier value as well.
    std::string body = "%w = pop.constant dense<0.5> : tensor<24x24xf32>\n";
    int size = draw(1, 4), numMatmuls = 0;
    auto getValue = [&](int number) {
      return number < 0 ? std::string("%x") : "%" + std::to_string(number);
    };
    for (int number = 0; number < size; ++number) {
      std::string last = getValue(number - 1),
                  other = getValue(draw(-1, number - 1)),
                  type = "tensor<16x24xf32>";
      body += getValue(number) + " = ";
      int kind = draw(0, 2);
      if (kind == 0 && ++numMatmuls < 3)
        body += "pop.matmul " + last +
                ", %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, "
                "tensor<24x24xf32>) -> " +
                type;
      else if (kind == 1)
        body += "pop.add " + last + ", " + other + " : " + type;
      else
        body += "pop.slice " + last +
                " {sizes = array<i64: 16, 24>, starts = array<i64: 0, 23>, "
                "steps = array<i64: 1, -1>} : " +
                type + " -> " + type;
      body += "\n";
    }
    body += "return " + getValue(size - 1) + " : tensor<16x24xf32>";
    int64_t memory = draw(0, 1) ? 638976 : draw(2000, 20000);
    ProgramPlan chosen =
        plan(body, PlannerKind::Program, draw(50, 1000), memory);
    std::optional<int64_t> least =
        getLeastCost(chosen.listedPerMille, chosen.copiesConstants);
    if (!least || !chosen.isOptimal)
      continue;
    ++numProven;
    // The plan is as good as the best listed choice, unless generic tile
    // mappings are better.
    EXPECT_LE(chosen.cycles, *least) << body;
    if (chosen.cycles != chosen.genericCycles) {
      EXPECT_EQ(chosen.cycles, *least) << body;
    }
  }
  EXPECT_GT(numProven, 30);
}

// The step has seven tensors with several tile mappings each. Its table would
// have more than 4096 entries.
TEST_F(ProgramPlanTest, WhatIsTakenApartIsNotProvenOptimal) {
  std::string body, operands, types;
  for (int i = 0; i < 7; ++i) {
    std::string number = std::to_string(i);
    body += "%w" + number + " = pop.constant dense<" + number +
            ".0> : tensor<24x24xf32>\n%" + number + " = pop.matmul %x, %w" +
            number +
            " {accum = #pop.accum<chain>} : (tensor<16x24xf32>, "
            "tensor<24x24xf32>) -> tensor<16x24xf32>\n";
    operands += (i ? ", %" : "%") + number;
    types += i ? ", tensor<16x24xf32>" : "tensor<16x24xf32>";
  }
  body += "%c = pop.concat " + operands + " {axis = 0 : i64} : (" + types +
          ") -> tensor<112x24xf32>\n"
          "%s = pop.slice %c {sizes = array<i64: 16, 24>, starts = array<i64: "
          "0, 0>, steps = array<i64: 1, 1>} : tensor<112x24xf32> -> "
          "tensor<16x24xf32>\n"
          "return %s : tensor<16x24xf32>";
  EXPECT_FALSE(plan(body).isOptimal);
}

TEST_F(ProgramPlanTest, MoreIPUsAreNeverWorse) {
  // The links of several IPUs take longer than the tiles of these IPUs save,
  // unless tensors are large.
  int64_t most = 1, numSmaller = 0;
  for (int64_t size : {16, 64, 256, 1024}) {
    std::string text = "func.func @main(%0: $) -> $ {\n";
    for (int i = 0; i < 8; ++i) {
      std::string x = "%" + std::to_string(2 * i),
                  y = "%" + std::to_string(2 * i + 1),
                  z = "%" + std::to_string(2 * i + 2);
      text += y + " = pop.transpose " + x +
              " {permutation = array<i64: 1, 0>} : $ -> $\n" + z +
              " = pop.add " + y + ", " + x + " : ($, $) -> $\n";
    }
    text += "return %16 : $ }";
    std::string type =
        "tensor<" + std::to_string(size) + "x" + std::to_string(size) + "xf32>";
    for (size_t at; (at = text.find('$')) != std::string::npos;)
      text.replace(at, 1, type);
    int64_t cycles = INT64_MAX;
    for (int64_t ipus : {1, 2, 4, 8}) {
      module = parseSourceString<ModuleOp>(
          "module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 12 "
          ": i64, ipus = " +
              std::to_string(ipus) + " : i64}>} { " + text + " }",
          &context);
      ASSERT_TRUE(module);
      ProgramPlan plan =
          *planProgram(*module->getOps<func::FuncOp>().begin(),
                       FunctionCalls(*module), ProgramPlanOptions());
      EXPECT_LE(plan.cycles, cycles) << type << " on " << ipus << " IPUs";
      EXPECT_LE(plan.numIPUs, ipus);
      cycles = plan.cycles;
      most = std::max(most, plan.numIPUs);
      numSmaller += plan.numIPUs < ipus;
      for (auto [value, mapping] : plan.mappings)
        EXPECT_LE(mapping.getFirst() + mapping.getNumTiles(),
                  12 * plan.numIPUs);
    }
  }
  EXPECT_EQ(most, 8);
  EXPECT_GT(numSmaller, 3);
}

TEST_F(ProgramPlanTest, NestedPlansAreNeverWorse) {
  std::mt19937 random(11);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int gains = 0;
  for (int trial = 0; trial < 12; ++trial) {
    int64_t channels = draw(1, 3), size = draw(20, 200), ipus = draw(2, 4);
    std::string image = "1x" + std::to_string(channels) + "x", text;
    llvm::raw_string_ostream os(text);
    auto type = [&](int64_t size) {
      return "tensor<" + image + std::to_string(size) + "x" +
             std::to_string(size) + (trial % 2 ? "xf16>" : "xf32>");
    };
    int64_t stencils = draw(1, 2), cycles = INT64_MAX;
    os << " : i64}>} { func.func @main(%x0: " << type(size) << ") -> "
       << type(size - 2 * stencils) << " {\n";
    for (int64_t i = 0; i < stencils; ++i)
      os << "%x" << i + 1 << " = pop.reduce_window max %x" << i
         << " {accum = #pop.accum<chain>, kernel = array<i64: 3, 3>} : "
         << type(size - 2 * i) << " -> " << type(size - 2 * i - 2) << "\n";
    os << "return %x" << stencils << " : " << type(size - 2 * stencils)
       << "} }";
    // Faster links never make the program slower.
    for (int64_t latency : {4000, 1200, 100, 0}) {
      module = parseSourceString<ModuleOp>(
          "module attributes {ipu.target = #ipu.target<\"gc200\", {tiles = 12 "
          ": i64, ipus = " +
              std::to_string(ipus) +
              " : i64, link_latency_ns = " + std::to_string(latency) + text,
          &context);
      ASSERT_TRUE(module);
      ProgramPlan chosen =
          *planProgram(*module->getOps<func::FuncOp>().begin(),
                       FunctionCalls(*module), ProgramPlanOptions());
      EXPECT_LE(chosen.cycles, chosen.flatCycles) << text;
      EXPECT_LE(chosen.cycles, cycles) << text;
      cycles = chosen.cycles;
      bool isNested = false;
      for (auto [value, mapping] : chosen.mappings) {
        isNested |= mapping.isNested();
        EXPECT_LE(mapping.getFirst() + mapping.getNumTiles(), 12 * ipus);
        EXPECT_TRUE(mapping.coversOnce());
      }
      gains += isNested && chosen.cycles < chosen.flatCycles;
    }
  }
  EXPECT_GT(gains, 3);
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

TEST_F(ProgramPlanTest, DataAreThoseOfTheFullestStep) {
  // With generic tile mappings, a tensor takes 32 f32 elements of each tile.
  auto getData = [&](StringRef body) {
    return plan(body, PlannerKind::Generic).dataBytes;
  };
  constexpr int64_t tensor = 32 * 4;
  // Each op of a chain has one operand and one result.
  EXPECT_EQ(getData("return %x : tensor<16x24xf32>"), tensor);
  EXPECT_EQ(getData(R"(
    %0 = pop.exp %x : tensor<16x24xf32>
    %1 = pop.exp %0 : tensor<16x24xf32>
    return %1 : tensor<16x24xf32>
  )"),
            2 * tensor);
  // An argument that a later op reads, and a constant, remain live.
  EXPECT_EQ(getData(R"(
    %0 = pop.exp %x : tensor<16x24xf32>
    %1 = pop.exp %0 : tensor<16x24xf32>
    %2 = pop.add %1, %x : tensor<16x24xf32>
    return %2 : tensor<16x24xf32>
  )"),
            3 * tensor);
  EXPECT_EQ(getData(R"(
    %c = pop.constant dense<1.0> : tensor<16x24xf32>
    %0 = pop.add %x, %c : tensor<16x24xf32>
    %1 = pop.exp %0 : tensor<16x24xf32>
    %2 = pop.exp %1 : tensor<16x24xf32>
    return %2 : tensor<16x24xf32>
  )"),
            3 * tensor);
  // An operand that is read in another order is copied.
  EXPECT_EQ(getData(R"(
    %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<16x24xf32> -> tensor<24x16xf32>
    %1 = pop.exp %0 : tensor<24x16xf32>
    %2 = pop.reshape %1 : tensor<24x16xf32> to tensor<16x24xf32>
    return %2 : tensor<16x24xf32>
  )"),
            3 * tensor);
}

} // namespace
