//===- NpyTest.cpp - Reading and writing of .npy --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/Npy.h"

#include "HostTensorTestUtils.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class NpyTest : public ::testing::Test {
protected:
  static std::string makeFile(StringRef header, StringRef data,
                              unsigned version = 1) {
    std::string file = "\x93NUMPY";
    file += static_cast<char>(version);
    file += '\0';
    for (unsigned byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
      file += static_cast<char>(header.size() >> (8 * byte));
    return file + header.str() + data.str();
  }
  static std::string makeHeader(StringRef descr, StringRef shape,
                                bool isFortranOrder = false) {
    return ("{'descr': '" + descr +
            "', 'fortran_order': " + (isFortranOrder ? "True" : "False") +
            ", 'shape': " + shape + ", }\n")
        .str();
  }
  std::string getError(StringRef file) {
    return getMessage(parseNpy(file, &context));
  }
  std::string write(const HostTensor &tensor) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeNpy(os, tensor);
    return text;
  }

  MLIRContext context;
};

TEST_F(NpyTest, RoundTripsAllTypes) {
  for (StringRef element : {"i1", "i8", "i16", "i32", "i64", "ui8", "ui16",
                            "ui32", "ui64", "f16", "bf16", "f32", "f64"})
    for (StringRef shape : {"", "0x", "1x", "3x", "2x3x", "2x0x3x", "2x3x4x"}) {
      auto type =
          parseTensorType(("tensor<" + shape + element + ">").str(), &context);
      FailureOr<HostTensor> tensor = allocateHostTensor(type);
      ASSERT_TRUE(succeeded(tensor));
      for (auto [i, byte] : llvm::enumerate(tensor->data))
        byte = element == "i1" ? i % 2 : i + 1;
      std::string file = write(*tensor);
      // The elements begin at a multiple of 64 bytes.
      EXPECT_EQ((file.size() - tensor->data.size()) % 64, 0u);
      llvm::Expected<HostTensor> back = parseNpy(file, &context);
      ASSERT_TRUE(static_cast<bool>(back)) << getMessage(back.takeError());
      EXPECT_EQ(back->type, type);
      EXPECT_EQ(back->data, tensor->data);
    }
}

TEST_F(NpyTest, WritesWhatNumPyWrites) {
  auto tensor = makeTensor<float>("tensor<2xf32>", &context, {1, 2});
  std::string header = "{'descr': '<f4', 'fortran_order': False, "
                       "'shape': (2,), }";
  header.resize(128 - 10 - 1, ' ');
  EXPECT_EQ(write(tensor),
            makeFile(header + "\n", StringRef("\0\0\x80\x3f\0\0\0\x40", 8)));
}

TEST_F(NpyTest, ReadsFortranOrder) {
  std::string data;
  for (char c = 0; c < 24; ++c)
    data += c;
  llvm::Expected<HostTensor> tensor = parseNpy(
      makeFile(makeHeader("|u1", "(2, 3, 4)", /*isFortranOrder=*/true), data),
      &context);
  ASSERT_TRUE(static_cast<bool>(tensor)) << getMessage(tensor.takeError());
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(tensor->data[(i * 3 + j) * 4 + k], i + 2 * (j + 3 * k));
}

TEST_F(NpyTest, ReadsOtherVersionsAndSpellings) {
  for (unsigned version : {1, 2, 3})
    EXPECT_EQ(getError(makeFile(makeHeader("<i2", "(1,)"), "ab", version)),
              "success");
  EXPECT_EQ(getError(makeFile("{\"shape\":(1L,),\"fortran_order\":True,"
                              "\"descr\":\"|i1\"}",
                              "a")),
            "success");
  EXPECT_EQ(getError(makeFile(makeHeader("=f4", "()"), "abcd")), "success");
  EXPECT_EQ(getError(makeFile(makeHeader(">u1", "()"), "a")), "success");
}

TEST_F(NpyTest, NormalisesBools) {
  llvm::Expected<HostTensor> tensor = parseNpy(
      makeFile(makeHeader("|b1", "(3,)"), StringRef("\0\1\2", 3)), &context);
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(getElements<uint8_t>(*tensor), (std::vector<uint8_t>{0, 1, 1}));
}

