// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph=training | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph="training micro-batches=8" | FileCheck %s --check-prefixes=CHECK,POPART
// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph="training micro-batches=1 schedule=gpipe" | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph="training micro-batches=8 schedule=1f1b" | FileCheck %s --check-prefixes=CHECK,POPART
// RUN: ipu-opt %s --pop-choose-accumulation --pop-auto-vgraph="training micro-batches=2147483647 schedule=gpipe" -o /dev/null
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{place-layers infer-stages schedule=1f1b train=main loss=#0 weights=#1,#2,#3,#4 optimizer={#pop.optimizer<sgd0, lr = 0.5>} accumulation-factor=8})' | FileCheck %s --check-prefix=GRAPH

// Each activation takes half a megabyte. The first IPU of a pipeline keeps those
// of two micro-batches for the backward pass, so it has one layer less.

// CHECK-LABEL: func.func @main
// CHECK: pop.matmul {{.*}}pop.vgraph = 0 : i64
// ONE: pop.matmul {{.*}}pop.vgraph = 0 : i64
// POPART: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
// CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64

// GRAPH: pop.matmul {{.*}}pop.vgraph = 0 : i64
// GRAPH: pop.matmul {{.*}}pop.vgraph = 1 : i64
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, ipus = 2 : i64, tile_memory = 1000000 : i64}>} {
  func.func @main(%x: tensor<1024x128xf32>, %a: tensor<128x128xf32> {pop.default = dense<0.5> : tensor<128x128xf32>}, %b: tensor<128x128xf32> {pop.default = dense<0.5> : tensor<128x128xf32>}, %c: tensor<128x128xf32> {pop.default = dense<0.5> : tensor<128x128xf32>}, %d: tensor<128x128xf32> {pop.default = dense<0.5> : tensor<128x128xf32>}) -> tensor<f32> {
    %0 = pop.matmul %x, %a : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
    %1 = pop.matmul %0, %b : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
    %2 = pop.matmul %1, %c : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
    %3 = pop.matmul %2, %d : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
    %4 = pop.reduce sum %3 {axes = array<i64: 0, 1>} : tensor<1024x128xf32> -> tensor<f32>
    return %4 : tensor<f32>
  }
}
