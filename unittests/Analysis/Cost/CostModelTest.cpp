//===- CostModelTest.cpp - Formulas of the device model ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CostTest.h"

#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

using CostModelTest = CostTest;

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

// A sum of two operands costs as much as an addition. Each further operand
// costs one more load.
TEST_F(CostModelTest, Sum) {
  auto getSum = [&](Type type, int64_t operands) {
    return getCost("sum", type, CodeletCostKind::Vector, operands);
  };
  auto cycles = [&](Type type, int64_t operands) {
    return getVertexCycles(target, getSum(type, operands), {}, {{{713}, type}});
  };
  EXPECT_EQ(cycles(f32, 2), 1265);
  // 11 + 6 * (29 + (3 + 2) * 60), 11 + 6 * (29 + (3 + 1) * 30).
  EXPECT_EQ(cycles(f32, 4), 1985);
  EXPECT_EQ(cycles(f16, 3), 905);
  // 11 + 6 * (29 + (7 + 2) * 119).
  EXPECT_EQ(cycles(i32, 3), 6611);
  EXPECT_EQ(getVertexFlops(getSum(f32, 4), {}, {{{713}, f32}}), 3 * 713);
  EXPECT_EQ(getVertexFlops(getSum(f32, 1), {}, {{{713}, f32}}), 713);
}

TEST_F(CostModelTest, TypesWithoutARow) {
  EXPECT_FALSE(getCost("exp", i32));
  EXPECT_FALSE(getCost("no_such_op", f32));
  // A type that the machine does not support costs as much as f32.
  EXPECT_EQ(getCost("exp", Float64Type::get(&context)), getCost("exp", f32));
}

// One block of the matrix unit: the example of docs/device-model.md.
TEST_F(CostModelTest, Matmul) {
  CodeletCostAttr cost = getCost("matmul", f32, CodeletCostKind::Matmul);
  // 2 x 16 times 16 x 4: two blocks of k, one block of n, and one row for each
  // worker. The four columns are padded to 16, which takes 8 * 16 * 4 / 8 = 64
  // cycles: 50 + 12 + 11 + 18 + 7 + 64 + 6 * 40 + 15 + 19 + 6 + 64 + 6 * 40,
  // and the state takes 6 * (7 + 3).
  EXPECT_EQ(getVertexCycles(target, cost,
                            {{{1, 2, 16}, f32}, {{1, 16, 4}, f32}},
                            {{{1, 2, 4}, f32}}),
            806);
  // 24 x 16 times 16 x 16 in f16:
  // 50 + 12 + 11 + 18 + 7 + 64 + 6 * (30 + 4) + 6 * 7.
  EXPECT_EQ(getVertexCycles(
                target, getCost("matmul", f16, CodeletCostKind::Matmul),
                {{{1, 24, 16}, f16}, {{1, 16, 16}, f16}}, {{{1, 24, 16}, f32}}),
            408);
  // Integers do not use the matrix unit. A worker has ceil(8 / 6) outputs of 16
  // products: 11 + 6 * (29 + 2 * 16 * 14).
  EXPECT_EQ(getVertexCycles(
                target, getCost("matmul", i32, CodeletCostKind::Matmul),
                {{{1, 2, 16}, i32}, {{1, 16, 4}, i32}}, {{{1, 2, 4}, i32}}),
            2873);
  EXPECT_EQ(getVertexFlops(cost, {{{1, 2, 16}, f32}, {{1, 16, 4}, f32}},
                           {{{1, 2, 4}, f32}}),
            2 * 128);
}

// The input is [n, g, i, p], the weights are [g, o, i, q], and the output is
// [n, g, o, p].
TEST_F(CostModelTest, Conv) {
  CodeletCostAttr cost = getCost("conv", f32, CodeletCostKind::Conv);
  // Two groups, 3 positions of the kernel, from 8 channels to 4, and 10 rows:
  // 50 + 2 * (12 + 1 * (15 + 1 * (19 + 3 * (6 + 64 + 6 * 47)))).
  EXPECT_EQ(getVertexCycles(target, cost,
                            {{{1, 2, 8, 12}, f32}, {{2, 4, 8, 3}, f32}},
                            {{{1, 2, 4, 10}, f32}}),
            2254);
}

