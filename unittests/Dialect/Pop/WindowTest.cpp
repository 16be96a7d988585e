//===- WindowTest.cpp - Arithmetic of sliding windows -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the closed forms of `WindowDim` with counting, and checks that
// pools decompose into windows of the same number.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::pop;

namespace {

/// Returns a random valid window whose pads are smaller than the dilated
/// kernel.
WindowDim randomWindow(std::mt19937 &generator) {
  auto random = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  };
  WindowDim dim;
  do {
    dim.input = random(0, 12);
    dim.kernel = random(1, 4);
    dim.stride = random(1, 5);
    dim.dilation = random(1, 3);
    dim.padLow = random(0, dim.getExtent() - 1);
    dim.padHigh = random(0, dim.getExtent() - 1);
    dim.ceilMode = random(0, 1);
  } while (dim.input + dim.padLow + dim.padHigh < dim.getExtent());
  return dim;
}

/// Counts windows one by one.
int64_t countWindows(const WindowDim &dim) {
  int64_t padded = dim.padLow + dim.input + dim.padHigh;
  int64_t windows = 0, end = 0;
  for (int64_t start = 0;; start += dim.stride) {
    bool isInside = start + dim.getExtent() <= padded;
    // With rounding up, there is another window as long as elements remain and
    // the window starts on an element of the input or of the pads before it.
    bool isRest = dim.ceilMode && windows > 0 && end < padded &&
                  start < dim.padLow + dim.input;
    if (!isInside && !isRest)
      return windows;
    ++windows;
    end = start + dim.getExtent();
  }
}

TEST(WindowTest, NumWindows) {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 20000; ++trial) {
    WindowDim dim = randomWindow(generator);
    ASSERT_EQ(dim.getNumWindows(), countWindows(dim))
        << "input " << dim.input << " kernel " << dim.kernel << " stride "
        << dim.stride << " dilation " << dim.dilation << " pads " << dim.padLow
        << ", " << dim.padHigh << " ceil " << dim.ceilMode;
  }
}

TEST(WindowTest, CountPositions) {
  std::mt19937 generator(2);
  for (int trial = 0; trial < 5000; ++trial) {
    WindowDim dim = randomWindow(generator);
    for (int64_t index = 0; index < dim.getNumWindows(); ++index) {
      int64_t inInput = 0, inPadded = 0;
      for (int64_t q = 0; q < dim.kernel; ++q) {
        int64_t position = index * dim.stride + q * dim.dilation - dim.padLow;
        inInput += position >= 0 && position < dim.input;
        inPadded +=
            position >= -dim.padLow && position < dim.input + dim.padHigh;
      }
      ASSERT_EQ(dim.countPositions(index, /*countPads=*/false), inInput);
      ASSERT_EQ(dim.countPositions(index, /*countPads=*/true), inPadded);
    }
  }
}

TEST(WindowTest, ExtremeAttributesStayInRange) {
  WindowDim dim;
  dim.input = 10;
  dim.stride = std::numeric_limits<int64_t>::max();
  dim.dilation = std::numeric_limits<int64_t>::max();
  dim.ceilMode = true;
  EXPECT_EQ(dim.getExtent(), 1);
  EXPECT_EQ(dim.getNumWindows(), 1);
  EXPECT_EQ(dim.countPositions(0, /*countPads=*/false), 1);
}

class PoolTest : public testing::Test {
protected:
  PoolTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<PopDialect>();
    builder.setInsertionPointToEnd(&block);
  }

  /// Decomposes `op` and checks the resulting ops.
  template <typename PoolOp>
  void expectDecomposes(PoolOp op) {
    ASSERT_TRUE(succeeded(verify(op)));
    builder.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> values = op.decompose(builder);
    ASSERT_TRUE(succeeded(values));
    EXPECT_EQ(values->front().getType(), op.getType());
    for (Operation &made : block)
      EXPECT_TRUE(succeeded(verify(&made)));
  }

  MLIRContext context;
  Block block;
  OpBuilder builder;
  Location loc;
};

TEST_F(PoolTest, DecomposedPoolsHaveTheSameWindows) {
  std::mt19937 generator(3);
  for (int trial = 0; trial < 300; ++trial) {
    WindowDim dim = randomWindow(generator);
    auto type = RankedTensorType::get({1, 2, dim.input}, builder.getF16Type());
    Value input = block.addArgument(type, loc);
    SmallVector<int64_t> pads = {dim.padLow, dim.padHigh};
    builder.setInsertionPointToEnd(&block);
    expectDecomposes(MaxPoolOp::create(builder, loc, input, dim.kernel,
                                       dim.stride, dim.dilation, pads,
                                       dim.ceilMode));
    builder.setInsertionPointToEnd(&block);
    expectDecomposes(AvgPoolOp::create(
        builder, loc, input, dim.kernel, dim.stride, dim.dilation, pads,
        dim.ceilMode, /*count_include_pad=*/trial % 2 == 0,
        AccumAttr::get(&context, AccumOrder::Chain)));
    block.clear();
  }
}

} // namespace
