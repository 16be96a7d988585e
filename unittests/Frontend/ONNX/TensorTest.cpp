//===- TensorTest.cpp - Reading ONNX tensors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests write files byte by byte: a field of a TensorProto is a key,
// (number << 3 | wire type), and a value.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Import.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// The numbers of element types in ONNX.
enum ElementType : char {
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kString = 8,
  kBool = 9,
  kComplex64 = 14,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUInt2 = 25
};

/// Builds a TensorProto.
struct TensorBytes {
  std::string bytes;

  TensorBytes(const std::vector<char> &dims, ElementType type) {
    for (char dim : dims)
      add(1, dim);
    add(2, static_cast<char>(type));
  }
  TensorBytes &add(int field, char number) {
    bytes += {static_cast<char>(field << 3), number};
    return *this;
  }
  TensorBytes &add(int field, StringRef text) {
    bytes +=
        {static_cast<char>(field << 3 | 2), static_cast<char>(text.size())};
    bytes += text;
    return *this;
  }
  TensorBytes &addRaw(StringRef raw) { return add(9, raw); }
};

class ONNXTensorTest : public testing::Test {
protected:
  ONNXTensorTest()
      : handler(&context, [&](Diagnostic &diag) { error = diag.str(); }) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("tensor", "pb", path));
  }
  ~ONNXTensorTest() override { (void)llvm::sys::fs::remove(path); }

  FailureOr<onnx::NamedTensor> load(StringRef bytes) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << bytes;
    EXPECT_FALSE(code);
    return onnx::loadONNXTensor(path, &context);
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
  SmallString<64> path;
};
} // namespace

TEST_F(ONNXTensorTest, ReadsNameTypeAndRawData) {
  auto tensor = load(TensorBytes({3}, kUInt8)
                         .add(8, StringRef("t"))
                         .addRaw(StringRef("\x01\x02\xff", 3))
                         .bytes);
  ASSERT_TRUE(succeeded(tensor)) << error;
  EXPECT_EQ(tensor->name, "t");
  EXPECT_EQ(tensor->value.getType(),
            RankedTensorType::get(
                3, IntegerType::get(&context, 8, IntegerType::Unsigned)));
  EXPECT_THAT(llvm::to_vector(tensor->value.getValues<uint8_t>()),
              ElementsAre(1, 2, 255));
}

TEST_F(ONNXTensorTest, ReadsTypedFields) {
  // Field 5, int32_data, is packed.
  auto tensor =
      load(TensorBytes({2}, kInt8).add(5, StringRef("\x07\x09")).bytes);
  ASSERT_TRUE(succeeded(tensor)) << error;
  EXPECT_THAT(llvm::to_vector(tensor->value.getValues<int8_t>()),
              ElementsAre(7, 9));
}

TEST_F(ONNXTensorTest, ReadsBooleans) {
  auto tensor =
      load(TensorBytes({3}, kBool).addRaw(StringRef("\1\0\2", 3)).bytes);
  ASSERT_TRUE(succeeded(tensor)) << error;
  EXPECT_THAT(llvm::to_vector(tensor->value.getValues<bool>()),
              ElementsAre(true, false, true));
}

TEST_F(ONNXTensorTest, UnpacksNarrowIntegers) {
  auto signedOnes =
      load(TensorBytes({3}, kInt4).addRaw(StringRef("\x87\x0f")).bytes);
  ASSERT_TRUE(succeeded(signedOnes)) << error;
  EXPECT_THAT(llvm::to_vector(signedOnes->value.getValues<int8_t>()),
              ElementsAre(7, -8, -1));
  auto typed = load(TensorBytes({2}, kInt4).add(5, StringRef("\x31")).bytes);
  ASSERT_TRUE(succeeded(typed)) << error;
  EXPECT_THAT(llvm::to_vector(typed->value.getValues<int8_t>()),
              ElementsAre(1, 3));
  auto unsignedOnes =
      load(TensorBytes({4}, kUInt2).addRaw(StringRef("\xe4")).bytes);
  ASSERT_TRUE(succeeded(unsignedOnes)) << error;
  EXPECT_THAT(llvm::to_vector(unsignedOnes->value.getValues<uint8_t>()),
              ElementsAre(0, 1, 2, 3));
}