// W * (17 + ceil(n / W) * (12 + ceil(r / V))).
TEST_F(CostModelTest, Reduce) {
  CodeletCostAttr cost = getCost("reduce", f32, CodeletCostKind::Reduce, 100);
  EXPECT_EQ(getVertexCycles(target, cost, {{{7, 100}, f32}}, {{{7}, f32}}),
            6 * (17 + 24 + 100));
  EXPECT_EQ(getVertexFlops(cost, {{{7, 100}, f32}}, {{{7}, f32}}), 7 * 99);
}

// W * (32 + ceil(ceil(n / W) / u) * (3 * r + 7)), where u is the number of
// outputs in 16 bytes; in f32, r - 1 additions if they take fewer cycles.
TEST_F(CostModelTest, ReduceColumns) {
  auto cycles = [&](Type type, int64_t n, int64_t rows = 8) {
    CodeletCostAttr cost =
        getCost("reduce", type, CodeletCostKind::ReduceColumns, rows);
    return getVertexCycles(target, cost, {{{rows, n}, type}}, {{{n}, type}});
  };
  EXPECT_EQ(cycles(f32, 600, 2), 6 * (29 + 2 + 50 * 3));
  EXPECT_EQ(cycles(f32, 600, 3), 6 * (2 * 29 + 9 + 50 * 2 * 3));
  EXPECT_EQ(cycles(f32, 600, 4), 6 * (32 + 25 * 19));
  EXPECT_EQ(cycles(f16, 600, 2), 6 * (32 + 13 * 13));
  EXPECT_EQ(cycles(f32, 24), 6 * (32 + 31));
  EXPECT_EQ(cycles(f32, 25), 6 * (32 + 2 * 31));
  EXPECT_EQ(cycles(f16, 100), 6 * (32 + 3 * 31));
}

// W * (30 + ceil(i / W) * (19 + 2 * ceil(e / 2))).
TEST_F(CostModelTest, Gather) {
  auto cycles = [&](Type type) {
    CodeletCostAttr cost = getCost("gather", type, CodeletCostKind::Gather);
    EXPECT_EQ(
        getVertexFlops(cost, {{{9, 5}, type}, {{13}, i32}}, {{{13, 5}, type}}),
        0);
    return getVertexCycles(target, cost, {{{9, 5}, type}, {{13}, i32}},
                           {{{13, 5}, type}});
  };
  EXPECT_EQ(cycles(f32), 6 * (30 + 3 * (19 + 2 * 3)));
  EXPECT_EQ(cycles(f16), 6 * (30 + 3 * (19 + 2 * 3)));
  // 4 elements of 8 bits take 3 cycles. An element of 64 bits takes 2 cycles.
  EXPECT_EQ(cycles(IntegerType::get(&context, 8)), 6 * (30 + 3 * (19 + 3 * 2)));
  EXPECT_EQ(cycles(IntegerType::get(&context, 64)),
            6 * (30 + 3 * (19 + 2 * 5)));
  // There is a row of 5 elements for each of 2 indices and 4 blocks.
  CodeletCostAttr cost = getCost("gather", f32, CodeletCostKind::Gather);
  EXPECT_EQ(getVertexCycles(target, cost, {{{1, 9, 5}, f32}, {{1, 2}, i32}},
                            {{{1, 2, 4, 5}, f32}}),
            6 * (30 + 2 * (19 + 2 * 3)));
}

// Workers share the rows of a region, or the elements of each row.
TEST_F(CostModelTest, DynamicSlice) {
  auto cycles = [&](Type type, int64_t rows, int64_t columns) {
    CodeletCostAttr cost =
        getCost("dynamic_slice", type, CodeletCostKind::DynamicSlice);
    return getVertexCycles(target, cost,
                           {{{rows, 9, columns}, type}, {{1}, i32}},
                           {{{rows, 1, columns}, type}});
  };
  EXPECT_EQ(cycles(f32, 1, 178), 6 * (30 + 19 + 2 * 15));
  EXPECT_EQ(cycles(f32, 100, 2), 6 * (30 + 17 * (19 + 2)));
  EXPECT_EQ(cycles(IntegerType::get(&context, 64), 1, 178),
            6 * (30 + 19 + 2 * 30));
}

