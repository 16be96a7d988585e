//===- CostModelTest.cpp - Formulas of the device model ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class CostModelTest : public ::testing::Test {
protected:
  CostModelTest() {
    context.loadDialect<IPUDialect>();
    target = *TargetModel::getPreset("gc200");
    f32 = Float32Type::get(&context);
    f16 = Float16Type::get(&context);
    i32 = IntegerType::get(&context, 32);
  }

  CodeletCostAttr getCost(StringRef name, Type type,
                          CodeletCostKind kind = CodeletCostKind::Vector,
                          int64_t combined = 0) {
    return getCodeletCost({kind, name, combined}, type, false);
  }

  MLIRContext context;
  TargetModel target;
  Type f32, f16, i32;
};

// S + W * (P + c * ceil(ceil(n / W) / u)) with W = 6.
TEST_F(CostModelTest, Vector) {
  auto cycles = [&](StringRef name, Type type, int64_t n) {
    return getVertexCycles(target, getCost(name, type), {}, {{{n}, type}});
  };
  // add f32: 11 + 6 * (29 + 3 * ceil(ceil(713 / 6) / 2)) = 11 + 6 * (29 + 180)
  EXPECT_EQ(cycles("add", f32, 713), 1265);
  // add f16 takes four elements at a time: 11 + 6 * (29 + 3 * 30).
  EXPECT_EQ(cycles("add", f16, 713), 725);
  // exp f32: 20 + 6 * (33 + 6 * 1)
  EXPECT_EQ(cycles("exp", f32, 1), 254);
  // div i32: 11 + 6 * (29 + 277 * 2)
  EXPECT_EQ(cycles("div", i32, 12), 3509);
  EXPECT_EQ(cycles("add", f32, 0), 0);
}

TEST_F(CostModelTest, TypesWithoutARow) {
  EXPECT_FALSE(getCost("exp", i32));
  EXPECT_FALSE(getCost("no_such_op", f32));
  // What the machine lacks costs what f32 costs.
  EXPECT_EQ(getCost("exp", Float64Type::get(&context)), getCost("exp", f32));
}

// A chunk of the matrix unit: the formula worked in docs/device-model.md.
TEST_F(CostModelTest, Matmul) {
  CodeletCostAttr cost = getCost("matmul", f32, CodeletCostKind::Matmul);
  // 2 x 16 times 16 x 4: two blocks of k, one of n, one row for each worker:
  // 50 + 12 + 2 * (15 + 19 + 6 + 64 + 6 * 47) = 834.
  EXPECT_EQ(getVertexCycles(target, cost,
                            {{{1, 2, 16}, f32}, {{1, 16, 4}, f32}},
                            {{{1, 2, 4}, f32}}),
            834);
  // 24 x 16 times 16 x 16 in f16: 50 + 12 + 15 + 19 + 6 + 64 + 6 * (37 + 4).
  EXPECT_EQ(getVertexCycles(
                target, getCost("matmul", f16, CodeletCostKind::Matmul),
                {{{1, 24, 16}, f16}, {{1, 16, 16}, f16}}, {{{1, 24, 16}, f32}}),
            412);
  // Integers have no matrix unit: 11 + 6 * (29 + 14 * ceil(128 / 6)).
  EXPECT_EQ(getVertexCycles(
                target, getCost("matmul", i32, CodeletCostKind::Matmul),
                {{{1, 2, 16}, i32}, {{1, 16, 4}, i32}}, {{{1, 2, 4}, i32}}),
            2033);
  EXPECT_EQ(getVertexFlops(cost, {{{1, 2, 16}, f32}, {{1, 16, 4}, f32}},
                           {{{1, 2, 4}, f32}}),
            2 * 128);
}

// Input [n, g, i, p], weights [g, o, i, q], output [n, g, o, p].
TEST_F(CostModelTest, Conv) {
  CodeletCostAttr cost = getCost("conv", f32, CodeletCostKind::Conv);
  // Two groups, 3 positions of the kernel, 8 channels to 4, 10 rows:
  // 50 + 2 * (12 + 1 * (15 + 1 * (19 + 3 * (6 + 64 + 6 * 46)))).
  EXPECT_EQ(getVertexCycles(target, cost,
                            {{{1, 2, 8, 12}, f32}, {{2, 4, 8, 3}, f32}},
                            {{{1, 2, 4, 10}, f32}}),
            2218);
}

// W * (17 + 12 * ceil(n / W) + ceil(ceil(n / W) * r / V)).
TEST_F(CostModelTest, Reduce) {
  CodeletCostAttr cost = getCost("reduce", f32, CodeletCostKind::Reduce, 100);
  EXPECT_EQ(getVertexCycles(target, cost, {{{7, 100}, f32}}, {{{7}, f32}}),
            6 * (17 + 24 + 100));
  EXPECT_EQ(getVertexFlops(cost, {{{7, 100}, f32}}, {{{7}, f32}}), 7 * 99);
}

} // namespace
