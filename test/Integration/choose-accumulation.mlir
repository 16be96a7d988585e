// Sums of few outputs are blocks, here of 16 terms, which tiles share, unless they are
// asked to be chains.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp"})'
// RUN: not ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{accumulation=chain},ipu-execute{inputs="*=ramp"})' 2>&1 | FileCheck %s
// CHECK: error: {{.*}}first at [0, 0]: got 0.0, expected 175.0

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main(%n: tensor<1x1xi32> {pop.name = "n"}) {
    %zero = pop.cast %n : tensor<1x1xi32> to tensor<1x1xf32>
    %one = pop.exp %zero : tensor<1x1xf32>
    %ones = pop.expand %one : tensor<1x1xf32> to tensor<192x1xf32>
    // 2^24 and 15 times 1, which are rounded away; 175 times 1, which are not, and
    // -2^24.
    %large = pop.constant dense<16777216.0> : tensor<1x1xf32>
    %small = pop.constant dense<1.0> : tensor<1x190xf32>
    %minus = pop.constant dense<-16777216.0> : tensor<1x1xf32>
    %long = pop.concat %large, %small, %minus {axis = 1 : i64} : (tensor<1x1xf32>, tensor<1x190xf32>, tensor<1x1xf32>) -> tensor<1x192xf32>
    %cut = pop.matmul %long, %ones : (tensor<1x192xf32>, tensor<192x1xf32>) -> tensor<1x1xf32>
    pop.expect_eq %cut, dense<175.0> : tensor<1x1xf32>
    return
  }
}
