//===- HostTensorTest.cpp - Values of attributes, elements ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensorTestUtils.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class HostTensorTest : public ::testing::Test {
protected:
  HostTensorTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {}

  FailureOr<HostTensor> get(StringRef text) {
    return get(parseAttribute(text, &context));
  }
  FailureOr<HostTensor> get(Attribute attr) {
    return getHostTensor(cast<ElementsAttr>(attr), [this] {
      return emitError(UnknownLoc::get(&context));
    });
  }
  template <typename T>
  std::vector<T> elements(StringRef text) {
    FailureOr<HostTensor> tensor = get(text);
    return failed(tensor) ? std::vector<T>() : getElements<T>(*tensor);
  }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
};

TEST_F(HostTensorTest, DenseValues) {
  EXPECT_EQ(
      elements<float>("dense<[[1.0, 2.0], [3.0, -0.5]]> : tensor<2x2xf32>"),
      (std::vector<float>{1, 2, 3, -0.5}));
  EXPECT_EQ(elements<int64_t>("dense<[-1, 7]> : tensor<2xi64>"),
            (std::vector<int64_t>{-1, 7}));
  EXPECT_EQ(elements<uint8_t>("dense<[255, 7]> : tensor<2xui8>"),
            (std::vector<uint8_t>{255, 7}));
  EXPECT_EQ(elements<uint16_t>("dense<[1.0, -2.0]> : tensor<2xf16>"),
            (std::vector<uint16_t>{0x3C00, 0xC000}));
  EXPECT_EQ(elements<uint16_t>("dense<[1.0, -2.0]> : tensor<2xbf16>"),
            (std::vector<uint16_t>{0x3F80, 0xC000}));
  EXPECT_EQ(elements<uint8_t>("dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>"),
            (std::vector<uint8_t>{0x38, 0xC0}));
}

