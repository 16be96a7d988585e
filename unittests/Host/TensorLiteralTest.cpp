//===- TensorLiteralTest.cpp - Tensors as text ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensorTestUtils.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
/// Returns the tensor that `text` describes, as an attribute, or the error.
std::string parse(StringRef text, StringRef type) {
  MLIRContext context;
  llvm::Expected<HostTensor> tensor =
      parseTensorLiteral(text, parseType(type, &context));
  if (!tensor)
    return llvm::toString(tensor.takeError());
  std::string printed;
  llvm::raw_string_ostream(printed) << getDenseElements(*tensor);
  return printed;
}

TEST(TensorLiteralTest, Values) {
  EXPECT_EQ(parse("3", "i64"), "dense<3> : tensor<i64>");
  EXPECT_EQ(parse(" [1, -2] ", "i8"), "dense<[1, -2]> : tensor<2xi8>");
  EXPECT_EQ(parse("[[1, 2], [3, 4]]", "ui8"),
            "dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>");
  EXPECT_EQ(parse("[18446744073709551615]", "ui64"),
            "dense<18446744073709551615> : tensor<1xui64>");
  EXPECT_EQ(parse("[-9223372036854775808]", "i64"),
            "dense<-9223372036854775808> : tensor<1xi64>");
  EXPECT_EQ(parse("[true, false, 1]", "i1"),
            "dense<[true, false, true]> : tensor<3xi1>");
  EXPECT_EQ(parse("[0.1, 1e40, 2]", "f32"),
            "dense<[1.000000e-01, 0x7F800000, 2.000000e+00]> : tensor<3xf32>");
}

TEST(TensorLiteralTest, EmptyLists) {
  EXPECT_EQ(parse("[]", "i64"), "dense<> : tensor<0xi64>");
  EXPECT_EQ(parse("[[], []]", "f32"), "dense<> : tensor<2x0xf32>");
}

TEST(TensorLiteralTest, WrongElements) {
  EXPECT_EQ(parse("128", "i8"), "expects an element of type i8 but got '128'");
  EXPECT_EQ(parse("-1", "ui8"), "expects an element of type ui8 but got '-1'");
  EXPECT_EQ(parse("2", "i1"), "expects an element of type i1 but got '2'");
  EXPECT_EQ(parse("true", "i64"),
            "expects an element of type i64 but got 'true'");
  EXPECT_EQ(parse("[1.5]", "i64"),
            "expects an element of type i64 but got '1.5'");
  EXPECT_EQ(parse("9.223372036854775808e18", "i64"),
            "expects an element of type i64 but got '9.2233720368547758e+18'");
  EXPECT_EQ(parse("9223372036854775808", "i64"),
            "expects an element of type i64 but got '9223372036854775808'");
  EXPECT_EQ(parse("9223372036854775807", "i64"),
            "dense<9223372036854775807> : tensor<i64>");
  EXPECT_EQ(parse("[null]", "f32"),
            "expects an element of type f32 but got 'null'");
}

TEST(TensorLiteralTest, WrongTexts) {
  EXPECT_EQ(parse("[1, 2", "i64"),
            "expects a number, true, false or a list, such as [[1, 2], [3, "
            "4]], but got '[1, 2'");
  EXPECT_EQ(parse("[[1], [2, 3]]", "i64"),
            "expects lists of equal shapes but got '[2,3]'");
  EXPECT_EQ(parse("[1, [2]]", "i64"),
            "expects lists of equal shapes but got '[2]'");
  EXPECT_EQ(parse("[[1], 2]", "i64"),
            "expects lists of equal shapes but got '2'");
  EXPECT_EQ(parse(std::string(5000, '['), "i64"),
            "expects at most 4096 lists: write larger values to a file");
}
} // namespace
