//===- CompareTensorsTest.cpp - Comparison of host tensors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/CompareTensors.h"

#include "HostTensorTestUtils.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class CompareTest : public ::testing::Test {
protected:
  template <typename T>
  Comparison compare(StringRef type, const std::vector<T> &actual,
                     const std::vector<T> &expected,
                     std::optional<Tolerance> tolerance = std::nullopt) {
    return compareTensors(makeTensor(type, &context, actual),
                          makeTensor(type, &context, expected), tolerance);
  }
  bool isEqual(float actual, float expected) {
    return compare<float>("tensor<f32>", {actual}, {expected}).holds();
  }
  bool isClose(float actual, float expected, double rtol, double atol) {
    return compare<float>("tensor<f32>", {actual}, {expected},
                          Tolerance{rtol, atol})
        .holds();
  }

  MLIRContext context;
};

TEST_F(CompareTest, EqualMeansBitsButForNaN) {
  EXPECT_TRUE(isEqual(1, 1));
  EXPECT_FALSE(isEqual(0.0f, -0.0f));
  EXPECT_TRUE(isEqual(-0.0f, -0.0f));
  EXPECT_TRUE(isEqual(NAN, -NAN));
  EXPECT_FALSE(isEqual(NAN, 1));
  EXPECT_FALSE(isEqual(1, NAN));
  EXPECT_TRUE(isEqual(INFINITY, INFINITY));
  EXPECT_FALSE(isEqual(INFINITY, -INFINITY));
  EXPECT_FALSE(isEqual(1, std::nextafter(1.0f, 2.0f)));
  EXPECT_TRUE(
      compare<uint16_t>("tensor<2xf16>", {0x7E00, 0x7C01}, {0xFE00, 0x7FFF})
          .holds());
}

TEST_F(CompareTest, CloseTakesBothTolerances) {
  EXPECT_TRUE(isClose(1.5f, 1, 0, 0.5));
  EXPECT_FALSE(isClose(1.5f, 1, 0, 0.49));
  EXPECT_TRUE(isClose(2.5f, 2, 0.25, 0));
  EXPECT_FALSE(isClose(2.5f, 2, 0.24, 0));
  EXPECT_TRUE(isClose(2.5f, -2, 2, 0.5));
  EXPECT_TRUE(isClose(0.0f, -0.0f, 0, 0));
  EXPECT_TRUE(isClose(NAN, NAN, 0, 0));
  EXPECT_FALSE(isClose(NAN, 0, 1e30, 1e30));
  EXPECT_FALSE(isClose(0, NAN, 1e30, 1e30));
  EXPECT_TRUE(isClose(INFINITY, INFINITY, 0, 0));
  EXPECT_FALSE(isClose(INFINITY, -INFINITY, 1e30, 1e30));
  EXPECT_FALSE(isClose(3e38f, INFINITY, 1e30, 1e30));
  EXPECT_FALSE(isClose(INFINITY, 3e38f, INFINITY, INFINITY));
}

TEST_F(CompareTest, IntegersOfAllWidths) {
  EXPECT_TRUE(
      compare<int64_t>("tensor<1xi64>", {INT64_MIN}, {INT64_MIN}).holds());
  Comparison far = compare<int64_t>("tensor<1xi64>", {INT64_MIN}, {INT64_MAX});
  EXPECT_EQ(far.maxAbsError, std::ldexp(1.0, 64));
  EXPECT_EQ(far.actual, "-9223372036854775808");
  Comparison sign = compare<uint8_t>("tensor<1xui8>", {255}, {0});
  EXPECT_EQ(sign.maxAbsError, 255);
  EXPECT_TRUE(std::isinf(sign.maxRelError));
  EXPECT_TRUE(
      compare<int32_t>("tensor<1xi32>", {9}, {10}, Tolerance{0.1, 0}).holds());
  Comparison bools = compare<uint8_t>("tensor<2xi1>", {1, 1}, {1, 0});
  EXPECT_EQ(bools.actual, "true");
  EXPECT_EQ(bools.expected, "false");
}

TEST_F(CompareTest, TellsWhereAndHowMuch) {
  Comparison result = compare<float>("tensor<2x3xf32>", {1, 2, 3, 4, 5, 6},
                                     {1, 2, 3, 4, 4, 8}, Tolerance{0, 1.5});
  EXPECT_EQ(result.numElements, 6);
  EXPECT_EQ(result.numDifferent, 1);
  EXPECT_EQ(result.firstIndex, (SmallVector<int64_t>{1, 2}));
  EXPECT_EQ(result.maxAbsError, 2);
  // The error includes the element that is within the tolerance.
  EXPECT_EQ(result.maxRelError, 0.25);
  EXPECT_EQ(result.describe(),
            "1 of 6 elements differ, first at [1, 2]: got 6.0, expected 8.0 "
            "(max abs error 2.000e+00, max rel error 2.500e-01)");
  EXPECT_EQ(compare<float>("tensor<f32>", {1}, {1}).describe(),
            "all 1 elements agree (max abs error 0.000e+00, max rel error "
            "0.000e+00)");
}

TEST_F(CompareTest, NaNsHaveAnInfiniteError) {
  Comparison result = compare<double>("tensor<1xf64>", {NAN}, {1});
  EXPECT_TRUE(std::isinf(result.maxAbsError));
  EXPECT_EQ(result.actual, "nan");
}

TEST_F(CompareTest, EmptyAndScalarTensors) {
  EXPECT_TRUE(compare<float>("tensor<0x2xf32>", {}, {}).holds());
  EXPECT_EQ(compare<float>("tensor<0x2xf32>", {}, {}).numElements, 0);
  EXPECT_TRUE(compare<float>("tensor<f32>", {1}, {2}).firstIndex.empty());
}
} // namespace
