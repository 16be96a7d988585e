// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic},ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// The scalar is on tile 0. Each other tile receives its 4 bytes in one run:
// 4 / 4 + 2 * 1 = 3 cycles. (Tile 1 shares its bus with tile 0, which receives
// nothing: single width.) Tile 0 sends them once, 1 cycle, and copies its own:
// 288 + ceil(4 / 8) + 5 = 294, together 295. With 100 for the set-up: 395.
// add with a scalar operand: 11 + 6 * (20 + 2 * 1) = 143, and 30: 173.

// CHECK: sync internal 90
// CHECK-NEXT: exchange pop.add 395
// CHECK-NEXT: compute pop.add 173
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<48xf32> {pop.name = "x"}, %b: tensor<f32> {pop.name = "b"})
      -> (tensor<48xf32> {pop.name = "y"}) {
    %0 = pop.add %x, %b : (tensor<48xf32>, tensor<f32>) -> tensor<48xf32>
    return %0 : tensor<48xf32>
  }
}
