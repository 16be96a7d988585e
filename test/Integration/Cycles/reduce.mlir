// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// 8 rows of 16: each of 4 tiles holds two rows and adds them up, so nothing is
// exchanged. A worker has one row: 6 * (17 + 12 * 1 + ceil(16 / 2)) = 222, and
// 30: 252.

// CHECK: host x
// CHECK-NEXT: compute pop.reduce 252
// CHECK-NEXT: sync external
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<8x16xf32> {pop.name = "x"}) -> (tensor<8xf32> {pop.name = "y"}) {
    %0 = pop.reduce sum %x {axes = array<i64: 1>} : tensor<8x16xf32> -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
