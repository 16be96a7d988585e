//===- PartitionTest.cpp - Cutting loops over tiles -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Partition.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class PartitionTest : public ::testing::Test {
protected:
  PartitionTest() {
    context.loadDialect<IPUDialect>();
    target = *TargetModel::getPreset("gc200");
  }

  /// [m, k] x [k, n] with a batch of one.
  PartitionProblem getMatmul(int64_t m, int64_t k, int64_t n) {
    PartitionProblem problem;
    problem.form.loops = {1, m, n};
    problem.form.inputs = {{{1, m, k}, {{0, 1, 1}, {1, 1, 1}, {}}},
                           {{1, k, n}, {{0, 1, 1}, {}, {2, 1, 1}}}};
    problem.form.results = {{{1, m, n}, {{0, 1, 1}, {1, 1, 1}, {2, 1, 1}}}};
    Type f32 = Float32Type::get(&context);
    problem.inputTypes = {f32, f32};
    problem.resultTypes = {f32};
    problem.cost = getCodeletCost({CodeletCostKind::Matmul, "matmul"}, f32,
                                  /*scalarOperand=*/false);
    return problem;
  }

  /// Cycles of the fullest vertex and of its inputs, from its boxes.
  int64_t getCycles(const PartitionProblem &problem, const LoopBlocks &blocks) {
    std::vector<Box> boxes;
    std::vector<VertexOperand> operands;
    int64_t bytes = 0;
    for (const auto *accesses : {&problem.form.inputs, &problem.form.results})
      for (const TileAccess &access : *accesses)
        boxes.push_back(
            getAccessMap(&context, problem.form, blocks, access).getBox(0));
    for (size_t i = 0; i < boxes.size(); ++i) {
      operands.push_back({boxes[i].sizes, Float32Type::get(&context)});
      if (i < problem.form.inputs.size())
        bytes += 4 * boxes[i].getNumElements();
    }
    size_t inputs = problem.form.inputs.size();
    return getVertexCycles(target, problem.cost,
                           ArrayRef(operands).take_front(inputs),
                           ArrayRef(operands).drop_front(inputs)) +
           bytes / target.exchange_bytes_per_cycle;
  }

  MLIRContext context;
  TargetModel target;
};

/// On small machines, no even cut of a matmul has fewer cycles than the chosen
/// one.
TEST_F(PartitionTest, ChoiceIsBestOfAll) {
  std::mt19937 random(3);
  auto draw = [&](int64_t high) {
    return std::uniform_int_distribution<int64_t>(1, high)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    target.tiles = draw(24);
    PartitionProblem problem = getMatmul(draw(20), draw(40), draw(20));
    LoopBlocks chosen = choosePartition(target, problem);
    int64_t m = problem.form.loops[1], n = problem.form.loops[2];
    int64_t best = INT64_MAX;
    for (int64_t bm = 1; bm <= m; ++bm)
      for (int64_t bn = 1; bn <= n; ++bn) {
        int64_t rows = llvm::divideCeil(m, bm),
                columns = llvm::divideCeil(n, bn);
        // As even as the number of parts allows.
        if (bm != static_cast<int64_t>(llvm::divideCeil(m, rows)) ||
            bn != static_cast<int64_t>(llvm::divideCeil(n, columns)))
          continue;
        int64_t parts = rows * columns;
        if (parts <= target.tiles &&
            (parts > 1 || target.tiles == 1 || m * n == 1))
          best = std::min(best, getCycles(problem, {1, bm, bn}));
      }
    EXPECT_EQ(getCycles(problem, chosen), best);
  }
}

TEST_F(PartitionTest, MatmulIsCutOverRowsAndColumns) {
  LoopBlocks blocks = choosePartition(target, getMatmul(128, 784, 512));
  EXPECT_LT(blocks[1], 128);
  EXPECT_LT(blocks[2], 512);
}

TEST_F(PartitionTest, MapsGivePartitionsBack) {
  PartitionProblem problem = getMatmul(12, 5, 20);
  const TileAccess &result = problem.form.results.front();
  for (LoopBlocks blocks :
       {LoopBlocks{1, 3, 4}, LoopBlocks{1, 12, 20}, LoopBlocks{1, 1, 20}}) {
    MapAttr map = getAccessMap(&context, problem.form, blocks, result, 2);
    EXPECT_TRUE(map.coversOnce());
    EXPECT_EQ(getPartition(problem.form, result, map), blocks);
  }
  // A map that cuts as no partition does.
  auto other = MapAttr::get(&context, {1, 12, 20}, {4}, {{}, {0, 3, 3}, {}}, 0);
  EXPECT_TRUE(getPartition(problem.form, result, other));
  auto overlap =
      MapAttr::get(&context, {1, 12, 20}, {4}, {{}, {0, 3, 4}, {}}, 0);
  EXPECT_FALSE(getPartition(problem.form, result, overlap));
}

TEST_F(PartitionTest, WindowsOverlap) {
  // A convolution of 10 outputs with stride 2 and kernel 3 on 21 inputs.
  TileForm form;
  form.loops = {10};
  form.inputs = {{{21}, {{0, 2, 3}}}};
  form.results = {{{10}, {{0, 1, 1}}}};
  MapAttr map = getAccessMap(&context, form, {4}, form.inputs[0]);
  EXPECT_EQ(map, MapAttr::get(&context, {21}, {3}, {{0, 8, 9}}));
  EXPECT_EQ(map.getBox(2).offsets[0], 16);
  EXPECT_EQ(map.getBox(2).sizes[0], 5);
}

TEST_F(PartitionTest, LinearMapsSpreadInWords) {
  Type f16 = Float16Type::get(&context);
  EXPECT_EQ(getLinearMap(&context, target, 1472 * 3, f16).getBlocks()[0].step,
            4);
  EXPECT_EQ(getLinearMap(&context, target, 2, f16).getNumTiles(), 2);
  EXPECT_EQ(getLinearMap(&context, target, 1, f16).getNumTiles(), 1);
  EXPECT_TRUE(getLinearMap(&context, target, 0, f16).coversOnce());
  for (int64_t elements : {2, 3, 7, 1471, 1472, 1473, 100000}) {
    MapAttr map = getLinearMap(&context, target, elements, f16);
    EXPECT_TRUE(map.coversOnce());
    EXPECT_GT(map.getNumTiles(), 1);
    EXPECT_LE(map.getNumTiles(), target.tiles);
  }
}

} // namespace
