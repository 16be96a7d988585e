// Four IPUs, each of which computes an equal part of the batch, give the bits
// of one IPU. The constants are on each IPU, with copies on the tiles that read
// them or, without copies, once on each IPU.

// DEFINE: %{copies} = true
// DEFINE: %{engine} = check engine=interp
// DEFINE: %{run} = ipu-test-opt --mlir-print-local-scope --pass-pipeline='builtin.module(pop-to-ipu-pipeline{copy-constants=%{copies}},ipu-execute{inputs="*=random:1" %{engine} results=%t.results})'

// RUN: %{run} %s -o /dev/null
// RUN: rm -rf %t.one && mv %t.results %t.one

// RUN: sed 's/ipus = 1/ipus = 2/' %s > %t.two.mlir
// RUN: %{run} %t.two.mlir | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: diff -r %t.one %t.results
// RUN: sed 's/ipus = 1/ipus = 4/' %s > %t.four.mlir
// RUN: %{run} %t.four.mlir | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: diff -r %t.one %t.results
// REDEFINE: %{engine} = engine=jit
// REDEFINE: %{copies} = false
// RUN: %{run} %t.four.mlir | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: diff -r %t.one %t.results

// Only the transfers of the host join the clocks of the IPUs.
// CHECK: ipu.sync external
// CHECK-NOT: ipu.sync ipus
// TWO: ipu.vertices @conv{{.*}}ipus = [2
// FOUR: ipu.vertices @conv{{.*}}ipus = [4
// CHECK-NOT: ipu.sync ipus
// CHECK: ipu.sync external

module attributes {ipu.target = #ipu.target<"c600", {tiles = 24 : i64, ipus = 1 : i64}>} {
  func.func @main(%x: tensor<8x16x12x12xf16>) -> tensor<8x10xf16> {
    %w0 = pop.constant dense<0.05> : tensor<16x16x3x3xf16>
    %w1 = pop.constant dense<0.07> : tensor<32x16x1x1xf16>
    %w2 = pop.constant dense<0.03> : tensor<32x10xf16>
    %b0 = pop.constant dense<-0.5> : tensor<16x1x1xf16>
    %half = pop.constant dense<0.5> : tensor<f16>
    %0 = pop.conv %x, %w0 {pads = array<i64: 1, 1, 1, 1>} : (tensor<8x16x12x12xf16>, tensor<16x16x3x3xf16>) -> tensor<8x16x12x12xf16>
    %1 = pop.add %0, %b0 : (tensor<8x16x12x12xf16>, tensor<16x1x1xf16>) -> tensor<8x16x12x12xf16>
    %2 = pop.relu %1 : tensor<8x16x12x12xf16>
    %3 = pop.max_pool %2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : tensor<8x16x12x12xf16> -> tensor<8x16x6x6xf16>
    %4 = pop.conv %3, %w1 : (tensor<8x16x6x6xf16>, tensor<32x16x1x1xf16>) -> tensor<8x32x6x6xf16>
    %5 = pop.mul %4, %half : (tensor<8x32x6x6xf16>, tensor<f16>) -> tensor<8x32x6x6xf16>
    %6 = pop.reduce mean %5 {axes = array<i64: 2, 3>} : tensor<8x32x6x6xf16> -> tensor<8x32xf16>
    %7 = pop.matmul %6, %w2 : (tensor<8x32xf16>, tensor<32x10xf16>) -> tensor<8x10xf16>
    return %7 : tensor<8x10xf16>
  }
}