// A vertex has 9 positions, and the update has 4. If it is not in place, the
// other elements are copied.
TEST_F(CostModelTest, DynamicUpdate) {
  auto cycles = [&](int64_t positions, int64_t combined) {
    CodeletCostAttr cost = getCost("dynamic_update", f32,
                                   CodeletCostKind::DynamicUpdate, combined);
    return getVertexCycles(
        target, cost, {{{1, positions, 5}, f32}, {{1, 4, 5}, f32}, {{1}, i32}},
        {{{1, positions, 5}, f32}});
  };
  EXPECT_EQ(cycles(9, /*combined=*/0), 6 * (30 + 19 + 2 * 3));
  EXPECT_EQ(cycles(9, /*combined=*/1), 6 * (30 + 19 + 2 * 3 + 2 * 4));
  EXPECT_EQ(cycles(2, /*combined=*/0), 6 * (30 + 19 + 2 * 3));
}

// 6 of the 12 indices are for 15 of the 30 rows; see `scatter` of
// CodeletCostAttr.
TEST_F(CostModelTest, Scatter) {
  auto cycles = [&](Type type, int64_t rows) {
    CodeletCostAttr cost =
        getCost("scatter", type, CodeletCostKind::Scatter, 30);
    return getVertexCycles(
        target, cost,
        {{{1, rows, 5}, type}, {{1, 12}, i32}, {{1, 12, 5}, type}},
        {{{1, rows, 5}, type}});
  };
  EXPECT_EQ(cycles(f32, 15), 6 * (30 + 5 * 2 + 1 * (17 + 3 * 5) + 2 * 7));
  EXPECT_EQ(cycles(f32, 30), 6 * (30 + 5 * 2 + 2 * (17 + 3 * 5) + 2 * 13));
  EXPECT_EQ(cycles(f16, 30), 6 * (30 + 5 * 2 + 2 * (17 + 3 * 3) + 2 * 7));
  EXPECT_EQ(cycles(i32, 30), 6 * (30 + 5 * 2 + 2 * (17 + 7 * 5) + 2 * 13));
  // Rows that are replaced are only copied.
  CodeletCostAttr replace =
      getCost("scatter_replace", f32, CodeletCostKind::Scatter, 30);
  EXPECT_EQ(
      getVertexCycles(target, replace,
                      {{{1, 30, 5}, f32}, {{1, 12}, i32}, {{1, 12, 5}, f32}},
                      {{{1, 30, 5}, f32}}),
      6 * (30 + 5 * 2 + 2 * (17 + 2 * 3) + 2 * 13));
}

// 6 of the 12 updates are for 15 of the 30 rows. There are 3 chunks with lists
// for 3 blocks.
TEST_F(CostModelTest, ScatterBuckets) {
  CodeletCostAttr cost =
      getCost("scatter", f32, CodeletCostKind::ScatterBuckets, 30);
  EXPECT_EQ(getVertexCycles(
                target, cost,
                {{{1, 15, 5}, f32}, {{1, 3, 3, 4}, i32}, {{1, 12, 5}, f32}},
                {{{1, 15, 5}, f32}}),
            6 * (30 + 10 * 2 + 1 * (22 + 3 * 5) + 2 * 7));
}

// 7 chunks of 4 indices have lists for 3 blocks.
TEST_F(CostModelTest, BucketIndices) {
  CodeletCostAttr cost =
      getCost("bucket_indices", i32, CodeletCostKind::BucketIndices, 4);
  EXPECT_EQ(
      getVertexCycles(target, cost, {{{1, 28}, i32}}, {{{1, 7, 3, 4}, i32}}),
      6 * (30 + 7 + 2 * 10 * 4));
}

