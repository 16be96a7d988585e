//===- Fusion.cpp - Time of fused loops on this machine -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each linalg program has four lanes: fused by fuse-pipeline; as unfused loop
// nests; fused by upstream's affine-loop-fusion; and a bound, which is the time
// to move the necessary bytes at the speed of a copy. Runs use one thread.
// Successive calls use different arrays of 512 MiB in total, so that no array
// is in a cache.
//
// A memcpy of 64 MiB counts as 128 MiB, because it reads and writes each byte.
// Additional memory traffic of a store is counted neither for the copy nor for
// the programs.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <random>

using namespace mlir;
using ipu::benchmark::Kernel;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// The passes that lower linalg on tensors to loops on buffers. The passes
/// after `*` run after bufferization.
static constexpr const char *kFused = "fuse-pipeline*";
static constexpr const char *kFusedBlocked =
    "fuse-pipeline{reduction-order=blocked}*";
static constexpr const char *kUnfused =
    "*func.func(convert-linalg-to-affine-loops),buffer-deallocation-pipeline";
static constexpr const char *kAffine =
    "*func.func(convert-linalg-to-affine-loops,"
    "affine-loop-fusion{mode=greedy maximal=true},affine-scalrep),"
    "buffer-deallocation-pipeline";

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

// The results of several reductions have separate buffers. If two loop nests
// use one buffer for two results, affine-loop-fusion nests one of them in the
// other, which gives wrong results.

/// Replaces each name in `$` by text that several programs share.
static std::string finish(std::string text) {
  const std::pair<const char *, const char *> names[] = {
      {"$full", "tensor<4096x1024xf32>"},
      {"$rows", "tensor<4096xf32>"},
      {"$columns", "tensor<1024xf32>"},
      {"$line", "tensor<16777216xf32>"},
      {"$ij", "affine_map<(i, j) -> (i, j)>"},
      {"$i", "affine_map<(i, j) -> (i)>"},
      {"$j", "affine_map<(i, j) -> (j)>"},
  };
  for (auto [name, value] : names) {
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, strlen(name), value);
  }
  return text;
}

static std::string getSoftmax() {
  return finish(R"(
func.func @main(%x: $full) -> $full {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : $rows
  %ef = tensor.empty() : $full
  %max_init = linalg.fill ins(%lowest : f32) outs(%er : $rows) -> $rows
  %max = linalg.generic {indexing_maps = [$ij, $i],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : $full) outs(%max_init : $rows) {
  ^bb0(%a: f32, %m: f32):
    %n = arith.maxnumf %a, %m : f32
    linalg.yield %n : f32
  } -> $rows
  %exp = linalg.generic {indexing_maps = [$ij, $i, $ij],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : $full, $rows) outs(%ef : $full) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> $full
  %er2 = tensor.empty() : $rows
  %sum_init = linalg.fill ins(%zero : f32) outs(%er2 : $rows) -> $rows
  %sum = linalg.generic {indexing_maps = [$ij, $i],
      iterator_types = ["parallel", "reduction"]}
      ins(%exp : $full) outs(%sum_init : $rows) {
  ^bb0(%a: f32, %s: f32):
    %n = arith.addf %a, %s : f32
    linalg.yield %n : f32
  } -> $rows
  %y = linalg.generic {indexing_maps = [$ij, $i, $ij],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : $full, $rows) outs(%ef : $full) {
  ^bb0(%e: f32, %s: f32, %o: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  } -> $full
  return %y : $full
})");
}

static std::string getLayerNorm() {
  return finish(R"(
func.func @main(%x: $full, %gain: $columns, %offset: $columns) -> $full {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 9.765625e-04 : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %er = tensor.empty() : $rows
  %ef = tensor.empty() : $full
  %er2 = tensor.empty() : $rows
  %init = linalg.fill ins(%zero : f32) outs(%er : $rows) -> $rows
  %init2 = linalg.fill ins(%zero : f32) outs(%er2 : $rows) -> $rows
  %sum = linalg.generic {indexing_maps = [$ij, $i],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : $full) outs(%init : $rows) {
  ^bb0(%a: f32, %s: f32):
    %n = arith.addf %a, %s : f32
    linalg.yield %n : f32
  } -> $rows
  %centered = linalg.generic {indexing_maps = [$ij, $i, $ij],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : $full, $rows) outs(%ef : $full) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.mulf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    linalg.yield %d : f32
  } -> $full
  %squares = linalg.generic {indexing_maps = [$ij, $i],
      iterator_types = ["parallel", "reduction"]}
      ins(%centered : $full) outs(%init2 : $rows) {
  ^bb0(%d: f32, %s: f32):
    %q = arith.mulf %d, %d : f32
    %n = arith.addf %s, %q : f32
    linalg.yield %n : f32
  } -> $rows
  %y = linalg.generic {indexing_maps = [$ij, $i, $j, $j, $ij],
      iterator_types = ["parallel", "parallel"]}
      ins(%centered, %squares, %gain, %offset : $full, $rows, $columns, $columns)
      outs(%ef : $full) {
  ^bb0(%d: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %variance = arith.mulf %q, %count : f32
    %positive = arith.addf %variance, %epsilon : f32
    %inverse = math.rsqrt %positive : f32
    %n = arith.mulf %d, %inverse : f32
    %scaled = arith.mulf %n, %g : f32
    %moved = arith.addf %scaled, %b : f32
    linalg.yield %moved : f32
  } -> $full
  return %y : $full
})");
}

/// Returns a chain of eight ops, each of which has one operation for each
/// element.
static std::string getChain() {
  const char *ops[] = {"arith.mulf %a, %c",     "arith.addf %a, %d",
                       "arith.maximumf %a, %c", "arith.mulf %a, %d",
                       "arith.subf %a, %c",     "math.absf %a",
                       "arith.addf %a, %c",     "arith.mulf %a, %a"};
  std::string text = R"(
func.func @main(%v0: $line) -> $line {
  %c = arith.constant 0.25 : f32
  %d = arith.constant 1.75 : f32
  %e = tensor.empty() : $line
)";
  for (auto [i, op] : llvm::enumerate(ops))
    text += llvm::formatv(R"(
  %v{1} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v{0} : $line) outs(%e : $line) {{
  ^bb0(%a: f32, %o: f32):
    %r = {2} : f32
    linalg.yield %r : f32
  } -> $line
)",
                          i, i + 1, op);
  return finish(text + "  return %v8 : $line\n}\n");
}

