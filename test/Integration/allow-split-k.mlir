// The pass that lets tiles share the terms of a sum changes long sums of floats,
// and only these.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-allow-split-k{parts=2 min-k=32},pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})'
// RUN: not ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})' 2>&1 | FileCheck %s
// CHECK: error: {{.*}}first at [0, 0]: got 0.0, expected 15.0

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main(%n: tensor<1x1xi32> {pop.name = "n"}) {
    %zero = pop.cast %n : tensor<1x1xi32> to tensor<1x1xf32>
    %one = pop.exp %zero : tensor<1x1xf32>
    %ones = pop.expand %one : tensor<1x1xf32> to tensor<32x1xf32>
    // 2^24 and 15 times 1, which are rounded away; 15 times 1, which are not,
    // and -2^24.
    %long = pop.constant dense<[[16777216.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
                                 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -16777216.0]]> : tensor<1x32xf32>
    // One term less is not cut.
    %short = pop.slice %long {starts = array<i64: 0, 1>, sizes = array<i64: 1, 31>, steps = array<i64: 1, 1>} : tensor<1x32xf32> -> tensor<1x31xf32>
    %ones31 = pop.expand %one : tensor<1x1xf32> to tensor<31x1xf32>
    %kept = pop.matmul %short, %ones31 : (tensor<1x31xf32>, tensor<31x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %kept, dense<-16777186.0> : tensor<1x1xf32>
    %cut = pop.matmul %long, %ones : (tensor<1x32xf32>, tensor<32x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %cut, dense<15.0> : tensor<1x1xf32>
    return
  }
}