TEST_F(ONNXTensorTest, UnpacksNarrowFloats) {
  auto toDoubles = [](DenseElementsAttr value) {
    return llvm::map_to_vector(value.getValues<APFloat>(), [](APFloat x) {
      bool losesInfo;
      x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
      return x.convertToDouble();
    });
  };
  auto nibbles = load(TensorBytes({8}, kFloat4E2M1)
                          .addRaw(StringRef("\x10\x32\x54\xf6"))
                          .bytes);
  ASSERT_TRUE(succeeded(nibbles)) << error;
  EXPECT_THAT(toDoubles(nibbles->value),
              ElementsAre(0, 0.5, 1, 1.5, 2, 3, 4, -6));
  auto powers = load(
      TensorBytes({3}, kFloat8E8M0).addRaw(StringRef("\0\x7f\xfe", 3)).bytes);
  ASSERT_TRUE(succeeded(powers)) << error;
  EXPECT_THAT(toDoubles(powers->value),
              ElementsAre(std::ldexp(1.0, -127), 1, std::ldexp(1.0, 127)));
}

TEST_F(ONNXTensorTest, EqualElementsAreASplat) {
  auto tensor = load(TensorBytes({2}, kFloat)
                         .addRaw(StringRef("\0\0\x80\x3f\0\0\x80\x3f", 8))
                         .bytes);
  ASSERT_TRUE(succeeded(tensor)) << error;
  EXPECT_TRUE(tensor->value.isSplat());
  EXPECT_EQ(tensor->value.getSplatValue<float>(), 1.0f);
}

TEST_F(ONNXTensorTest, ReadsScalarsAndEmptyTensors) {
  auto scalar = load(TensorBytes({}, kInt8).addRaw(StringRef("\x05")).bytes);
  ASSERT_TRUE(succeeded(scalar)) << error;
  EXPECT_EQ(scalar->value.getType().getRank(), 0);
  auto empty = load(TensorBytes({2, 0}, kFloat).bytes);
  ASSERT_TRUE(succeeded(empty)) << error;
  EXPECT_EQ(empty->value.getNumElements(), 0);
}

TEST_F(ONNXTensorTest, RejectsWrongSizes) {
  EXPECT_TRUE(failed(
      load(TensorBytes({3}, kFloat).addRaw(StringRef("\0\0", 2)).bytes)));
  EXPECT_THAT(error, HasSubstr("expects 12 bytes of data but got 2"));
  EXPECT_TRUE(failed(
      load(TensorBytes({3}, kInt8).add(5, StringRef("\x07\x09")).bytes)));
  EXPECT_THAT(error, HasSubstr("expects 3 elements of data but got 2"));
}

TEST_F(ONNXTensorTest, RejectsElementsOutOfRange) {
  // 300 is encoded as 0xac 0x02.
  EXPECT_TRUE(failed(
      load(TensorBytes({1}, kInt8).add(5, StringRef("\xac\x02")).bytes)));
  EXPECT_THAT(error, HasSubstr("element 300 is out of the range of int8"));
}

TEST_F(ONNXTensorTest, RejectsUnsupportedTypes) {
  EXPECT_TRUE(failed(load(TensorBytes({1}, kString).bytes)));
  EXPECT_THAT(error, HasSubstr("unsupported type string"));
  EXPECT_TRUE(failed(load(TensorBytes({1}, kComplex64).bytes)));
  EXPECT_THAT(error, HasSubstr("unsupported type complex64"));
}

TEST_F(ONNXTensorTest, RejectsExternalData) {
  // Field 14 is data_location, and 1 is EXTERNAL.
  EXPECT_TRUE(failed(load(TensorBytes({1}, kFloat).add(14, 1).bytes)));
  EXPECT_THAT(error, HasSubstr("external data are not allowed here"));
}

TEST_F(ONNXTensorTest, RejectsWhatIsNoTensor) {
  EXPECT_TRUE(failed(load("")));
  EXPECT_THAT(error, HasSubstr("empty file"));
  EXPECT_TRUE(failed(load("\x4a\x7f")));
  EXPECT_THAT(error, HasSubstr("truncated, has another format"));
  EXPECT_TRUE(failed(onnx::loadONNXTensor("/no/such/file.pb", &context)));
  EXPECT_THAT(error, HasSubstr("cannot read"));
}