// Instructions on 64 bits compute several narrow integers at a time, if no
// carry moves from one to the next.
TEST_F(CostModelTest, NarrowIntegers) {
  auto cycles = [&](StringRef name, unsigned width) {
    Type type = IntegerType::get(&context, width);
    CodeletCostAttr cost = getCost(name, type, CodeletCostKind::Vector);
    return getVertexCycles(target, cost, {{{96}, type}, {{96}, type}},
                           {{{96}, type}});
  };
  EXPECT_EQ(cycles("and", 32), 11 + 6 * (29 + 7 * 16));
  EXPECT_EQ(cycles("and", 16), 11 + 6 * (29 + 3 * 4));
  EXPECT_EQ(cycles("and", 8), 11 + 6 * (29 + 3 * 2));
  EXPECT_EQ(cycles("and", 1), 11 + 6 * (29 + 5 * 4));
  EXPECT_EQ(cycles("add", 8), cycles("add", 32));
  EXPECT_EQ(cycles("add", 16), cycles("add", 32));
}

// W * (30 + clearing + ceil(w / W) * (20 + 8 * k)).
TEST_F(CostModelTest, SelectAndScatter) {
  CodeletCostAttr cost =
      getCost("select_and_scatter", f32, CodeletCostKind::SelectAndScatter, 9);
  EXPECT_EQ(getVertexCycles(target, cost,
                            {{{1, 2, 8, 8}, f32}, {{1, 2, 4, 4}, f32}},
                            {{{1, 2, 8, 8}, f32}}),
            6 * (30 + 11 + 6 * (20 + 8 * 9)));
}

// W * (30 + ceil(r / W) * (19 + 8 * (t - 1)) * m * ceil(log2(m))). A stage of a
// network sorts pairs.
TEST_F(CostModelTest, Sort) {
  auto cycles = [&](int64_t rows, int64_t size) {
    CodeletCostAttr cost = getCost("sort", f32, CodeletCostKind::Sort, size);
    return getVertexCycles(target, cost,
                           {{{rows, size, 1}, f32}, {{rows, size, 1}, i32}},
                           {{{rows, size, 1}, f32}, {{rows, size, 1}, i32}});
  };
  EXPECT_EQ(cycles(13, 100), 6 * (30 + 3 * 27 * 100 * 7));
  EXPECT_EQ(cycles(1, 128), 6 * (30 + 27 * 128 * 7));
  EXPECT_EQ(cycles(36, 2), 6 * (30 + 6 * 27 * 2));
}

// The formula of the matrix unit, block by block. All blocks are padded. The
// test excludes few columns and single products, for which other methods are
// used.
TEST_F(CostModelTest, BlocksOfTheMatrixUnit) {
  auto reference = [&](int64_t rows, int64_t depth, int64_t columns,
                       bool isF16) {
    int64_t cycles = 50 + 12, perWorker = (rows + 5) / 6, k = isF16 ? 16 : 8;
    int64_t w =
        isF16 ? std::array<int64_t, 4>{0, 31, 40,
                                       40}[std::min<int64_t>(perWorker, 3)]
              : 47;
    if (perWorker > 3)
      w = isF16 ? 37 + 4 * (perWorker - 3) : 46 + 8 * (perWorker - 3);
    for (int64_t in = 0; in < depth; in += k) {
      cycles += (in == 0 ? 11 : 15) + 6 * (in == 0 ? 7 : 3);
      for (int64_t out = 0; out < columns; out += 16)
        cycles += 25 + 6 * (w - 7) + k * 16 * (isF16 ? 2 : 4) / 8;
    }
    return cycles;
  };
  std::mt19937 random(1);
  auto draw = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, most)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    Type type = i % 2 ? f16 : f32;
    CodeletCostAttr cost = getCost("matmul", type, CodeletCostKind::Matmul);
    int64_t rows = draw(40), depth = 1 + draw(40), columns = 7 + draw(40);
    auto cycles = [&](int64_t rows, int64_t depth, int64_t columns) {
      return getVertexCycles(
          target, cost, {{{1, rows, depth}, type}, {{1, depth, columns}, type}},
          {{{1, rows, columns}, f32}});
    };
    int64_t here = cycles(rows, depth, columns);
    EXPECT_EQ(here, reference(rows, depth, columns, type == f16));
    // A larger vertex never takes fewer cycles.
    EXPECT_LE(here, cycles(rows + 1, depth, columns));
    EXPECT_LE(here, cycles(rows, depth + 1, columns));
    EXPECT_LE(here, cycles(rows, depth, columns + 1));
  }
}

} // namespace
