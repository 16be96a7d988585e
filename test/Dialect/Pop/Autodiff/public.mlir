// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=safe_add_fwd_outputs})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=add_fwd_outputs})' | FileCheck %s --check-prefix=ADD

// Another module may call a public function: its results stay, unless they are
// asked to change.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    ) -> tensor<4xf32> {
// CHECK:       func.func private @f_backward(
// CHECK-SAME:    pop.gradient_of = #pop.graph_value<result 0>
// CHECK-SAME:    pop.forward_value = #pop.graph_value<argument 0>
// CHECK:         pop.tanh
// ADD-LABEL:   func.func @f(
// ADD-SAME:      ) -> (tensor<4xf32>, tensor<4xf32>) {
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.mul %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
