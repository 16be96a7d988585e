//===- StepModelsTest.cpp - Models of the ops of programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Executor/Program/ExecutableInterface.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

/// Each op of programs must have all models.
TEST(StepModelsTest, AllOpsOfProgramsHaveModels) {
  DialectRegistry registry;
  registerExecutorDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<IPUDialect>();
  unsigned numSteps = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "ipu")
      continue;
    SCOPED_TRACE(name.getStringRef().str());
    bool isInProgram = name.hasTrait<InProgram>();
    bool isStep = name.hasInterface<StepOpInterface>();
    numSteps += isStep;
    EXPECT_TRUE(isInProgram || !isStep);
    EXPECT_EQ(name.hasInterface<StepCostOpInterface>(), isStep);
    EXPECT_EQ(name.hasInterface<StepMemoryOpInterface>(), isInProgram);
    EXPECT_EQ(name.hasInterface<ExecutableOpInterface>(), isInProgram);
  }
  EXPECT_GT(numSteps, 0u);
}

namespace {
/// A program in a context that has the dialects but not the models.
class WithoutModels : public ::testing::Test {
protected:
  WithoutModels()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message = diagnostic.str();
          location = diagnostic.getLocation();
        }) {
    context.loadDialect<IPUDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func @main() {
        ipu.sync internal cost <cycles = [1], total = 1472, tile = 0, flops = 0, bytes = 0>
        return
      })mlir",
                                         &context);
    step = *module->lookupSymbol<func::FuncOp>("main").getOps<SyncOp>().begin();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  SyncOp step;
  std::string message;
  LocationAttr location;
};
} // namespace

TEST_F(WithoutModels, MemoryIsNotKnown) {
  EXPECT_TRUE(
      failed(readMemoryProblem(module->lookupSymbol<func::FuncOp>("main"))));
  EXPECT_EQ(message, "'ipu.sync' op has unknown memory needs: the op does "
                     "not implement StepMemoryOpInterface");
  EXPECT_EQ(location, step.getLoc());
}

TEST_F(WithoutModels, StepCannotBeExecuted) {
  EXPECT_TRUE(failed(readProgram(*module, "main")));
  EXPECT_EQ(message,
            "'ipu.sync' op cannot be executed: the op does not implement "
            "ExecutableOpInterface");
  EXPECT_EQ(location, step.getLoc());
}

TEST_F(WithoutModels, ExecuteAttachesThem) {
  ExecuteOptions options;
  options.engine = EngineKind::Interp;
  FailureOr<ExecuteResult> result = execute(*module, options);
  ASSERT_TRUE(succeeded(result)) << message;
  EXPECT_EQ(result->profile.steps.size(), 1u);
}
