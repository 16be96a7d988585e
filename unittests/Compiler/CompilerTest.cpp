//===- CompilerTest.cpp - Compilation of programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/Compiler.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "ipu-mlir/InitAll.h"
#include "ipu-mlir/Session/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

std::shared_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  ipu::registerAllDialects(registry);
  registerExecutorDialects(registry);
  registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  auto context = std::make_shared<MLIRContext>(registry);
  context->disableMultithreading();
  context->loadAllAvailableDialects();
  return context;
}

class CompilerTest : public ::testing::Test {
protected:
  CompilerTest()
      : handler(context.get(), [this](Diagnostic &diagnostic) {
          (diagnostic.getSeverity() == DiagnosticSeverity::Error ? errors
                                                                 : remarks)
              .push_back(diagnostic.str());
        }) {}

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, context.get());
    EXPECT_TRUE(module);
    return module;
  }

  /// Returns a program that computes `relu` of tensors of this size on 4 tiles
  /// with 7000 bytes each.
  OwningOpRef<ModuleOp> parseRelu(int64_t size) {
    std::string type = "tensor<" + std::to_string(size) + "xf32>";
    return parse(
        R"(module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 7000 : i64}>} {
  func.func @main(%a: )" +
        type + ") -> " + type + R"( {
    %c = pop.constant dense<2.0> : tensor<f32> loc("two")
    %0 = pop.relu %a : )" +
        type + R"(
    %1 = pop.mul %0, %c : ()" +
        type + ", tensor<f32>) -> " + type + R"(
    return %1 : )" +
        type + R"(
  }
})");
  }

  std::shared_ptr<MLIRContext> context = createContext();
  std::vector<std::string> errors, remarks;
  ScopedDiagnosticHandler handler;
};

std::vector<std::string> getNames(ArrayRef<CompileStep> steps) {
  std::vector<std::string> names;
  for (const CompileStep &step : steps)
    names.push_back(step.name);
  return names;
}

// A client sees the same names before the steps and in the program.
TEST_F(CompilerTest, NamesAndTimesSteps) {
  std::vector<std::string> shown;
  CompileOptions options;
  options.onStep = [&](StringRef step) {
    shown.push_back(step.str());
    return true;
  };
  FailureOr<CompiledProgram> program = compile(parseRelu(100), options);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(getNames(program->getSteps()), shown);
  ASSERT_GE(shown.size(), 3u);
  EXPECT_EQ(shown[0], "pop-choose-accumulation");
  EXPECT_EQ(shown[1], "pop-number-draws");
  EXPECT_TRUE(llvm::is_contained(shown, "pop-map-tensors"));
  EXPECT_EQ(shown.back(), "ipu-allocate");
  double seconds = 0;
  for (const CompileStep &step : program->getSteps())
    seconds += step.seconds;
  EXPECT_GT(seconds, 0.0);
}

TEST_F(CompilerTest, IsStopped) {
  CompileOptions options;
  std::vector<std::string> shown;
  options.onStep = [&](StringRef step) {
    shown.push_back(step.str());
    return step != "pop-map-tensors";
  };
  EXPECT_TRUE(failed(compile(parseRelu(100), options)));
  EXPECT_EQ(shown.back(), "pop-map-tensors");
  EXPECT_TRUE(errors.empty());
}

// One program is loaded twice, and the sessions do not share variables.
TEST_F(CompilerTest, ProgramIsLoadedRepeatedly) {
  FailureOr<CompiledProgram> program =
      compile(parse(R"(pop.variable @v : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %v = pop.get_variable @v : !pop.ref<f32>
  %0 = pop.read %v : !pop.ref<f32>
  pop.add_ %v, %0 : !pop.ref<f32>, tensor<f32>
  return
})"),
              CompileOptions());
  ASSERT_TRUE(succeeded(program));
  SessionOptions options;
  options.engine = EngineKind::Interp;
  for (int i = 0; i < 2; ++i) {
    FailureOr<std::unique_ptr<Session>> session =
        Session::create(*program, options);
    ASSERT_TRUE(succeeded(session));
    Session::Context attached(**session);
    ASSERT_TRUE(bool((*session)->run()));
    llvm::Expected<HostTensor> value = (*session)->getTensor("v");
    ASSERT_TRUE(bool(value));
    EXPECT_EQ(*reinterpret_cast<const float *>(value->data.data()), 2.0f);
  }
}

TEST(OwnedContextTest, ProgramKeepsItsContext) {
  std::optional<CompiledProgram> program;
  {
    std::shared_ptr<MLIRContext> context = createContext();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @main() { return }", context.get());
    ASSERT_TRUE(module);
    FailureOr<CompiledProgram> compiled =
        compile(std::move(module), CompileOptions(), context);
    ASSERT_TRUE(succeeded(compiled));
    program = std::move(*compiled);
  }
  EXPECT_TRUE(program->getModule().lookupSymbol("main"));
}

