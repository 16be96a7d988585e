//===- RuleModelsTest.cpp - Ops that have rules -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traits and interfaces attach rules to ops of other dialects. The test checks
// that no op is left out, and the classes of ops for priorities. The rules are
// in test/Dialect/Sdy/rules-*.mlir.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;
using sharding::OpClass;

namespace {

class RuleModelsTest : public testing::Test {
protected:
  RuleModelsTest() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect,
                    linalg::LinalgDialect, math::MathDialect, pop::PopDialect,
                    tensor::TensorDialect, tosa::TosaDialect>();
    sdy::registerShardingRuleModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Returns the names of the ops without rules for which `isExpected` holds.
  std::vector<std::string>
  getMissing(function_ref<bool(RegisteredOperationName)> isExpected) {
    std::vector<std::string> missing;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (isExpected(name) && !name.hasInterface<ShardingRuleOpInterface>())
        missing.push_back(name.getStringRef().str());
    return missing;
  }

  /// Returns the class of the op whose result a function returns. The function
  /// has the arguments %a: tensor<4x8xf32>, %v: tensor<8xf32> and %i: index.
  OpClass getClass(StringRef body) {
    std::string source = (R"(
      #id = affine_map<(i, j) -> (i, j)>
      #swap = affine_map<(i, j) -> (j, i)>
      #row = affine_map<(i, j) -> (j)>
      #one = affine_map<(i, j) -> ()>
      func.func @f(%a: tensor<4x8xf32>, %v: tensor<8xf32>, %x: f32, %i: index) {
    )" + body + "\nreturn\n}")
                             .str();
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << source;
    if (!module)
      return OpClass::Other;
    auto func = cast<func::FuncOp>(module->getBody()->back());
    Operation *op = func.getBody().front().getTerminator()->getPrevNode();
    auto rules = dyn_cast<ShardingRuleOpInterface>(op);
    EXPECT_TRUE(rules) << source;
    return rules ? rules.getShardingClass() : OpClass::Other;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RuleModelsTest, NoOpIsLeftOut) {
  EXPECT_EQ(getMissing([](RegisteredOperationName name) {
              StringRef dialect = name.getDialectNamespace();
              return (dialect == "arith" || dialect == "math") &&
                     name.hasTrait<OpTrait::Elementwise>();
            }),
            std::vector<std::string>());
  EXPECT_EQ(getMissing([](RegisteredOperationName name) {
              return name.hasInterface<linalg::LinalgOp>() ||
                     name.hasTrait<OpTrait::tosa::TosaElementwiseOperator>();
            }),
            std::vector<std::string>());
}

TEST_F(RuleModelsTest, PopClasses) {
  EXPECT_EQ(getClass("%0 = pop.exp %a : tensor<4x8xf32>"),
            OpClass::Elementwise);
  EXPECT_EQ(getClass("%0 = pop.add %a, %v : (tensor<4x8xf32>, tensor<8xf32>) "
                     "-> tensor<4x8xf32>"),
            OpClass::Elementwise);
  EXPECT_EQ(getClass("%0 = pop.reshape %a : tensor<4x8xf32> to tensor<32xf32>"),
            OpClass::PassThrough);
  EXPECT_EQ(getClass("%0 = pop.expand %v : tensor<8xf32> to tensor<4x8xf32>"),
            OpClass::Broadcast);
  EXPECT_EQ(getClass("%0 = pop.softmax %a {axis = 1 : i64} : tensor<4x8xf32>"),
            OpClass::Other);
}

TEST_F(RuleModelsTest, LinalgClasses) {
  auto getGeneric = [](StringRef input, StringRef inputMap, StringRef result) {
    return ("%e = tensor.empty() : " + result +
            "\n%0 = linalg.generic {indexing_maps = [" + inputMap +
            R"(, #id], iterator_types = ["parallel", "parallel"]} ins()" +
            input + ") outs(%e : " + result +
            ") {\n^bb0(%p: f32, %q: f32):\n%n = math.exp %p : f32\n"
            "linalg.yield %n : f32\n} -> " +
            result)
        .str();
  };
  StringRef square = "tensor<4x8xf32>";
  EXPECT_EQ(getClass(getGeneric("%a : tensor<4x8xf32>", "#id", square)),
            OpClass::Elementwise);
  EXPECT_EQ(getClass(getGeneric("%x : f32", "#one", square)),
            OpClass::Elementwise);
  // These ops also compute, in addition to a broadcast or a transpose.
  EXPECT_EQ(getClass(getGeneric("%v : tensor<8xf32>", "#row", square)),
            OpClass::Other);
  EXPECT_EQ(
      getClass(getGeneric("%a : tensor<4x8xf32>", "#swap", "tensor<8x4xf32>")),
      OpClass::Other);

  EXPECT_EQ(getClass("%e = tensor.empty() : tensor<8x4xf32>\n"
                     "%0 = linalg.transpose ins(%a : tensor<4x8xf32>) "
                     "outs(%e : tensor<8x4xf32>) permutation = [1, 0]"),
            OpClass::PassThrough);
  EXPECT_EQ(getClass("%0 = linalg.broadcast ins(%v : tensor<8xf32>) "
                     "outs(%a : tensor<4x8xf32>) dimensions = [0]"),
            OpClass::Broadcast);
  EXPECT_EQ(getClass("%0 = linalg.reduce { arith.addf } ins(%a : "
                     "tensor<4x8xf32>) outs(%v : tensor<8xf32>) "
                     "dimensions = [0]"),
            OpClass::Other);
}

TEST_F(RuleModelsTest, TensorClasses) {
  EXPECT_EQ(getClass("%0 = arith.addf %a, %a : tensor<4x8xf32>"),
            OpClass::Elementwise);
  EXPECT_EQ(getClass("%0 = tensor.collapse_shape %a [[0, 1]] : "
                     "tensor<4x8xf32> into tensor<32xf32>"),
            OpClass::PassThrough);
  EXPECT_EQ(getClass("%0 = tensor.extract_slice %a[1, 0] [2, 8] [1, 1] : "
                     "tensor<4x8xf32> to tensor<2x8xf32>"),
            OpClass::Other);
  // The offset of the slice is only known when the program runs.
  EXPECT_EQ(getClass("%0 = tensor.extract_slice %a[%i, 0] [2, 8] [1, 1] : "
                     "tensor<4x8xf32> to tensor<2x8xf32>"),
            OpClass::Slice);
}

} // namespace
