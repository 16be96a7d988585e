//===- ImportTest.cpp - The interface of the importer ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;
using onnx::ImportOutcome;

namespace {
class ONNXImportTest : public testing::Test {
protected:
  ONNXImportTest()
      : handler(&context, [&](Diagnostic &) { ++numDiagnostics; }) {}

  ImportOutcome import(StringRef text,
                       const onnx::ImportOptions &options = {}) {
    ImportOutcome outcome = ImportOutcome::Success;
    auto result = onnx::importONNXBuffer({text, "model.onnxtxt"}, &context,
                                         options, &outcome);
    EXPECT_EQ(succeeded(result), outcome == ImportOutcome::Success);
    if (succeeded(result))
      module = std::move(*result);
    return outcome;
  }
  FunctionType getMainType() {
    return module->lookupSymbol<func::FuncOp>("main").getFunctionType();
  }

  MLIRContext context;
  int numDiagnostics = 0;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static constexpr StringLiteral kHeader =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n";

static std::string getModel(const Twine &graph) {
  return (kHeader + graph).str();
}

TEST_F(ONNXImportTest, TellsHowAnImportEnded) {
  EXPECT_EQ(import(getModel("g (float[2] x) => (float[2] y) {y = Relu(x)}")),
            ImportOutcome::Success);
  EXPECT_EQ(numDiagnostics, 0);
  EXPECT_EQ(import(getModel("g (float[2] x) => (float[2] y) {y = Foo(x)}")),
            ImportOutcome::Unsupported);
  EXPECT_EQ(import(getModel("g (float[2] x) => (float[2] y) {y = Relu(z)}")),
            ImportOutcome::Invalid);
  EXPECT_EQ(import(getModel("g (float[2] x) => ")), ImportOutcome::Unreadable);
  EXPECT_EQ(numDiagnostics, 3);
}

TEST_F(ONNXImportTest, InvalidIsWorseThanUnsupported) {
  EXPECT_EQ(import(getModel("g (float[2] x) => (float[2] y, float[2] w) "
                            "{y = Relu(z)\n w = Foo(x)}")),
            ImportOutcome::Invalid);
  EXPECT_EQ(numDiagnostics, 2);
}

TEST_F(ONNXImportTest, MissingFilesAreUnreadable) {
  ImportOutcome outcome = ImportOutcome::Success;
  EXPECT_TRUE(failed(
      onnx::importONNXFile("/no/such/model.onnx", &context, {}, &outcome)));
  EXPECT_EQ(outcome, ImportOutcome::Unreadable);
}

TEST_F(ONNXImportTest, OptionsGiveSizesToDimensions) {
  onnx::ImportOptions options;
  options.dims["N"] = 3;
  EXPECT_EQ(import(getModel("g (float[N, 2] x) => (float[N, 2] y) "
                            "{y = Relu(x)}"),
                   options),
            ImportOutcome::Success);
  EXPECT_EQ(getMainType().getInput(0),
            RankedTensorType::get({3, 2}, Float32Type::get(&context)));
}

TEST_F(ONNXImportTest, OptionsMakeInputsConstants) {
  std::string model = getModel("g (float[4] x, int64[2] s) => (float[2, 2] y) "
                               "{y = Reshape(x, s)}");
  EXPECT_EQ(import(model), ImportOutcome::Unsupported);
  onnx::ImportOptions options;
  options.constants["s"] = [](Type type) -> llvm::Expected<DenseElementsAttr> {
    return DenseElementsAttr::get(RankedTensorType::get(2, type),
                                  ArrayRef<int64_t>{2, 2});
  };
  EXPECT_EQ(import(model, options), ImportOutcome::Success);
  EXPECT_EQ(getMainType().getNumInputs(), 1u);
}

TEST_F(ONNXImportTest, OptionsSayWhatParametersAre) {
  std::string model = getModel("g (float[2] x) => (float[2] y) "
                               "<float[2] w = {1, 2}, float two = {2}> "
                               "{z = Add(x, w)\n y = Pow(z, two)}");
  onnx::ImportOptions options;
  EXPECT_EQ(import(model, options), ImportOutcome::Success);
  EXPECT_EQ(getMainType().getNumInputs(), 1u);
  EXPECT_FALSE(module->lookupSymbol("w"));
  options.parameters = onnx::ParameterKind::Arguments;
  EXPECT_EQ(import(model, options), ImportOutcome::Success);
  EXPECT_EQ(getMainType().getNumInputs(), 2u);
  options.parameters = onnx::ParameterKind::Variables;
  EXPECT_EQ(import(model, options), ImportOutcome::Success);
  EXPECT_EQ(getMainType().getNumInputs(), 1u);
  EXPECT_TRUE(module->lookupSymbol("w"));
  EXPECT_FALSE(module->lookupSymbol("two"));
  EXPECT_EQ(numDiagnostics, 0);
  EXPECT_EQ(onnx::symbolizeParameterKind("variables"),
            onnx::ParameterKind::Variables);
  EXPECT_EQ(onnx::symbolizeParameterKind("variable"), std::nullopt);
}

TEST_F(ONNXImportTest, OperatorsAreSortedAndDistinct) {
  std::vector<onnx::SupportedOp> ops = onnx::getSupportedONNXOps();
  EXPECT_GT(ops.size(), 100u);
  for (size_t i = 1; i < ops.size(); ++i)
    EXPECT_LT(std::tie(ops[i - 1].domain, ops[i - 1].name),
              std::tie(ops[i].domain, ops[i].name));
  for (const onnx::SupportedOp &op : ops) {
    EXPECT_GE(op.firstOpset, onnx::kFirstOpset);
    EXPECT_LE(op.firstOpset, onnx::kLastOpset);
  }
}
