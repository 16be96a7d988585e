//===- RuleCoverageTest.cpp - Tests of every rule ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the ops with rules with the ops in test/Dialect/Sdy/rules-*.mlir,
// and the ops without rules with a list of ops that need no rule. Also tests
// the registry of call targets.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Rules/CustomCallRules.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class RuleCoverageTest : public testing::Test {
protected:
  RuleCoverageTest() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, pop::PopDialect, scf::SCFDialect,
                    sdy::SdyDialect, stablehlo::StableHLODialect,
                    tensor::TensorDialect, tosa::TosaDialect>();
    sdy::registerShardingRuleModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  static bool isOpChar(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  }

  /// Returns all words of the rule tests that could be names of ops.
  llvm::StringSet<> readTests() {
    llvm::StringSet<> words;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(IPU_SDY_LIT_TESTS, error), end;
         it != end && !error; it.increment(error)) {
      if (!llvm::sys::path::filename(it->path()).starts_with("rules-"))
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(it->path());
      if (!buffer)
        continue;
      SmallVector<StringRef> lines;
      (*buffer)->getBuffer().split(lines, '\n');
      for (StringRef line : lines) {
        // Comments and CHECK lines are not tests of ops.
        if (line.ltrim().starts_with("//"))
          continue;
        while (!line.empty()) {
          line = line.drop_until(isOpChar);
          StringRef word = line.take_while(isOpChar);
          line = line.drop_front(word.size());
          words.insert(word);
        }
      }
    }
    return words;
  }

  std::vector<std::string>
  getOps(function_ref<bool(RegisteredOperationName)> isIncluded) {
    std::vector<std::string> ops;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (isIncluded(name))
        ops.push_back(name.getStringRef().str());
    llvm::sort(ops);
    return ops;
  }

  MLIRContext context;
};

TEST_F(RuleCoverageTest, EveryRuleHasATest) {
  llvm::StringSet<> tested = readTests();
  ASSERT_TRUE(tested.contains("stablehlo.add"));
  auto isUntested = [&](RegisteredOperationName name) {
    // The rules of structured ops come from their indexing maps and do not
    // depend on the op.
    return name.hasInterface<ShardingRuleOpInterface>() &&
           !name.hasInterface<linalg::LinalgOp>() &&
           !tested.contains(name.getStringRef());
  };
  EXPECT_EQ(getOps(isUntested), std::vector<std::string>());
}

TEST_F(RuleCoverageTest, OpsWithoutRule) {
  auto hasNone = [&](RegisteredOperationName name) {
    StringRef dialect = name.getDialectNamespace();
    return (dialect == "stablehlo" || dialect == "tosa" ||
            dialect == "tensor" || dialect == "pop") &&
           !name.hasTrait<OpTrait::ZeroResults>() &&
           !name.hasInterface<ShardingRuleOpInterface>() &&
           !name.hasInterface<ShardableDataFlowOpInterface>() &&
           // Arithmetic on shapes.
           !name.getStringRef().ends_with("_shape");
  };
  std::vector<std::string> meant = {
      // Ops without operands, or whose operands are scalars.
      "pop.constant", "stablehlo.constant", "stablehlo.iota", "tensor.empty",
      "tensor.from_elements", "tensor.generate", "tosa.const",
      // Ops whose results are not tensors.
      "tensor.dim", "tensor.extract", "tensor.rank", "tosa.apply_scale",
      "tosa.dim",
      // Unknown ops, and ops on variables, which have no shardings.
      "tosa.custom", "tosa.variable_read",
      // Ops with scales for blocks of elements.
      "tosa.cast_from_block_scaled", "tosa.cast_to_block_scaled",
      "tosa.matmul_t_block_scaled",
      // Ops whose elements depend on their numbers in the whole tensor.
      "pop.dropout", "pop.next_seed", "pop.random_bernoulli",
      "pop.random_normal", "pop.random_uniform", "pop.split_seed",
      // Optimizers are decomposed into arithmetic before propagation.
      "pop.accumulate", "pop.optimizer_step",
      // Ops that replace contractions, gathers, scatters and reductions in the
      // lowering onto tiles.
      "pop.bucket_indices", "pop.conv_partials", "pop.gather_partials",
      "pop.matmul_partials", "pop.reduce_blocks", "pop.scatter_buckets",
      // Ops of graphs, which partitioning creates: refs, transfers and
      // replicas.
      "pop.all_gather", "pop.all_reduce", "pop.all_to_all", "pop.alloc",
      "pop.broadcast", "pop.collective_permute", "pop.copy", "pop.from_scalar",
      "pop.from_tensor", "pop.get_variable", "pop.host_load", "pop.in_sequence",
      "pop.read", "pop.reduce_scatter", "pop.ref_reshape", "pop.ref_row",
      "pop.ref_slice", "pop.ref_transpose", "pop.remote_exchange",
      "pop.remote_load", "pop.replica_index", "pop.replica_slice"};
  llvm::sort(meant);
  EXPECT_EQ(getOps(hasNone), meant);
}

