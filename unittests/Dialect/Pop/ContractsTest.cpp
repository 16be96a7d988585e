//===- ContractsTest.cpp - Contracts of pipelines -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pop;
using testing::ElementsAre;

namespace {
/// A pass that only has a name.
struct NamedPass : PassWrapper<NamedPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamedPass)
  explicit NamedPass(StringRef name = "") : name(name) {}
  StringRef getArgument() const final { return name; }
  void runOnOperation() override {}
  StringRef name;
};
} // namespace

static std::vector<std::string> getNames(StringRef pipeline) {
  std::vector<std::string> names;
  for (const PassUse &use : parsePassUses(pipeline))
    names.push_back(use.pass);
  return names;
}

static const PassContract kContracts[] = {
    {"make", {}, {Condition::Vgraph}, {}, "only-look", "", ""},
    {"use", {Condition::Vgraph}, {}, {Condition::Vgraph}, "", "", ""},
    {"break", {}, {}, {Condition::Pstage}, "", "", ""},
};

static CombinedContract combine(StringRef pipeline) {
  registerPassContracts(kContracts);
  return combineContracts(parsePassUses(pipeline));
}

TEST(Contracts, ConditionsHaveNames) {
  for (Condition condition : getAllConditions())
    EXPECT_EQ(symbolizeCondition(stringifyCondition(condition)), condition);
  EXPECT_EQ(symbolizeCondition("VGRAPH"), Condition::Vgraph);
  EXPECT_EQ(symbolizeCondition("Vgraph"), std::nullopt);
}

TEST(Contracts, PassesOfTexts) {
  EXPECT_THAT(getNames(""), ElementsAre());
  EXPECT_THAT(getNames("builtin.module(a,func.func(b,any(c)),d)"),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(getNames("a{x=b,c y={d, e{f}}},g"), ElementsAre("a", "g"));
  EXPECT_THAT(getNames("unknown<(anonymous namespace)::A<B, C>>,d"),
              ElementsAre("unknown<(anonymous namespace)::A<B, C>>", "d"));
  EXPECT_EQ(parsePassUses("a{x={b c} y=1}").front().options, "x={b c} y=1");
  // Texts that are not pipelines.
  EXPECT_THAT(getNames("a{b"), ElementsAre("a"));
  EXPECT_THAT(getNames("}a)("), ElementsAre("a"));
  EXPECT_THAT(getNames("unknown<a"), ElementsAre("unknown<a"));
}

TEST(Contracts, CombinedAssumptions) {
  ConditionSet vgraph = {Condition::Vgraph};
  EXPECT_EQ(combine("break,use").assumes, vgraph);
  // An earlier pass guarantees the conditions that a later pass assumes.
  EXPECT_TRUE(combine("make,use").assumes.empty());
  EXPECT_EQ(combine("make{only-look=true},use").assumes, vgraph);
  EXPECT_TRUE(combine("make{only-look=false},use").assumes.empty());
  // A pass without a contract may guarantee the conditions.
  EXPECT_TRUE(combine("other,use").assumes.empty());
}

TEST(Contracts, CombinedGuarantees) {
  ConditionSet vgraph = {Condition::Vgraph};
  EXPECT_EQ(combine("break,make,use").guarantees, vgraph);
  EXPECT_TRUE(combine("make,break").guarantees.empty());
  EXPECT_TRUE(combine("make,other").guarantees.empty());
}

TEST(Contracts, CombinedPreserves) {
  EXPECT_EQ(combine("").preserves.getConditions().size(),
            getAllConditions().size());
  EXPECT_EQ(combine("use").preserves, ConditionSet({Condition::Vgraph}));
  EXPECT_TRUE(combine("use,break").preserves.empty());
  EXPECT_EQ(combine("break,make").preserves, ConditionSet({Condition::Vgraph}));
  EXPECT_TRUE(combine("break,other").preserves.empty());
}

TEST(Contracts, ChecksBetweenPasses) {
  registerPassContracts(kContracts);
  OpPassManager manager("builtin.module");
  for (StringRef name : {"use", "use", "other", "use", "break", "make"})
    manager.addPass(std::make_unique<NamedPass>(name));
  manager.nest<func::FuncOp>().addPass(std::make_unique<NamedPass>("use"));
  // The first pass is not checked.
  addContractChecks(manager, 1);
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  EXPECT_EQ(text, "builtin.module(use,"
                  "pop-verify-contracts{after= before=use conditions={VGRAPH}},"
                  "use,"
                  "pop-verify-contracts{after=use before= conditions={VGRAPH}},"
                  "other,"
                  "pop-verify-contracts{after= before=use conditions={VGRAPH}},"
                  "use,"
                  "pop-verify-contracts{after=use before= conditions={VGRAPH}},"
                  "break,make,"
                  "pop-verify-contracts{after=make before= "
                  "conditions={VGRAPH}},"
                  "func.func(use),"
                  "pop-verify-contracts{after=use before= "
                  "conditions={VGRAPH}})");
}
