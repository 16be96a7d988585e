//===- RoundStochasticallyTest.cpp - Codelets with stochastic rounding ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Codelets that no pop op creates: some of them round twice, and others round
// no element of an output.
//
//===----------------------------------------------------------------------===//

#include "CodeletTable.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class RoundStochasticallyTest : public ::testing::Test {
protected:
  RoundStochasticallyTest() : context(getRegistry()) {
    context.loadDialect<pop::PopDialect>();
  }

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registerExecutorDialects(registry);
    return registry;
  }

  /// Returns the error for a codelet on %x of f32 and %y of f16 with one
  /// dimension, or the number of its draws.
  std::string round(const std::string &body, RngGenerator generator) {
    auto module =
        parseSourceString<ModuleOp>(
            R"mlir(
  module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
    ipu.codelet @f(%x : memref<?xf32, strided<[1], offset: ?>>,
                   %y : memref<?xf16, strided<[1], offset: ?>>)
        inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
)mlir" + body + "}}",
            &context);
    if (!module)
      return "does not parse";
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    auto codelet = *module->getOps<CodeletOp>().begin();
    auto rounding = pop::StochasticRoundingAttr::get(&context, generator,
                                                     RoundingOverflow::NaN);
    if (failed(roundStochastically(codelet, rounding,
                                   getTarget(module->getOperation()))))
      return error;
    EXPECT_TRUE(error.empty()) << error;
    std::string draws;
    codelet.walk(
        [&](RandomBitsOp op) { draws += std::to_string(op.getDraw()) + " "; });
    return draws;
  }

  MLIRContext context;
};

/// Returns a linalg.generic from %x to %y.
std::string getLoop(const std::string &iterator, const std::string &map,
                    const std::string &body) {
  return "linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, "
         "affine_map<(d0) -> (" +
         map + ")>], iterator_types = [\"" + iterator +
         "\"]} ins(%x : memref<?xf32, strided<[1], offset: ?>>) "
         "outs(%y : memref<?xf16, strided<[1], offset: ?>>) {\n"
         "^bb0(%in: f32, %out: f16):\n" +
         body + "}\n";
}

const char *kTwice = "%a = arith.truncf %in : f32 to f16\n"
                     "%b = arith.extf %a : f16 to f32\n"
                     "%c = arith.addf %b, %in : f32\n"
                     "%d = arith.truncf %c : f32 to f16\n"
                     "linalg.yield %d : f16\n";
const char *kOnce = "%a = arith.truncf %in : f32 to f16\n"
                    "linalg.yield %a : f16\n";

TEST_F(RoundStochasticallyTest, DrawsForEachRounding) {
  EXPECT_EQ(round(getLoop("parallel", "d0", kOnce), RngGenerator::Stream),
            "0 ");
  std::string twice = getLoop("parallel", "d0", kTwice);
  EXPECT_EQ(round(twice, RngGenerator::Counter), "0 1 ");
  EXPECT_EQ(round(twice, RngGenerator::Stream),
            "'arith.truncf' op rounds an element a second time, but generator "
            "'stream' has random bits for only one rounding of each element");
}

TEST_F(RoundStochasticallyTest, HasBitsForSixteenRoundings) {
  auto getRoundings = [](int count) {
    std::string body = "%v0 = arith.truncf %in : f32 to f16\n";
    for (int i = 1; i < count; ++i) {
      std::string number = std::to_string(i);
      body += "%w" + number + " = arith.extf %v" + std::to_string(i - 1) +
              " : f16 to f32\n%v" + number + " = arith.truncf %w" + number +
              " : f32 to f16\n";
    }
    return getLoop("parallel", "d0",
                   body + "linalg.yield %v" + std::to_string(count - 1) +
                       " : f16\n");
  };
  EXPECT_EQ(round(getRoundings(16), RngGenerator::Counter),
            "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ");
  EXPECT_EQ(round(getRoundings(17), RngGenerator::Counter),
            "'arith.truncf' op is one of 17 ops that round an element, but an "
            "element has random bits for at most 16 ops");
}

TEST_F(RoundStochasticallyTest, KnowsTheElement) {
  const char *error = "'arith.truncf' op cannot be rounded stochastically: the "
                      "op does not compute a single element";
  EXPECT_EQ(round(getLoop("reduction", "0", kOnce), RngGenerator::Counter),
            error);
  EXPECT_EQ(round("%z = arith.constant 0 : index\n"
                  "%v = memref.load %x[%z] : memref<?xf32, strided<[1], "
                  "offset: ?>>\n"
                  "%r = arith.truncf %v : f32 to f16\n"
                  "memref.store %r, %y[%z] : memref<?xf16, strided<[1], "
                  "offset: ?>>\n",
                  RngGenerator::Counter),
            error);
}
} // namespace
