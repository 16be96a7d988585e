//===- PrintTensorTest.cpp - Printing of host tensors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/PrintTensor.h"

#include "HostTensorTestUtils.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class PrintTest : public ::testing::Test {
protected:
  std::string format(StringRef type, uint64_t bits) {
    return formatElement(parseType(type, &context), bits);
  }
  std::string format(float value) {
    return format("f32", llvm::bit_cast<uint32_t>(value));
  }
  std::string format(double value) {
    return format("f64", llvm::bit_cast<uint64_t>(value));
  }
  std::string print(StringRef name, const HostTensor &tensor) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printTensor(os, name, tensor);
    return text;
  }
  /// Prints a tensor of `type` with the elements 0, 1, ... of type i32.
  std::string printRamp(StringRef type) {
    std::vector<int32_t> elements(
        parseTensorType(type, &context).getNumElements());
    std::iota(elements.begin(), elements.end(), 0);
    return print("x", makeTensor(type, &context, elements));
  }

  MLIRContext context;
};

TEST_F(PrintTest, ShortestFloats) {
  EXPECT_EQ(format(0.1f), "0.1");
  EXPECT_EQ(format(0.1), "0.1");
  EXPECT_EQ(format(1.0f), "1.0");
  EXPECT_EQ(format(-0.0f), "-0.0");
  EXPECT_EQ(format(16777216.0f), "16777216.0");
  EXPECT_EQ(format(1e20f), "1.0e+20");
  EXPECT_EQ(format(1.5e-7f), "1.5e-07");
  EXPECT_EQ(format(0.0001f), "0.0001");
  EXPECT_EQ(format(1.0f / 3), "0.33333334");
  EXPECT_EQ(format(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format(NAN), "nan");
  EXPECT_EQ(format(-NAN), "nan");
  EXPECT_EQ(format(INFINITY), "inf");
  EXPECT_EQ(format(-INFINITY), "-inf");
  EXPECT_EQ(format("f16", 0x2E66), "0.1");
  EXPECT_EQ(format("f16", 0x7BFF), "65500.0");
  EXPECT_EQ(format("f16", 0x0001), "6.0e-08");
  EXPECT_EQ(format("bf16", 0x3DCD), "0.1");
  EXPECT_EQ(format("f8E4M3FN", 0x38), "1.0");
  EXPECT_EQ(format("f8E4M3FN", 0x7F), "nan");
}

/// The printed text of each number parses as the same number.
TEST_F(PrintTest, AllSmallFloatsRoundTrip) {
  for (StringRef text :
       {"f16", "bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}) {
    auto type = cast<FloatType>(parseType(text, &context));
    for (uint64_t bits = 0; bits < uint64_t(1) << type.getWidth(); ++bits) {
      if (!std::isfinite(decodeFloat(type, bits)))
        continue;
      llvm::APFloat parsed(type.getFloatSemantics());
      llvm::cantFail(parsed.convertFromString(
          formatElement(type, bits), llvm::APFloat::rmNearestTiesToEven));
      ASSERT_EQ(parsed.bitcastToAPInt().getZExtValue(), bits)
          << text.str() << " " << formatElement(type, bits);
    }
  }
}

TEST_F(PrintTest, Integers) {
  EXPECT_EQ(format("i8", 0xFF), "-1");
  EXPECT_EQ(format("ui8", 0xFF), "255");
  EXPECT_EQ(format("ui64", UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(format("i64", uint64_t(1) << 63), "-9223372036854775808");
  EXPECT_EQ(format("i1", 1), "true");
  EXPECT_EQ(format("i1", 0), "false");
}

TEST_F(PrintTest, Tensors) {
  EXPECT_EQ(print("y", makeTensor<float>("tensor<2x2xf32>", &context,
                                         {1, 2, 0.5, NAN})),
            "y : tensor<2x2xf32> = dense<[[1.0, 2.0], [0.5, nan]]>\n");
  EXPECT_EQ(print("a b", makeTensor<float>("tensor<f32>", &context, {1})),
            "a b : tensor<f32> = dense<1.0>\n");
  EXPECT_EQ(print("e", makeTensor<float>("tensor<2x0xf32>", &context, {})),
            "e : tensor<2x0xf32> = dense<>\n");
}

TEST_F(PrintTest, LongTensorsAreCutShort) {
  EXPECT_EQ(printRamp("tensor<64xi32>").find("..."), std::string::npos);
  EXPECT_EQ(printRamp("tensor<65xi32>"),
            "x : tensor<65xi32> = dense<[0, 1, 2, ..., 62, 63, 64]>\n");
  EXPECT_EQ(printRamp("tensor<2x40xi32>"),
            "x : tensor<2x40xi32> = dense<[[0, 1, 2, ..., 37, 38, 39], "
            "[40, 41, 42, ..., 77, 78, 79]]>\n");
  EXPECT_EQ(printRamp("tensor<33x2xi32>"),
            "x : tensor<33x2xi32> = dense<[[0, 1], [2, 3], [4, 5], ..., "
            "[60, 61], [62, 63], [64, 65]]>\n");
  // No dimension is abbreviated, because all dimensions are short.
  EXPECT_EQ(printRamp("tensor<5x5x5xi32>").find("..."), std::string::npos);
  EXPECT_EQ(printRamp("tensor<9x9xi32>"),
            "x : tensor<9x9xi32> = dense<["
            "[0, 1, 2, ..., 6, 7, 8], [9, 10, 11, ..., 15, 16, 17], "
            "[18, 19, 20, ..., 24, 25, 26], ..., "
            "[54, 55, 56, ..., 60, 61, 62], [63, 64, 65, ..., 69, 70, 71], "
            "[72, 73, 74, ..., 78, 79, 80]]>\n");
}
} // namespace