TEST_F(NpyTest, NamesWhatIsWrong) {
  std::string file = makeFile(makeHeader("<f4", "(2, 3)"), std::string(24, 0));
  ASSERT_EQ(getError(file), "success");
  EXPECT_EQ(getError(""), "not a .npy file");
  EXPECT_EQ(getError("PK\3\4"), "not a .npy file");
  EXPECT_EQ(getError("\x93NUMPY\4\x00xxxx"), "the header is truncated");
  EXPECT_EQ(getError(StringRef("\x93NUMPY\4\0xxxx", 12)),
            "version 4.0 of the format is not supported");
  EXPECT_EQ(getError(file + "x"),
            "expects 24 bytes of elements for shape [2, 3] and type '<f4' but "
            "got 25");
  EXPECT_EQ(getError(makeFile(makeHeader(">f4", "()"), "abcd")),
            "expects little-endian elements but got '>f4'");
  EXPECT_EQ(getError(makeFile(makeHeader("<c8", "()"), "abcd")),
            "element type '<c8' is not supported");
  EXPECT_EQ(getError(makeFile(makeHeader("|O", "()"), "abcd")),
            "element type '|O' is not supported");
  EXPECT_EQ(getError(makeFile("{'descr': [('a', '<f4')]", "")),
            "structured element types are not supported");
  EXPECT_EQ(getError(makeFile("{'descr': '<f4'}", "")),
            "malformed header: expects the keys 'descr', 'fortran_order' and "
            "'shape'");
  EXPECT_EQ(getError(makeFile("{'a': 1}", "")),
            "malformed header: unknown key 'a'");
  EXPECT_EQ(getError(makeFile("{'descr' '<f4'}", "")),
            "malformed header: expects ':' but got ''<f4'}'");
  EXPECT_EQ(getError(makeFile("{'shape': (1", "")),
            "malformed header: expects ',' or ')' but got its end");
}

TEST_F(NpyTest, RefusesWildShapes) {
  auto getShapeError = [&](StringRef shape) {
    return getError(makeFile(makeHeader("<f4", shape), ""));
  };
  EXPECT_EQ(getShapeError("(-1,)"),
            "malformed header: expects a size that fits int64 but got '-1,), "
            "}\\0A'");
  EXPECT_NE(getShapeError("(9223372036854775808,)"), "success");
  EXPECT_EQ(getShapeError("(4294967296, 4294967296)"),
            "shape [4294967296, 4294967296] has too many elements");
  EXPECT_EQ(getShapeError("(0, 4294967296, 4294967296)"),
            "shape [0, 4294967296, 4294967296] has too many elements");
  EXPECT_EQ(getShapeError("(1152921504606846976,)"),
            "expects 4611686018427387904 bytes of elements for shape "
            "[1152921504606846976] and type '<f4' but got 0");
  std::string ones = "(";
  for (int i = 0; i < 65; ++i)
    ones += "1,";
  EXPECT_EQ(getShapeError(ones + ")"),
            "expects at most 64 dimensions but got more");
}

TEST_F(NpyTest, SurvivesEveryTruncationAndChangedByte) {
  std::string file = makeFile(makeHeader("<f4", "(2, 3)"), std::string(24, 1));
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(getError(StringRef(file).take_front(size)), "success") << size;
  for (size_t at = 0; at < file.size() - 24; ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = file;
      changed[at] = static_cast<char>(byte);
      // Reading must not crash. Some changes are not errors.
      (void)getError(changed);
    }
}

TEST_F(NpyTest, WritesTheBitsOfTypesThatNumPyHasNot) {
  for (StringRef type : {"f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ"}) {
    auto tensor = makeTensor<char>(("tensor<3x" + type + ">").str(), &context,
                                   {0, 0x3C, static_cast<char>(0xFF)});
    std::string file = write(tensor);
    EXPECT_NE(file.find("'|u1'"), std::string::npos);
    // ml_dtypes writes elements as bytes without a type.
    std::string bytes = file;
    bytes.replace(bytes.find("'|u1'"), 5, "'|V1'");
    for (const std::string &text : {file, bytes}) {
      llvm::Expected<HostTensor> back = parseNpy(text, &context);
      ASSERT_TRUE(static_cast<bool>(back));
      EXPECT_TRUE(back->type.getElementType().isUnsignedInteger(8));
      EXPECT_EQ(back->data, tensor.data);
      viewAs(Float32Type::get(&context), *back);
      EXPECT_TRUE(back->type.getElementType().isUnsignedInteger(8));
      viewAs(tensor.type.getElementType(), *back);
      EXPECT_EQ(back->type, tensor.type);
    }
  }
}

TEST_F(NpyTest, Files) {
  EXPECT_EQ(getMessage(readNpy("/nonexistent.npy", &context)),
            "No such file or directory");
  EXPECT_EQ(getMessage(readNpy("/", &context)), "Is a directory");
  EXPECT_EQ(getMessage(readNpy("/dev/zero", &context)), "not a regular file");
  auto tensor = makeTensor<float>("tensor<2xf32>", &context, {1, 2});
  EXPECT_EQ(getMessage(writeNpy("/nonexistent/x.npy", tensor)),
            "No such file or directory");
  EXPECT_EQ(getMessage(writeNpy("/dev/full", tensor)),
            "No space left on device");
  SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("test", "npy", path));
  EXPECT_EQ(getMessage(writeNpy(path, tensor)), "success");
  llvm::Expected<HostTensor> back = readNpy(path, &context);
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(back->data, tensor.data);
  (void)llvm::sys::fs::remove(path);
}
} // namespace
