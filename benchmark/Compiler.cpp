//===- Compiler.cpp - Time of analyses and passes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Scheduling/ScheduleSearch.h"
#include "ipu-mlir/Compiler/Pipelines.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include <benchmark/benchmark.h>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

/// Estimates the cost of the only exchange of a program.
static void estimateExchange(::benchmark::State &state,
                             const std::string &text) {
  auto context = ipu::benchmark::makeContext();
  OwningOpRef<ModuleOp> module = ipu::benchmark::parse(*context, text);
  TargetModel target = getTargetModel(*module);
  module->walk([&](ExchangeOp exchange) {
    for (auto _ : state)
      ::benchmark::DoNotOptimize(getExchangeCost(target, exchange));
  });
}

static void BM_ExchangeTransposition(::benchmark::State &state) {
  estimateExchange(state, ipu::benchmark::getTransposition(state.range(0)));
}
BENCHMARK(BM_ExchangeTransposition)
    ->RangeMultiplier(4)
    ->Range(64, 4096)
    ->Unit(::benchmark::kMicrosecond);

static void BM_ExchangeHalos(::benchmark::State &state) {
  estimateExchange(state, ipu::benchmark::getHalos(state.range(0)));
}
BENCHMARK(BM_ExchangeHalos)
    ->RangeMultiplier(4)
    ->Range(64, 4096)
    ->Unit(::benchmark::kMicrosecond);

/// Runs the passes that `build` adds on residual blocks. Each iteration uses a
/// new copy of the module.
static void runPasses(::benchmark::State &state,
                      void (*build)(OpPassManager &manager)) {
  auto context = ipu::benchmark::makeContext();
  OwningOpRef<ModuleOp> module = ipu::benchmark::parse(
      *context, ipu::benchmark::getResidualBlocks(state.range(0)));
  PassManager manager(context.get());
  manager.enableVerifier(false);
  build(manager);
  for (auto _ : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> copy(module->clone());
    state.ResumeTiming();
    if (failed(manager.run(*copy)))
      llvm::report_fatal_error("passes of a benchmark fail");
    state.PauseTiming();
    copy = nullptr;
    state.ResumeTiming();
  }
}

static void BM_MapResidualBlocks(::benchmark::State &state) {
  runPasses(state, [](OpPassManager &manager) {
    manager.addNestedPass<func::FuncOp>(pop::createDecomposePass());
    manager.addPass(createMapTensorsPass());
  });
}
BENCHMARK(BM_MapResidualBlocks)
    ->Arg(1)
    ->Arg(8)
    ->Unit(::benchmark::kMillisecond);

static void BM_LowerResidualBlocks(::benchmark::State &state) {
  runPasses(state, [](OpPassManager &manager) {
    buildPopToIPUPipeline(manager, PopToIPUPipelineOptions());
  });
}
BENCHMARK(BM_LowerResidualBlocks)
    ->Arg(1)
    ->Arg(8)
    ->Unit(::benchmark::kMillisecond);

static void BM_DifferentiateResidualBlocks(::benchmark::State &state) {
  runPasses(state, [](OpPassManager &manager) {
    manager.addPass(pop::createAutodiffPass());
  });
}
BENCHMARK(BM_DifferentiateResidualBlocks)
    ->RangeMultiplier(8)
    ->Range(1, 512)
    ->Unit(::benchmark::kMillisecond);

static void BM_ScheduleResidualBlocks(::benchmark::State &state) {
  runPasses(state, [](OpPassManager &manager) {
    manager.addPass(pop::createSchedulePass());
  });
}
BENCHMARK(BM_ScheduleResidualBlocks)
    ->RangeMultiplier(8)
    ->Range(1, 512)
    ->Unit(::benchmark::kMillisecond);

/// Searches for a schedule of a random graph. The second argument is the
/// greatest distance between two nodes with a dependence.
static void BM_FindSchedule(::benchmark::State &state) {
  std::mt19937 random(1);
  ScheduleGraph graph;
  unsigned maxDistance = state.range(1);
  for (unsigned node = 0; node < state.range(0); ++node) {
    graph.addNode();
    llvm::SmallVector<unsigned, 4> operands;
    unsigned numOperands = node == 0 ? 0 : random() % 4;
    for (unsigned i = 0; i < numOperands; ++i)
      operands.push_back(node - 1 - random() % std::min(node, maxDistance));
    for (unsigned operand : operands) {
      graph.addDependence(operand, node);
      graph.addValue(1 + random() % 100, {operand, node});
    }
  }
  for (auto _ : state)
    ::benchmark::DoNotOptimize(findSchedule(graph));
}
BENCHMARK(BM_FindSchedule)
    ->ArgsProduct({{1000, 10000, 100000}, {1, 100, 100000}})
    ->Unit(::benchmark::kMillisecond);
