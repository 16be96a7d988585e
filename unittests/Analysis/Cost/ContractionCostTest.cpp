//===- ContractionCostTest.cpp - Methods of contractions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CostTest.h"

#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class ContractionCostTest : public CostTest {
protected:
  /// A convolution of one image. The numbers of channels and columns are for
  /// each group.
  struct Conv {
    int64_t groups, channels, columns;
    std::array<int64_t, 2> field, kernel;
    int64_t stride = 1;
  };

  Vertex getVertex(const Conv &conv, Type type) {
    int64_t stride = std::max<int64_t>(conv.stride, 1);
    input = {1, conv.groups, conv.channels, conv.field[0] + conv.kernel[0] - 1,
             (conv.field[1] - 1) * stride + conv.kernel[1]};
    weights = {conv.groups, conv.columns, conv.channels, conv.kernel[0],
               conv.kernel[1]};
    output = {1, conv.groups, conv.columns, conv.field[0], conv.field[1]};
    Vertex vertex;
    vertex.cost = getCost("conv", type, CodeletCostKind::Conv, 0, conv.stride);
    vertex.inputs = {{input, type}, {weights, type}};
    vertex.outputs = {{output, type}};
    return vertex;
  }

  Vertex getMatmul(int64_t rows, int64_t depth, int64_t columns, Type type) {
    input = {1, rows, depth};
    weights = {1, depth, columns};
    output = {1, rows, columns};
    Vertex vertex;
    vertex.cost = getCost("matmul", type, CodeletCostKind::Matmul);
    vertex.inputs = {{input, type}, {weights, type}};
    vertex.outputs = {{output, type}};
    return vertex;
  }

  int64_t getCycles(const Vertex &vertex) {
    return getVertexCycles(target, vertex.cost, vertex.inputs, vertex.outputs);
  }
  ContractionMethod getMethod(const Vertex &vertex) {
    return *getContractionMethod(target, vertex.cost, vertex.inputs,
                                 vertex.outputs);
  }

  /// Returns the method and the cycles of a vertex, so that messages show both.
  std::string describe(const Vertex &vertex) {
    return (stringifyContractionMethod(getMethod(vertex)) + " " +
            std::to_string(getCycles(vertex)))
        .str();
  }

private:
  // The sizes of the operands of the last vertex.
  SmallVector<int64_t> input, weights, output;
};

// With 8 channels, the unit processes two rows of the kernel at once, and with
// 4 channels, four rows. There are 30 positions, five for each worker: 25 + 4 *
// 5 cycles.
TEST_F(ContractionCostTest, RowsOfTheKernel) {
  // 50 + 12 + 15 + 2 * (19 + 2 * 3 * (6 + 64 + 31 + 6 * 45)).
  EXPECT_EQ(describe(getVertex({1, 8, 32, {5, 6}, {3, 3}}, f16)), "amp 4567");
  // 50 + 12 + 15 + 2 * (19 + 3 * (6 + 64 + 45 + 6 * 45)).
  EXPECT_EQ(describe(getVertex({1, 4, 32, {5, 6}, {3, 3}}, f16)), "amp 2425");
  // 9 channels: 50 + 12 + 15 + 2 * (19 + 9 * (6 + 64 + 6 * 45)).
  EXPECT_EQ(describe(getVertex({1, 9, 32, {5, 6}, {3, 3}}, f16)), "amp 6235");
  // f32, two channels, 22 + 8 * 5:
  // 50 + 12 + 15 + 2 * (19 + 3 * (6 + 64 + 45 + 6 * 62)).
  EXPECT_EQ(describe(getVertex({1, 2, 32, {5, 6}, {3, 3}}, f32)), "amp 3037");
}

