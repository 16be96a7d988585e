//===- InputSpecTest.cpp - Specifications of inputs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/InputSpec.h"

#include "HostTensorTestUtils.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {
class InputSpecTest : public ::testing::Test {
protected:
  InputSpecTest()
      : inputs{{"x", type("tensor<2xf32>")}, {"y", type("tensor<i8>")}} {}

  RankedTensorType type(StringRef text) {
    return parseTensorType(text, &context);
  }
  HostTensor generate(StringRef value, StringRef name, StringRef tensorType) {
    return llvm::cantFail(
        generateInput(llvm::cantFail(parseInputSpec(("x=" + value).str())),
                      name, type(tensorType)));
  }
  std::string check(ArrayRef<StringRef> texts) {
    std::vector<InputSpec> specs;
    for (StringRef text : texts)
      specs.push_back(llvm::cantFail(parseInputSpec(text)));
    return getMessage(checkInputSpecs(specs, inputs));
  }

  MLIRContext context;
  std::vector<ProgramInput> inputs;
};

TEST_F(InputSpecTest, Parses) {
  InputSpec file = llvm::cantFail(parseInputSpec("a:0=dir=1/b.npy"));
  EXPECT_EQ(file.name, "a:0");
  EXPECT_EQ(file.file, "dir=1/b.npy");
  InputSpec random =
      llvm::cantFail(parseInputSpec("*=random:18446744073709551615"));
  EXPECT_EQ(random.name, "*");
  EXPECT_TRUE(random.file.empty());
  EXPECT_EQ(random.generator, InputGenerator::Random);
  EXPECT_EQ(random.seed, UINT64_MAX);
  EXPECT_EQ(llvm::cantFail(parseInputSpec("x=ramp")).generator,
            InputGenerator::Ramp);
  EXPECT_EQ(llvm::cantFail(parseInputSpec("x=y==ones")).name, "x=y=");
}

TEST_F(InputSpecTest, NamesWhatDoesNotParse) {
  auto getError = [](StringRef text) {
    return getMessage(parseInputSpec(text));
  };
  EXPECT_EQ(getError(""), "expects NAME=VALUE but got ''");
  EXPECT_EQ(getError("x"), "expects NAME=VALUE but got 'x'");
  EXPECT_EQ(getError("=zeros"), "expects NAME=VALUE but got '=zeros'");
  EXPECT_EQ(getError("x=f.bin"), "expects FILE.npy, FILE.pb, random:SEED, "
                                 "zeros, ones or ramp but got 'f.bin'");
  EXPECT_EQ(getError("x=random"), "expects FILE.npy, FILE.pb, random:SEED, "
                                  "zeros, ones or ramp but got 'random'");
  EXPECT_EQ(getError("x=random:-1"),
            "expects a seed from 0 to 2^64 - 1 but got '-1'");
  EXPECT_EQ(getError("x=random:"),
            "expects a seed from 0 to 2^64 - 1 but got ''");
}

TEST_F(InputSpecTest, EachInputOnce) {
  EXPECT_EQ(check({"x=zeros", "y=ramp"}), "success");
  EXPECT_EQ(check({"*=zeros"}), "success");
  EXPECT_EQ(check({"*=zeros", "x=ones"}), "success");
  EXPECT_EQ(check({"x=zeros", "z=ramp"}),
            "unknown input 'z'; the program's inputs are 'x' : tensor<2xf32>, "
            "'y' : tensor<i8>");
  EXPECT_EQ(check({"x=zeros", "y=ramp", "x=ones"}), "input 'x' is given twice");
  EXPECT_EQ(check({"*=zeros", "*=ramp"}), "input '*' is given twice");
  EXPECT_EQ(check({"x=zeros"}), "no value for input 'y' : tensor<i8>");
  EXPECT_EQ(check({}), "no value for inputs 'x' : tensor<2xf32>, 'y' : "
                       "tensor<i8>");
  inputs.clear();
  EXPECT_EQ(check({}), "success");
  EXPECT_EQ(check({"*=zeros"}), "success");
  EXPECT_EQ(check({"x=zeros"}), "unknown input 'x'; the program has no inputs");
}

