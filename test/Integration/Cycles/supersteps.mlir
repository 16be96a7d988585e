// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s

// Two supersteps. neg: 20 + 6 * (17 + 2 * ceil(2 / 2)) = 134, and 30: 164.
// Then its reverse is squared. Element i of the reverse is element 47 - i: tile
// 0 needs what tile 3 holds and so on. Each tile sends and receives 48 bytes, 12
// cycles, and as the order is turned around, each element is a run: 24. With
// 100: 136. Both operands are the reverse; it is brought once.
// mul: 11 + 6 * (29 + 3 * 1) = 203, and 30: 233.
// One clock: 600 + 26616 + 164 + 90 + 136 + 233 + 600 + 26616.

// CHECK: sync external 600
// CHECK-NEXT: host x 26616
// CHECK-NEXT: compute pop.neg 164
// CHECK-NEXT: sync internal 90
// CHECK-NEXT: exchange pop.mul 136
// CHECK-NEXT: compute pop.mul 233
// CHECK-NEXT: sync external 600
// CHECK-NEXT: host y 26616
// CHECK-NEXT: clock 55055
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<48xf32> {pop.name = "x"}) -> (tensor<48xf32> {pop.name = "y"}) {
    %0 = pop.neg %x : tensor<48xf32>
    %1 = pop.slice %0 {starts = array<i64: 47>, sizes = array<i64: 48>, steps = array<i64: -1>} : tensor<48xf32> -> tensor<48xf32>
    %2 = pop.mul %1, %1 : tensor<48xf32>
    return %2 : tensor<48xf32>
  }
}