// A block of weights is loaded in loads of 16 bytes. 24 x 16 times 16 x 16
// takes 50 + 12 + 11 + 18 + 7 + 32 + 6 * 34 + 6 * 7 in f16, and 6 * 47 instead
// of 6 * 34 in f32.
TEST_F(ContractionCostTest, WideLoadsOfWeights) {
  target.weight_load_bytes = 16;
  EXPECT_EQ(describe(getMatmul(24, 16, 16, f16)), "amp 376");
  EXPECT_EQ(describe(getMatmul(24, 8, 16, f32)), "amp 454");
  // Weights that are not aligned have narrow loads.
  target.amp_align_bytes = 8;
  EXPECT_EQ(describe(getMatmul(24, 16, 16, f16)), "amp 408");
}

// All weights of a vertex with wide loads are in interleaved memory, whose size
// is that of 832 blocks. One more block takes longer by its own time and by 32
// cycles for each block.
TEST_F(ContractionCostTest, WideLoadsNeedInterleavedMemory) {
  auto getWith = [&](int64_t loads, int64_t columns) {
    target.weight_load_bytes = loads;
    return getCycles(getMatmul(24, 16, columns, f16));
  };
  ASSERT_EQ(target.tile_memory - target.code_memory, 832 * 512);
  EXPECT_EQ(getWith(8, 832 * 16) - getWith(16, 832 * 16), 832 * 32);
  EXPECT_EQ(getWith(8, 832 * 16 + 1), getWith(16, 832 * 16 + 1));
}

// The matrix unit of a c600 has 32 channels of f8 in a block: 24 x 32 times
// 32 x 16, 50 + 12 + 11 + 18 + 7 + 64 + 6 * (37 + 4) + 6 * 7.
TEST_F(ContractionCostTest, Float8) {
  Type f8 = Float8E4M3FNUZType::get(&context);
  auto getUnit = [&](const Vertex &vertex) {
    return getFlopUnit(target, vertex.cost, vertex.inputs, vertex.outputs);
  };
  // On other machines, f8 costs as much as f32, in four blocks of 8 channels:
  // 50 + 12 + 11 + 18 + 7 + 64 + 6 * 47 + 3 * (15 + 19 + 6 + 64 + 6 * 47) + 6 *
  // (7 + 3 * 3).
  EXPECT_EQ(describe(getMatmul(24, 32, 16, f8)), "amp 1698");
  EXPECT_EQ(getUnit(getMatmul(24, 32, 16, f8)), FlopUnit::MatrixF32);
  target = *TargetModel::getPreset("c600");
  EXPECT_EQ(describe(getMatmul(24, 32, 16, f8)), "amp 450");
  EXPECT_EQ(describe(getMatmul(6, 32, 16, f8)), "amp 372");
  EXPECT_EQ(describe(getMatmul(12, 32, 16, f8)), "amp 402");
  EXPECT_EQ(getUnit(getMatmul(24, 32, 16, f8)), FlopUnit::MatrixF8);
  EXPECT_EQ(getPeakFlops(target, FlopUnit::MatrixF8), 256);
  // The c600 does not have the f8 types of other machines.
  EXPECT_EQ(describe(getMatmul(24, 32, 16, Float8E4M3FNType::get(&context))),
            "amp 1698");
}

// Eight groups of one channel, 2 rows of 12 positions, and a kernel of 3 x 3. A
// worker has 4 positions: 46 + 8 cycles. As one group of eight channels, the
// convolution takes 50 + 12 + 15 + 19 + 9 * (6 + 64 + 6 * 54), and 5 / 4 cycles
// for each of 8 * 4 * 14 elements of the input and 8 * 8 * 9 elements of the
// weights.
TEST_F(ContractionCostTest, CombinedAmp) {
  EXPECT_EQ(describe(getVertex({8, 1, 1, {2, 12}, {3, 3}}, f32)),
            "combined_amp 4922");
  // In f16, with a dilated kernel and from two channels to one: 31 + 9 for one
  // block of 16 x 8, 50 + 12 + 15 + 19 + 9 * (6 + 64 + 6 * 41), and 5 / 4
  // cycles for 8 * 2 * 4 * 14 + 16 * 8 * 9 elements.
  EXPECT_EQ(describe(getVertex({8, 2, 1, {2, 12}, {3, 3}, 0}, f16)),
            "combined_amp " + std::to_string(96 + 9 * 316 + 2560));
  // The method does not apply to three channels, or to a single group.
  EXPECT_EQ(getMethod(getVertex({8, 3, 9, {2, 12}, {3, 3}, 0}, f16)),
            ContractionMethod::Amp);
  EXPECT_EQ(getMethod(getVertex({1, 1, 9, {2, 12}, {3, 3}, 0}, f16)),
            ContractionMethod::Amp);
}