TEST_F(InputSpecTest, ConstantsAndRamps) {
  EXPECT_EQ(getElements<float>(generate("zeros", "x", "tensor<2xf32>")),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(getElements<float>(generate("ones", "x", "tensor<2xf32>")),
            (std::vector<float>{1, 1}));
  EXPECT_EQ(getElements<int64_t>(generate("ones", "x", "tensor<2xi64>")),
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(getElements<float>(generate("ramp", "x", "tensor<2x2xf32>")),
            (std::vector<float>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(getElements<uint8_t>(generate("ramp", "x", "tensor<3xi1>")),
            (std::vector<uint8_t>{0, 1, 0}));
  auto wrapped = getElements<uint8_t>(generate("ramp", "x", "tensor<258xui8>"));
  EXPECT_EQ(wrapped[255], 255);
  EXPECT_EQ(wrapped[257], 1);
  EXPECT_TRUE(generate("ramp", "x", "tensor<0xf32>").data.empty());
}

TEST_F(InputSpecTest, RandomFloatsAreUniform) {
  auto values =
      getElements<float>(generate("random:7", "x", "tensor<100000xf32>"));
  double sum = 0, squares = 0;
  for (float value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
  EXPECT_NEAR(squares / 100000, 1.0 / 3, 0.01);
  for (StringRef element : {"f16", "bf16", "f64", "f8E4M3FN", "f8E5M2",
                            "f8E4M3FNUZ", "f8E5M2FNUZ"}) {
    HostTensor tensor =
        generate("random:7", "x", ("tensor<1000x" + element + ">").str());
    auto floatType = cast<FloatType>(tensor.type.getElementType());
    int64_t bytes = getElementBytes(floatType);
    for (int64_t i = 0; i < 1000; ++i) {
      double value =
          decodeFloat(floatType, loadBits(floatType, &tensor.data[i * bytes]));
      ASSERT_TRUE(value >= -1 && value < 1) << element.str() << " " << value;
    }
  }
}

TEST_F(InputSpecTest, RandomIntegersAreInRange) {
  auto getSet = [&](StringRef element) {
    auto values = getElements<int8_t>(
        generate("random:7", "x", ("tensor<1000x" + element + ">").str()));
    return std::set<int>(values.begin(), values.end());
  };
  std::set<int> isSigned = getSet("i8"), isUnsigned = getSet("ui8"),
                isBool = getSet("i1");
  EXPECT_EQ(isSigned.size(), 16u);
  EXPECT_EQ(*isSigned.begin(), -8);
  EXPECT_EQ(isUnsigned.size(), 16u);
  EXPECT_EQ(*isUnsigned.begin(), 0);
  EXPECT_EQ(isBool, (std::set<int>{0, 1}));
}

/// The sequence is part of the interface.
TEST_F(InputSpecTest, RandomValuesDoNotChange) {
  EXPECT_EQ(getElements<int32_t>(generate("random:0", "x", "tensor<8xi32>")),
            (std::vector<int32_t>{-5, 4, 2, 5, -2, 4, 3, 2}));
  EXPECT_NE(generate("random:1", "x", "tensor<8xf32>").data,
            generate("random:2", "x", "tensor<8xf32>").data);
  EXPECT_NE(generate("random:1", "x", "tensor<8xf32>").data,
            generate("random:1", "y", "tensor<8xf32>").data);
}

TEST_F(InputSpecTest, RefusesWhatDoesNotFit) {
  auto getError = [&](StringRef text) {
    return getMessage(generateInput(InputSpec(), "x", type(text)));
  };
  EXPECT_EQ(getError("tensor<4611686018427387904x4xf32>"),
            "input 'x': cannot create values for a "
            "tensor<4611686018427387904x4xf32>: it has too many elements or an "
            "unsupported element type");
  EXPECT_EQ(getError("tensor<2xindex>"),
            "input 'x': cannot create values for a tensor<2xindex>: it has too "
            "many elements or an unsupported element type");
  EXPECT_EQ(
      getError("tensor<4611686018427387904xi8>"),
      "input 'x': not enough memory for a tensor<4611686018427387904xi8>");
}

TEST_F(InputSpecTest, LeavesDefaultValues) {
  for (ProgramInput &input : inputs)
    input.hasDefault = true;
  EXPECT_EQ(check({}), "success");
  EXPECT_EQ(check({"x=ones", "x=ones"}), "input 'x' is given twice");
  std::vector<InputSpec> specs = {llvm::cantFail(parseInputSpec("x=ones")),
                                  llvm::cantFail(parseInputSpec("*=ones"))};
  auto values = llvm::cantFail(
      resolveInputs(specs, inputs, [](StringRef) -> llvm::Expected<HostTensor> {
        llvm_unreachable("no file is named");
      }));
  EXPECT_TRUE(values.at(0).has_value());
  EXPECT_FALSE(values.at(1).has_value());
}

TEST_F(InputSpecTest, ChecksFilesAgainstTypes) {
  auto resolve = [&](StringRef fileType) {
    std::vector<InputSpec> specs = {llvm::cantFail(parseInputSpec("x=f.npy")),
                                    llvm::cantFail(parseInputSpec("*=ones"))};
    return resolveInputs(specs, inputs,
                         [&](StringRef file) -> llvm::Expected<HostTensor> {
                           EXPECT_EQ(file, "f.npy");
                           return llvm::cantFail(
                               generateInput(InputSpec(), "x", type(fileType)));
                         });
  };
  auto values = resolve("tensor<2xf32>");
  ASSERT_TRUE(static_cast<bool>(values));
  EXPECT_EQ(values->at(1)->data, std::vector<char>{1});
  EXPECT_EQ(getMessage(resolve("tensor<3xf32>")),
            "input 'x' (f.npy) expects tensor<2xf32> but got tensor<3xf32>");
  EXPECT_EQ(getMessage(resolve("tensor<2xf64>")),
            "input 'x' (f.npy) expects tensor<2xf32> but got tensor<2xf64>");
}

/// Each input has its own number of host transfers, and may have more tensors
/// if this number is greater than 1.
TEST_F(InputSpecTest, ChecksHostTransfersOfEachInput) {
  std::vector<ProgramInput> inputs = {{"x", type("tensor<3x2xf32>")},
                                      {"lr", type("tensor<f32>")}};
  inputs[0].hostTransfers = 3;
  inputs[0].numHostDims = 1;
  auto resolve = [&](StringRef x, StringRef lr) {
    std::vector<InputSpec> specs = {llvm::cantFail(parseInputSpec("x=x.npy")),
                                    llvm::cantFail(parseInputSpec("lr=l.npy"))};
    return getMessage(resolveInputs(
        specs, inputs, [&](StringRef file) -> llvm::Expected<HostTensor> {
          return llvm::cantFail(
              generateInput(InputSpec(), "x", type(file == "x.npy" ? x : lr)));
        }));
  };
  EXPECT_EQ(resolve("tensor<3x2xf32>", "tensor<f32>"), "success");
  EXPECT_EQ(resolve("tensor<5x2xf32>", "tensor<f32>"), "success");
  EXPECT_EQ(resolve("tensor<2x2xf32>", "tensor<f32>"),
            "input 'x' (x.npy) expects tensor<3x2xf32> (host transfers, then "
            "the shape) but got tensor<2x2xf32>");
  EXPECT_EQ(resolve("tensor<3x2xf32>", "tensor<3xf32>"),
            "input 'lr' (l.npy) expects tensor<f32> but got tensor<3xf32>");
}
} // namespace
