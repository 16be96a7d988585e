// RUN: ipu-opt %s --pop-verify-graphs | FileCheck %s

// What pop-verify-graphs accepts, beside its errors in verify-graphs-invalid.mlir.

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>

func.func private @add(%a: !pop.ref<2xf32>, %b: !pop.ref<2xf32>) {
  %t = pop.read %b : !pop.ref<2xf32>
  pop.add_ %a, %t : !pop.ref<2xf32>, tensor<2xf32>
  return
}
func.func private @read(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %0 = pop.read %a : !pop.ref<4xf32>
  %1 = pop.read %b : !pop.ref<4xf32>
  %2 = pop.read %w : !pop.ref<4xf32>
  %3 = pop.add %1, %2 : tensor<4xf32>
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %v = pop.get_variable @v : !pop.ref<4xf32>
  // Disjoint halves of one variable.
  %a = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 2>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %b = pop.ref_slice %w {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 2>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  call @add(%a, %b) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
  // Two variables.
  %c = pop.ref_slice %v {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  call @add(%a, %c) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
  // One variable under three names, all of them read only.
  %t, %u = call @read(%w, %w) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