// The unit processes four groups of one channel and 1 x 4 positions of the
// kernel at a time.
TEST_F(ContractionCostTest, SlicOfOneChannel) {
  // Eight groups, 7 rows of 14 positions, and a kernel of 3 x 3. A worker has
  // two rows: 2 * 20 + 28 cycles. 17 positions in sequence would be in three
  // rows: 3 * 20 + 17. There are three sub-kernels: 50 + 2 * (12 + 3 * (109 +
  // 20 + 6 * (17 + 68))).
  EXPECT_EQ(describe(getVertex({8, 1, 1, {7, 14}, {3, 3}}, f16)), "slic 3908");
  // 13 rows of 100 positions: 217 positions in sequence are in four rows and
  // take 80 + 217 cycles, but three whole rows take 60 + 300.
  EXPECT_EQ(describe(getVertex({4, 1, 1, {13, 100}, {1, 3}}, f16)),
            "slic " + std::to_string(50 + 12 + 109 + 20 + 6 * (17 + 297)));
  // A unit with 8 columns needs two passes.
  target.amp_n = 8;
  EXPECT_EQ(describe(getVertex({4, 1, 1, {13, 100}, {1, 3}}, f16)),
            "slic " + std::to_string(50 + 12 + 109 + 20 + 6 * (17 + 594)));
}

TEST_F(ContractionCostTest, SlicOfFourChannels) {
  // From three channels to four, a row of 12, a stride of 2, and a kernel of 7.
  // There are two sub-kernels. Workers have two positions, which take the time
  // of three: 50 + 12 + 2 * (34 + 20 + 6 * (17 + 19 + 2 * 3)).
  EXPECT_EQ(describe(getVertex({1, 3, 4, {1, 12}, {1, 7}, 2}, f16)),
            "slic 674");
  // From two channels to one, in a single group. Two channels of zeros are
  // added, because the weights then need not be rearranged: 50 + 12 + 34 + 20 +
  // 6 * (17 + 20 + 8).
  EXPECT_EQ(describe(getVertex({1, 2, 1, {6, 8}, {1, 3}}, f16)), "slic 386");
  // Three groups of two channels: 50 + 2 * (12 + 109 + 20 + 6 * (17 + 20 + 8)).
  EXPECT_EQ(describe(getVertex({3, 2, 1, {6, 8}, {1, 3}}, f16)), "slic 872");
  // With one more column, a longer stride, a dilated kernel or another type,
  // the matrix unit is used block by block: 50 + 12 + 15 + 19 + 7 * (6 + 64 + 6
  // * 40).
  EXPECT_EQ(describe(getVertex({1, 3, 5, {1, 12}, {1, 7}, 2}, f16)),
            "amp 2266");
  EXPECT_EQ(describe(getVertex({1, 3, 4, {1, 12}, {1, 7}, 3}, f16)),
            "amp 2266");
  EXPECT_EQ(describe(getVertex({1, 3, 4, {1, 12}, {1, 7}, 0}, f16)),
            "amp 2266");
  EXPECT_EQ(describe(getVertex({1, 3, 4, {1, 12}, {1, 7}, 2}, f32)),
            "amp 2560");
}

