// RUN: ipu-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: pop.relu
// CHECK-NEXT: pop.expect_eq
// CHECK-NEXT: pop.reshape
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = pop.relu %x : tensor<4xf32>
  pop.expect_eq %0, dense<0.0> : tensor<4xf32>
  %1 = pop.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