static std::string getSumOfSquares() {
  return finish(R"(
func.func @main(%x: $line) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %el = tensor.empty() : $line
  %es = tensor.empty() : tensor<f32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : $line) outs(%el : $line) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    linalg.yield %q : f32
  } -> $line
  %init = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%squares : $line) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %n = arith.addf %s, %a : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %y : tensor<f32>
})");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr int64_t kElements = int64_t(128) << 20;

/// Returns the memory of the arrays, which successive calls use in turn.
static float *getPool() {
  static float *pool = [] {
    // malloc keeps the memory of intermediate tensors of other lanes, instead
    // of returning it to the system after each call.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, -1);
    auto *memory = static_cast<float *>(
        std::aligned_alloc(1 << 21, kElements * sizeof(float)));
    std::minstd_rand random(1);
    for (int64_t i = 0; i < kElements; ++i)
      memory[i] = float(random() % 4096) / 1024 - 2;
    return memory;
  }();
  return pool;
}

/// Calls each kernel, and returns whether the elements of their last arrays are
/// about equal.
static bool isSame(const Kernel &kernel, const Kernel &other) {
  SmallVector<float *> buffers;
  float *next = getPool();
  for (int64_t size : kernel.getSizes()) {
    buffers.push_back(next);
    next += llvm::alignTo(size, 1 << 10);
  }
  int64_t size = kernel.getSizes().back();
  kernel.run(buffers);
  std::vector<float> values(buffers.back(), buffers.back() + size);
  other.run(buffers);
  for (int64_t i = 0; i < size; ++i) {
    // A sequential sum of 16 Mi addends has few exact digits.
    float tolerance = size == 1 ? 0.1f : 1e-3f;
    tolerance *= 1e-3f + std::abs(buffers.back()[i]);
    if (!(std::abs(values[i] - buffers.back()[i]) <= tolerance))
      return false;
  }
  return true;
}

static void runKernel(benchmark::State &state, const std::string &text,
                      const std::string &passes, int64_t bytes) {
  Kernel kernel(text, passes);
  if (!isSame(kernel, Kernel(text, kUnfused)))
    return state.SkipWithError("has another result than the unfused program");
  float *pool = getPool();
  SmallVector<float *> buffers(kernel.getSizes().size());
  int64_t next = 0;
  auto call = [&] {
    for (auto [buffer, size] : llvm::zip_equal(buffers, kernel.getSizes())) {
      if (next + size > kElements)
        next = 0;
      buffer = pool + next;
      next += llvm::alignTo(size, 1 << 10);
    }
    kernel.run(buffers);
  };
  call();
  for (auto _ : state)
    call();
  state.SetBytesProcessed(state.iterations() * bytes);
}

static void runCopy(benchmark::State &state) {
  float *pool = getPool();
  constexpr int64_t kCopied = 16 << 20;
  int64_t next = 0;
  for (auto _ : state) {
    memcpy(pool + next + kCopied, pool + next, kCopied * sizeof(float));
    benchmark::ClobberMemory();
    next = (next + 2 * kCopied) % kElements;
  }
  state.SetBytesProcessed(state.iterations() * 2 * kCopied * sizeof(float));
}

static bool registerAll() {
  constexpr int64_t kArray = 64 << 20, kMatrix = 16 << 20;
  struct Program {
    const char *name;
    std::string text;
    int64_t bytes;
  };
  Program programs[] = {
      {"Chain", getChain(), 2 * kArray},
      {"SumOfSquares", getSumOfSquares(), kArray},
      {"Softmax", getSoftmax(), 2 * kMatrix},
      {"LayerNorm", getLayerNorm(), 2 * kMatrix},
  };
  std::pair<const char *, std::string> lanes[] = {
      {"Fused", kFused},
      {"FusedBlocked", kFusedBlocked},
      {"Unfused", kUnfused},
      {"AffineFusion", kAffine},
  };
  benchmark::RegisterBenchmark("Fusion/Copy", runCopy)
      ->Unit(benchmark::kMillisecond);
  for (const Program &program : programs) {
    for (const auto &[lane, passes] : lanes) {
      std::string name = llvm::formatv("Fusion/{0}/{1}", program.name, lane);
      benchmark::RegisterBenchmark(name.c_str(), [program, passes = passes](
                                                     benchmark::State &state) {
        runKernel(state, program.text, passes, program.bytes);
      })->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}
[[maybe_unused]] static bool registered = registerAll();