// Four groups, one row of 6 positions, and a kernel of 3 x 3. A worker has
// three rows of the kernel, with 15 + 2 * 2 cycles each, and merges one of the
// six positions: 65 + 23 + 6 * (16 + 3 * 19 + 32 + 3 * 6 + 7).
TEST_F(ContractionCostTest, Vmac) {
  EXPECT_EQ(describe(getVertex({4, 1, 1, {1, 6}, {3, 3}}, f16)), "vmac 868");
  // The stride may be any number. One more channel costs as much as four
  // channels.
  EXPECT_EQ(describe(getVertex({4, 1, 1, {1, 6}, {3, 3}, 3}, f16)), "vmac 868");
  EXPECT_EQ(describe(getVertex({5, 1, 1, {1, 6}, {3, 3}}, f16)),
            "vmac " + std::to_string(65 + 2 * 803));
}

TEST_F(ContractionCostTest, Hmac) {
  // One position for each worker, 3 positions of the kernel, and one channel:
  // 58 + 23 + 15 + 10 + 6 * (16 + 3 * (10 + 19 + 13 + 1)).
  EXPECT_EQ(describe(getVertex({1, 1, 1, {1, 6}, {1, 3}}, f32)), "hmac 976");
  // A column of 64 products, four products in each cycle: 65 + 23 + 15 + 10 + 6
  // * (16 + 10 + 19 + 13 + 16).
  EXPECT_EQ(describe(getMatmul(6, 64, 1, f16)), "hmac 557");
  EXPECT_EQ(describe(getMatmul(6, 64, 2, f16)),
            "hmac " + std::to_string(65 + 38 + 2 * 454));
  // With more columns, the matrix unit is faster: 50 + 12 + 11 + 18 + 7 + 64 +
  // 6 * 24 + 3 * (15 + 19 + 6 + 64 + 6 * 24) + 6 * (7 + 3 * 3).
  EXPECT_EQ(describe(getMatmul(6, 64, 3, f16)), "amp 1146");
}

// Two rows of 32 columns for each worker: 6 * (25 + 10 + 2 * (6 + (32 - 12) /
// 4)) in f16, and 6 * (25 + 11 + 2 * (6 + (32 - 6) / 2)) in f32.
TEST_F(ContractionCostTest, OuterProduct) {
  EXPECT_EQ(describe(getMatmul(12, 1, 32, f16)), "outer_product 342");
  EXPECT_EQ(describe(getMatmul(12, 1, 32, f32)), "outer_product 444");
  // One column is padded to 12.
  EXPECT_EQ(describe(getMatmul(12, 1, 1, f16)), "outer_product 282");
  // A vertex with results in f32 takes the time of f32.
  Vertex vertex = getMatmul(12, 1, 32, f16);
  vertex.outputs[0].elementType = f32;
  EXPECT_EQ(describe(vertex), "outer_product 444");
  // The method does not apply to a sum that continues another sum, to two
  // addends, to two rows of the field, or to a stride.
  vertex = getMatmul(12, 1, 32, f16);
  vertex.inputs.push_back(vertex.outputs[0]);
  EXPECT_EQ(getMethod(vertex), ContractionMethod::Amp);
  EXPECT_EQ(getMethod(getMatmul(12, 2, 32, f16)), ContractionMethod::Amp);
  EXPECT_EQ(getMethod(getVertex({1, 1, 32, {1, 12}, {1, 1}}, f16)),
            ContractionMethod::OuterProduct);
  EXPECT_EQ(getMethod(getVertex({1, 1, 32, {2, 6}, {1, 1}}, f16)),
            ContractionMethod::Amp);
  EXPECT_EQ(getMethod(getVertex({1, 1, 32, {1, 12}, {1, 1}, 2}, f16)),
            ContractionMethod::Amp);
}