TEST_F(HostTensorTest, BoolsTakeOneByte) {
  EXPECT_EQ(elements<uint8_t>(
                "dense<[1, 0, 0, 1, 1, 0, 1, 0, 1, 1]> : tensor<10xi1>"),
            (std::vector<uint8_t>{1, 0, 0, 1, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(elements<uint8_t>("dense<true> : tensor<3xi1>"),
            (std::vector<uint8_t>{1, 1, 1}));
  EXPECT_EQ(elements<uint8_t>("dense<[true]> : tensor<1xi1>"),
            (std::vector<uint8_t>{1}));
}

TEST_F(HostTensorTest, SplatsAndEmptyTensors) {
  EXPECT_EQ(elements<float>("dense<1.5> : tensor<2x2xf32>"),
            (std::vector<float>{1.5, 1.5, 1.5, 1.5}));
  EXPECT_EQ(elements<int32_t>("dense<4> : tensor<i32>"),
            (std::vector<int32_t>{4}));
  FailureOr<HostTensor> empty = get("dense<> : tensor<0x3xf32>");
  ASSERT_TRUE(succeeded(empty));
  EXPECT_TRUE(empty->data.empty());
  FailureOr<HostTensor> emptyBool = get("dense<> : tensor<0xi1>");
  ASSERT_TRUE(succeeded(emptyBool));
  EXPECT_TRUE(emptyBool->data.empty());
}

TEST_F(HostTensorTest, Resources) {
  auto make = [&](StringRef text, ArrayRef<char> bytes) {
    return DenseResourceElementsAttr::get(
        parseTensorType(text, &context), "blob",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 8));
  };
  FailureOr<HostTensor> ints = get(make("tensor<2xi16>", {1, 0, 2, 1}));
  ASSERT_TRUE(succeeded(ints));
  EXPECT_EQ(getElements<int16_t>(*ints), (std::vector<int16_t>{1, 258}));
  // Other producers may write any non-zero byte for true.
  FailureOr<HostTensor> bools = get(make("tensor<3xi1>", {0, 1, -1}));
  ASSERT_TRUE(succeeded(bools));
  EXPECT_EQ(getElements<uint8_t>(*bools), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_TRUE(failed(get(make("tensor<3xi16>", {1, 0, 2, 1}))));
  EXPECT_NE(message.find("to have 6 bytes, as 'tensor<3xi16>', but got 4"),
            std::string::npos)
      << message;
}

TEST_F(HostTensorTest, OtherAttributesAreRefused) {
  EXPECT_TRUE(failed(get("sparse<[[0]], [1.0]> : tensor<4xf32>")));
  EXPECT_EQ(message, "expects a dense or dense_resource value but got "
                     "builtin.sparse_elements");
  EXPECT_TRUE(failed(get("dense<1.0> : vector<4xf32>")));
  EXPECT_EQ(message, "expects a tensor of integers or floats but got "
                     "'vector<4xf32>'");
  EXPECT_TRUE(failed(get("dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>")));
  EXPECT_TRUE(failed(get("dense<1> : tensor<4xi4>")));
  EXPECT_TRUE(failed(get("dense<1> : tensor<4xindex>")));
}

TEST_F(HostTensorTest, SizesThatDoNotFit) {
  auto bytes = [&](StringRef text) {
    return getTensorBytes(parseTensorType(text, &context));
  };
  EXPECT_EQ(bytes("tensor<f64>"), 8);
  EXPECT_EQ(bytes("tensor<3x5xi1>"), 15);
  EXPECT_EQ(bytes("tensor<0x5xf32>"), 0);
  EXPECT_EQ(bytes("tensor<?x5xf32>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<3xindex>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<4611686018427387904x4xi8>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<0x4611686018427387904x4xi8>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<4611686018427387904xi8>"), int64_t(1) << 62);
  EXPECT_EQ(bytes("tensor<4611686018427387904xf32>"), std::nullopt);
  EXPECT_TRUE(failed(allocateHostTensor(
      parseTensorType("tensor<4611686018427387904xi8>", &context))));
}

/// Compares all numbers of a 16-bit format with the definition of the format.
static void checkAllBits(FloatType type, unsigned mantissaBits, int bias) {
  unsigned exponentBits = 15 - mantissaBits;
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    double value = decodeFloat(type, bits);
    uint64_t exponent = (bits >> mantissaBits) & ((1u << exponentBits) - 1);
    uint64_t mantissa = bits & ((1u << mantissaBits) - 1);
    if (exponent == (1u << exponentBits) - 1 && mantissa != 0) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    double expected =
        exponent == 0 ? std::ldexp(mantissa, 1 - bias - int(mantissaBits))
                      : std::ldexp(mantissa + (1u << mantissaBits),
                                   int(exponent) - bias - int(mantissaBits));
    if (exponent == (1u << exponentBits) - 1)
      expected = INFINITY;
    expected = bits >> 15 ? -expected : expected;
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(std::signbit(value), bits >> 15) << bits;
    ASSERT_EQ(encodeFloat(type, value), bits);
  }
}

TEST_F(HostTensorTest, AllHalfNumbers) {
  checkAllBits(Float16Type::get(&context), 10, 15);
}

TEST_F(HostTensorTest, AllBrainNumbers) {
  checkAllBits(BFloat16Type::get(&context), 7, 127);
}

TEST_F(HostTensorTest, RoundsToNearestEven) {
  auto f16 = Float16Type::get(&context);
  for (uint64_t bits = 0; bits < 0x7BFF; ++bits) {
    double low = decodeFloat(f16, bits), high = decodeFloat(f16, bits + 1);
    double middle = (low + high) / 2;
    ASSERT_EQ(encodeFloat(f16, middle), bits + (bits & 1));
    ASSERT_EQ(encodeFloat(f16, std::nextafter(middle, low)), bits);
    ASSERT_EQ(encodeFloat(f16, std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(encodeFloat(f16, 65519.9), 0x7BFFu);
  EXPECT_EQ(encodeFloat(f16, 65520), 0x7C00u);
}

TEST_F(HostTensorTest, IntegersHaveTheirTypesSign) {
  auto get = [&](StringRef text, uint64_t bits) {
    return static_cast<int64_t>(
        decodeInteger(cast<IntegerType>(parseType(text, &context)), bits));
  };
  EXPECT_EQ(get("i8", 0xFF), -1);
  EXPECT_EQ(get("ui8", 0xFF), 255);
  EXPECT_EQ(get("i1", 1), 1);
  EXPECT_EQ(get("i64", UINT64_MAX), -1);
  EXPECT_TRUE(decodeInteger(cast<IntegerType>(parseType("ui64", &context)),
                            UINT64_MAX) == __int128(UINT64_MAX));
}

TEST_F(HostTensorTest, BitsRoundTrip) {
  for (StringRef text : {"i8", "i16", "i32", "i64", "f16", "f32"}) {
    Type type = parseType(text, &context);
    unsigned width = type.getIntOrFloatBitWidth();
    uint64_t bits = 0x8123456789ABCDEF >> (64 - width);
    char data[8];
    storeBits(type, bits, data);
    EXPECT_EQ(loadBits(type, data), bits) << text.str();
    EXPECT_EQ(static_cast<unsigned char>(data[0]), bits & 0xFF);
  }
}
} // namespace
