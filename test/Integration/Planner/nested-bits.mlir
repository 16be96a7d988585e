// Plans over several IPUs, and nested grids wherever they are, give the bits of
// one IPU.

// DEFINE: %{maps} =
// DEFINE: %{engine} = check engine=interp
// DEFINE: %{run} = ipu-test-opt --mlir-print-local-scope --pass-pipeline='builtin.module(%{maps}pop-to-ipu-pipeline,ipu-execute{inputs="*=random:1" %{engine} results=%t.results})'

// RUN: %{run} %s -o /dev/null
// RUN: rm -rf %t.one && mv %t.results %t.one

// RUN: sed 's/ipus = 1/ipus = 2/' %s > %t.two.mlir
// RUN: %{run} %t.two.mlir -o /dev/null
// RUN: diff -r %t.one %t.results

// RUN: sed 's/ipus = 1/ipus = 4/' %s > %t.four.mlir
// RUN: %{run} %t.four.mlir | FileCheck %s
// RUN: diff -r %t.one %t.results
// CHECK: ipus = [{{[1-4, ]*}}] * 16
// REDEFINE: %{engine} = engine=jit
// RUN: %{run} %t.four.mlir -o /dev/null
// RUN: diff -r %t.one %t.results

// Random maps.
// REDEFINE: %{maps} = func.func(test-shuffle-maps{seed=1}),
// RUN: %{run} %t.four.mlir | FileCheck %s --check-prefix=SHUFFLED
// RUN: diff -r %t.one %t.results
// SHUFFLED: ipus = [
// REDEFINE: %{maps} = func.func(test-shuffle-maps{seed=2}),
// RUN: %{run} %t.four.mlir -o /dev/null
// RUN: diff -r %t.one %t.results
// REDEFINE: %{maps} = func.func(test-shuffle-maps{seed=3}),
// REDEFINE: %{engine} = check engine=interp
// RUN: %{run} %t.two.mlir -o /dev/null
// RUN: diff -r %t.one %t.results

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 1 : i64, link_latency_ns = 0 : i64}>} {
  func.func @main(%x: tensor<1x3x54x54xf32>, %w: tensor<3x1x3x3xf16>, %v: tensor<50x24xf16>) -> (tensor<1x3x52x52xf32>, tensor<1x3x50x50xf16>, tensor<1x3x24x50xf16>) {
    %0 = pop.max_pool %x {kernel = array<i64: 3, 3>} : tensor<1x3x54x54xf32> -> tensor<1x3x52x52xf32>
    %1 = pop.cast %0 : tensor<1x3x52x52xf32> to tensor<1x3x52x52xf16>
    %2 = pop.conv %1, %w {groups = 3 : i64} : (tensor<1x3x52x52xf16>, tensor<3x1x3x3xf16>) -> tensor<1x3x50x50xf16>
    %3 = pop.tanh %2 : tensor<1x3x50x50xf16>
    %4 = pop.matmul %3, %v : (tensor<1x3x50x50xf16>, tensor<50x24xf16>) -> tensor<1x3x50x24xf16>
    %5 = pop.transpose %4 {permutation = array<i64: 0, 1, 3, 2>} : tensor<1x3x50x24xf16> -> tensor<1x3x24x50xf16>
    return %0, %3, %5 : tensor<1x3x52x52xf32>, tensor<1x3x50x50xf16>, tensor<1x3x24x50xf16>
  }
}