// The search of the planner relies on this property: for all methods, a larger
// region never takes fewer cycles. A vertex has all channels and the whole
// kernel in each region.
TEST_F(ContractionCostTest, LargerRegionsTakeNoLess) {
  std::mt19937 random(5);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  std::array<int, 6> methods = {};
  for (int i = 0; i < 60000; ++i) {
    target.workers = draw(0, 3) ? 6 : draw(1, 8);
    target.amp_n = draw(0, 3) ? 16 : 8;
    target.weight_load_bytes = draw(0, 1) ? 16 : 8;
    target.code_memory = target.tile_memory - draw(0, 1 << 14);
    Type type = draw(0, 3) ? f16 : f32;
    int64_t most = draw(0, 1) ? 6 : 40;
    Conv conv = {draw(1, 9),
                 draw(1, 6),
                 draw(1, 6),
                 {draw(1, most), draw(1, most)},
                 {draw(1, 4), draw(1, 8)},
                 draw(0, 3)};
    if (draw(0, 2) == 0)
      conv.channels = conv.columns = 1;
    if (draw(0, 9) == 0)
      conv.channels = conv.field[0] = conv.kernel[0] = conv.kernel[1] = 1;
    int64_t here = getCycles(getVertex(conv, type));
    ++methods[static_cast<int>(getMethod(getVertex(conv, type)))];
    for (int64_t *size :
         {&conv.groups, &conv.columns, &conv.field[0], &conv.field[1]}) {
      ++*size;
      EXPECT_LE(here, getCycles(getVertex(conv, type)));
      --*size;
    }
  }
  for (int count : methods)
    EXPECT_GT(count, 100);
}

// Without a dimension of blocks, the rows of a block are those of the mean one,
// rounded up. The forms with and without it cost the same for equal blocks, and
// a shorter last block never costs more.
TEST_F(ContractionCostTest, ShorterLastBlock) {
  auto getMatmulCycles = [&](std::vector<int64_t> right, int64_t blocks) {
    std::vector<int64_t> left = {1, 12, 96}, out = {blocks, 1, 12, 16};
    return getVertexCycles(
        target, getCost("matmul", f16, CodeletCostKind::Matmul, /*combined=*/1),
        {{left, f16}, {right, f16}}, {{out, f32}});
  };
  int64_t two = getMatmulCycles({1, 2, 48, 16}, 2);
  EXPECT_EQ(getMatmulCycles({1, 96, 16}, 2), two);
  EXPECT_EQ(getMatmulCycles({1, 48, 16}, 1),
            getMatmulCycles({1, 1, 48, 16}, 1));
  EXPECT_LE(getMatmulCycles({1, 80, 16}, 2), two);
  EXPECT_GT(getMatmulCycles({1, 80, 16}, 2), getMatmulCycles({1, 48, 16}, 1));

  auto getConvCycles = [&](std::vector<int64_t> right, int64_t blocks) {
    std::vector<int64_t> left = {1, 1, 96, 6, 6},
                         out = {1, 1, blocks, 1, 1, 16, 4, 4};
    return getVertexCycles(
        target, getCost("conv", f16, CodeletCostKind::Conv, /*combined=*/3),
        {{left, f16}, {right, f16}}, {{out, f32}});
  };
  two = getConvCycles({1, 16, 2, 48, 1, 3, 1, 3}, 2);
  EXPECT_EQ(getConvCycles({1, 16, 96, 1, 3, 1, 3}, 2), two);
  EXPECT_LE(getConvCycles({1, 16, 80, 1, 3, 1, 3}, 2), two);
  EXPECT_EQ(getConvCycles({1, 16, 32, 1, 3, 1, 3}, 1),
            getConvCycles({1, 16, 1, 32, 1, 3, 1, 3}, 1));
  // Blocks of five channels and of one are too deep for `slic`, though their
  // mean is not.
  EXPECT_GT(getConvCycles({1, 16, 6, 1, 1, 1, 4}, 2),
            getConvCycles({1, 16, 1, 5, 1, 1, 1, 4}, 1));
}

} // namespace