/// A rule that an application defines.
std::optional<sharding::Rule> getTransposedRule(Operation *op, bool) {
  return makeRuleBuilder(op)
      .addFactor({0}, {1}, getTensorShape(op->getOperand(0))[0])
      .addFactor({1}, {0}, getTensorShape(op->getOperand(0))[1])
      .build();
}

/// Returns the rule of a call @`target`(tensor<4x8xf32>) -> tensor<8x4xf32>, as
/// text.
std::string getCallRule(MLIRContext &context, StringRef target) {
  OpBuilder builder(&context);
  auto getType = [&](int64_t rows, int64_t columns) {
    return RankedTensorType::get({rows, columns}, builder.getF32Type());
  };
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto empty =
      tensor::EmptyOp::create(builder, loc, getType(4, 8), ValueRange());
  OperationState state(loc, "stablehlo.custom_call");
  state.addOperands(empty.getResult());
  state.addTypes(getType(8, 4));
  state.addAttribute("call_target_name", builder.getStringAttr(target));
  Operation *call = builder.create(state);
  std::optional<sharding::Rule> rule =
      sdy::getShardingRule(call, /*conservative=*/false);
  if (!rule)
    return "none";
  std::string text;
  llvm::raw_string_ostream os(text);
  Attribute(sdy::getRuleAttr(&context, *rule)).print(os);
  return text;
}

TEST_F(RuleCoverageTest, RegisteredCallTargets) {
  EXPECT_EQ(getCallRule(context, "my_call"), "none");
  auto &rules = sdy::CustomCallRules::get(
      *context.getLoadedDialect<stablehlo::StableHLODialect>());
  rules.add("my_call", {getTransposedRule, sharding::OpClass::PassThrough});
  std::string expected = "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}>";
  EXPECT_EQ(getCallRule(context, "my_call"), expected);
  // The new rule replaces the existing rule.
  EXPECT_NE(getCallRule(context, "mhlo.erf"), expected);
  rules.add("mhlo.erf", {getTransposedRule});
  EXPECT_EQ(getCallRule(context, "mhlo.erf"), expected);
  EXPECT_EQ(rules.lookup("my_call")->opClass, sharding::OpClass::PassThrough);
  EXPECT_NE(rules.lookup("tpu_custom_call"), nullptr);
  EXPECT_EQ(rules.lookup("mystery"), nullptr);
}

TEST_F(RuleCoverageTest, ApplicationsAddTargets) {
  DialectRegistry registry;
  registry.insert<stablehlo::StableHLODialect, tensor::TensorDialect,
                  sdy::SdyDialect>();
  // The extension is registered before the rules of the dialect.
  registry.addExtension(+[](MLIRContext *,
                            stablehlo::StableHLODialect *dialect) {
    sdy::CustomCallRules::get(*dialect).add("mhlo.erf", {getTransposedRule});
  });
  sdy::registerShardingRuleModels(registry);
  MLIRContext own(registry);
  own.loadAllAvailableDialects();
  EXPECT_EQ(getCallRule(own, "mhlo.erf"),
            "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}>");
}

} // namespace
