//===- Executor.cpp - Time of runs on the simulated device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <benchmark/benchmark.h>

using namespace mlir;
using namespace mlir::ipu;

/// Runs a program. The measured time is from the lowered module to the results,
/// and includes the compilation of codelets.
static void runProgram(::benchmark::State &state, const std::string &text,
                       EngineKind engine) {
  auto context = ipu::benchmark::makeContext();
  OwningOpRef<ModuleOp> module = ipu::benchmark::parse(*context, text);
  ipu::benchmark::lower(*module);
  for (auto _ : state)
    ipu::benchmark::run(*module, engine);
}

static void BM_Matmul(::benchmark::State &state, EngineKind engine) {
  runProgram(state, ipu::benchmark::getMatmul(state.range(0)), engine);
}

static void BM_Conv(::benchmark::State &state, EngineKind engine) {
  runProgram(state, ipu::benchmark::getConv(state.range(0), state.range(1)),
             engine);
}

BENCHMARK_CAPTURE(BM_Matmul, Interp, EngineKind::Interp)
    ->Arg(16)
    ->Arg(128)
    ->Unit(::benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Matmul, Jit, EngineKind::Jit)
    ->Arg(16)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(::benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Matmul, None, EngineKind::None)
    ->Arg(1024)
    ->Unit(::benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Conv, Interp, EngineKind::Interp)
    ->Args({16, 28})
    ->Unit(::benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Conv, Jit, EngineKind::Jit)
    ->Args({16, 28})
    ->Args({64, 56})
    ->Unit(::benchmark::kMillisecond);
