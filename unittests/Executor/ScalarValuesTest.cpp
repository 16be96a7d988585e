//===- ScalarValuesTest.cpp - Scalar values of codelets -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/ScalarValues.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {
class ScalarValuesTest : public ::testing::Test {
protected:
  SmallVector<Type> getFloats() {
    return {
        Float64Type::get(&context),        Float32Type::get(&context),
        Float16Type::get(&context),        BFloat16Type::get(&context),
        Float8E5M2Type::get(&context),     Float8E4M3Type::get(&context),
        Float8E4M3FNType::get(&context),   Float8E5M2FNUZType::get(&context),
        Float8E4M3FNUZType::get(&context), Float8E4M3B11FNUZType::get(&context),
        Float8E3M4Type::get(&context),     Float8E8M0FNUType::get(&context)};
  }

  MLIRContext context;
};
} // namespace

// The sizes are around those of vectors and of the blocks that are searched at
// once.
TEST_F(ScalarValuesTest, FindsAndReplacesNaNs) {
  std::mt19937_64 random(1);
  for (Type type : getFloats()) {
    ScalarKind kind = getScalarKind(type);
    size_t bytes = getScalarBytes(kind);
    for (size_t size : {0, 1, 15, 17, 63, 65, 4095, 4096, 4097, 8191, 8193}) {
      // Finite values, all bits, and one NaN at the end.
      for (int round : {0, 1, 2}) {
        std::vector<char> data(size * bytes);
        bool hasNaN = false;
        for (size_t i = 0; i < size; ++i) {
          uint64_t bits = encodeScalar(kind, 1.0);
          if (round == 1)
            bits = maskTo(random(), getScalarWidth(kind));
          else if (round == 2 && i + 1 == size)
            bits = encodeScalar(kind, std::nan(""));
          storeScalar(kind, bits, &data[i * bytes]);
          hasNaN |= std::isnan(decodeScalar(kind, bits));
        }
        std::vector<char> expected = data;
        for (size_t at = 0; at < data.size(); at += bytes)
          storeScalar(kind, canonicalizeNaN(kind, loadScalar(kind, &data[at])),
                      &expected[at]);
        EXPECT_EQ(hasNaNs(type, data), hasNaN);
        canonicalizeNaNs(type, data);
        EXPECT_EQ(data, expected);
      }
    }
  }
}

// A signaling NaN and a negative one have the bits of the NaN that the host
// sees; infinities keep their bits.
TEST_F(ScalarValuesTest, NaNsLoseSignAndPayload) {
  std::vector<uint32_t> values = {0x7F800001, 0xFFC00000, 0x7FC00000,
                                  0x7F800000, 0xFF800000, 0x3F800000};
  std::vector<uint32_t> expected = {0x7FC00000, 0x7FC00000, 0x7FC00000,
                                    0x7F800000, 0xFF800000, 0x3F800000};
  canonicalizeNaNs(Float32Type::get(&context),
                   {reinterpret_cast<char *>(values.data()), 24});
  EXPECT_EQ(values, expected);
}

TEST_F(ScalarValuesTest, IntegersAreNeverNaNs) {
  std::vector<char> data(64, -1);
  const std::vector<char> expected(64, -1);
  Type type = IntegerType::get(&context, 32);
  EXPECT_FALSE(hasNaNs(type, data));
  canonicalizeNaNs(type, data);
  EXPECT_EQ(data, expected);
}