// Constants keep their names, although the program merges them into codelets.
TEST_F(CompilerTest, FindsConstants) {
  FailureOr<CompiledProgram> program =
      compile(parseRelu(100), CompileOptions());
  ASSERT_TRUE(succeeded(program));
  EXPECT_TRUE(program->getConstants().count("two"));
}

// A program that does not fit is an error, and the settings with which it would
// fit are a remark.
TEST_F(CompilerTest, AdvisesOnMemory) {
  CompileOptions options;
  std::optional<CompiledProgram> tooLarge;
  options.tooLarge = [&](CompiledProgram program) {
    tooLarge = std::move(program);
  };
  std::vector<std::string> shown;
  options.onStep = [&](StringRef step) {
    shown.push_back(step.str());
    return true;
  };
  EXPECT_TRUE(failed(compile(parseRelu(2000), options)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.front().find("program does not fit"), 0u);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks.front().find("program fits with "), 0u);
  EXPECT_EQ(shown.back(), kMemoryAdviceStep);
  ASSERT_TRUE(tooLarge);
  EXPECT_GT(tooLarge->getMissingBytes().value_or(0), 0);
  EXPECT_EQ(tooLarge->getRemarks(), ArrayRef(remarks));
  ASSERT_TRUE(tooLarge->getAdvice());
  EXPECT_FALSE(tooLarge->getAdvice()->fitting.empty());

  options.advisesOnMemory = false;
  EXPECT_TRUE(failed(compile(parseRelu(2000), options)));
  EXPECT_EQ(errors.size(), 2u);
  EXPECT_EQ(remarks.size(), 1u);
  EXPECT_FALSE(tooLarge->getAdvice());

  options.allowOutOfMemory = true;
  FailureOr<CompiledProgram> allowed = compile(parseRelu(2000), options);
  ASSERT_TRUE(succeeded(allowed));
  EXPECT_GT(allowed->getMissingBytes().value_or(0), 0);
}

TEST_F(CompilerTest, MissingEntry) {
  CompileOptions options;
  options.entry = "other";
  EXPECT_TRUE(failed(compile(parseRelu(100), options)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors.front().find("expects a func.func 'other' with a body; the "
                                "functions of the module are 'main'"),
            std::string::npos);
}

TEST_F(CompilerTest, LoweredModules) {
  FailureOr<CompiledProgram> program =
      compile(parseRelu(100), CompileOptions());
  ASSERT_TRUE(succeeded(program));
  FailureOr<CompiledProgram> again =
      compile(program->getModule().clone(), CompileOptions());
  ASSERT_TRUE(succeeded(again));
  EXPECT_TRUE(again->getSteps().empty());
  CompileOptions options;
  options.estimatesAgain = true;
  again = compile(program->getModule().clone(), options);
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(getNames(again->getSteps()),
            std::vector<std::string>({"ipu-estimate-cost"}));
  options.gradients = {"a"};
  EXPECT_TRUE(failed(compile(program->getModule().clone(), options)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.front(), "expects no passes on graphs and no gradients, "
                            "because the module is lowered already");
}

TEST_F(CompilerTest, Pipelines) {
  mlir::registerAllPasses();
  ipu::registerAllPasses();
  ipu::registerAllPipelines();
  CompileOptions options;
  options.pipeline = "builtin.module(pop-choose-accumulation,canonicalize)";
  EXPECT_FALSE(bool(checkPipelines(options, context.get())));
  FailureOr<CompiledProgram> program = compile(parseRelu(100), options);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(
      getNames(program->getSteps()),
      std::vector<std::string>({"pop-choose-accumulation", "canonicalize"}));
  EXPECT_FALSE(isLowered(program->getModule()));

  options.pipeline.clear();
  options.graphPasses = "pop-graph-pipeline";
  program = compile(parseRelu(100), options);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(program->getSteps().front().name, "pop-verify-refs");

  options.graphPasses = "no-such-pass";
  EXPECT_NE(llvm::toString(checkPipelines(options, context.get()))
                .find("no-such-pass"),
            std::string::npos);
  EXPECT_TRUE(failed(compile(parseRelu(100), options)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors.front().find("no-such-pass"), std::string::npos);
}

// What one pass assumes, an earlier pass does not preserve.
TEST_F(CompilerTest, Contracts) {
  mlir::registerAllPasses();
  pop::ConditionSet placed = {pop::Condition::Vgraph};
  static const pop::PassContract contracts[] = {
      {"sccp", placed, {}, placed, "", "", ""},
      {"symbol-dce", {}, {}, {}, "", "", ""},
  };
  pop::registerPassContracts(contracts);
  CompileOptions options;
  options.pipeline = "sccp,symbol-dce";
  EXPECT_TRUE(succeeded(compile(parseRelu(100), options)));
  options.pipeline = "symbol-dce,sccp";
  EXPECT_TRUE(failed(compile(parseRelu(100), options)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0], "pass 'sccp' assumes VGRAPH, which pass 'symbol-dce' "
                       "does not preserve");
}

} // namespace
