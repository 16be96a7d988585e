// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// 48 elements on 4 tiles: 12 on each. add f32: S = 11, P = 29, 3 cycles for 2
// elements; 6 workers have 2 elements each at most:
//   11 + 6 * (29 + 3 * ceil(2 / 2)) = 203; with 30 for the compute set, 233.
// Both operands lie where the sum does: no exchange.
// Host: 20 us at 1.33 GHz = 26600; 192 bytes at 16 GB/s = 15.96 -> 16 cycles,
// more than the 12 of a tile's 48 bytes: 26616 for each of three copies.

// CHECK: sync external 600
// CHECK-NEXT: host x 26616
// CHECK-NEXT: host b 26616
// CHECK-NEXT: compute pop.add 233
// CHECK-NEXT: sync external 600
// CHECK-NEXT: host y 26616
// CHECK-NEXT: clock 81281
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<48xf32> {pop.name = "x"}, %b: tensor<48xf32> {pop.name = "b"})
      -> (tensor<48xf32> {pop.name = "y"}) {
    %0 = pop.add %x, %b : tensor<48xf32>
    return %0 : tensor<48xf32>
  }
}
