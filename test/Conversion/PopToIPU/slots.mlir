// RUN: ipu-opt %s --split-input-file --mlir-print-local-scope --pop-to-ipu-pipeline | FileCheck %s

// The vertices write to the ref: there is no other variable of the size of the
// buffer, and the codelet only copies the slot. Each tile has its part of every
// slot.

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = ipu.var "b"
// CHECK-SAME: memref<8x2400xf32, #ipu.map<[1, 8, 2400], grid = [12], blocks = [all, all, p0 * 200 : 200]>>
// CHECK-NOT: ipu.var {{.*}}8x2400
// CHECK: ipu.vertices @dynamic_update_f32_i32_f32 ins(%[[B]], {{.*}} outs(%[[B]] :
// CHECK-NOT: ipu.move
// CHECK: ipu.codelet @dynamic_update_f32_i32_f32
// CHECK-SAME: cost <dynamic_update, supervisor = 0, worker = 30, cycles = 2, per = 2>
// CHECK-COUNT-1: linalg.copy
// CHECK-NOT: linalg.copy
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64}>} {
  pop.variable @b : tensor<8x2400xf32> = dense<0.0> : tensor<8x2400xf32>
  pop.variable @s : tensor<1x2400xf32> = dense<1.0> : tensor<1x2400xf32>
  pop.variable @i : tensor<1xi32> = dense<1> : tensor<1xi32>
  func.func @main() {
    %b = pop.get_variable @b : !pop.ref<8x2400xf32>
    %s = pop.get_variable @s : !pop.ref<1x2400xf32>
    %n = pop.get_variable @i : !pop.ref<1xi32>
    %0 = pop.read %s : !pop.ref<1x2400xf32>
    %i = pop.read %n : !pop.ref<1xi32>
    pop.dynamic_update_ %b, %0[%i] {axes = array<i64: 0>} : !pop.ref<8x2400xf32>, tensor<1x2400xf32>, tensor<1xi32>
    return
  }
}

// -----

// The old tensor is still used, so the vertices also copy the rest of it.

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = ipu.var "b"
// CHECK: %[[NEW:.*]] = ipu.var "pop.dynamic_update"
// CHECK: ipu.vertices @dynamic_update_f32_i32_f32 ins(%[[B]], {{.*}} outs(%[[NEW]] :
// CHECK: ipu.move %[[NEW]] to %[[B]]
// CHECK: ipu.codelet @dynamic_update_f32_i32_f32
// CHECK-SAME: cost <dynamic_update, supervisor = 0, worker = 30, cycles = 2, per = 2, combined = 1>
// CHECK-COUNT-2: linalg.copy
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64}>} {
  pop.variable @b : tensor<8x2400xf32> = dense<0.0> : tensor<8x2400xf32>
  func.func @main(%s: tensor<1x2400xf32>, %i: tensor<1xi32>) -> tensor<8x2400xf32> {
    %b = pop.get_variable @b : !pop.ref<8x2400xf32>
    %0 = pop.read %b : !pop.ref<8x2400xf32>
    %1 = pop.dynamic_update %0, %s[%i] {axes = array<i64: 0>} : tensor<8x2400xf32>, tensor<1x2400xf32>, tensor<1xi32>
    %2 = pop.relu %0 : tensor<8x2400xf32>
    pop.copy_ %b, %1 : !pop.ref<8x2400xf32>, tensor<8x2400xf32>
    return %2 : tensor<8x2400xf32>
  }
}
