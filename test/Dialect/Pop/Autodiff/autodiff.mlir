// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f required=#1 stitch=recompute_minimal})' | FileCheck %s --check-prefix=EXAMPLE

// The example of the pass.
//
// EXAMPLE-LABEL: func.func private @f(
// EXAMPLE-LABEL: func.func private @f_backward(
// EXAMPLE-SAME:    %[[DY:.+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>},
// EXAMPLE-SAME:    %[[X:.+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>},
// EXAMPLE-SAME:    %[[Y:.+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<result 0>})
// EXAMPLE-SAME:    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
// EXAMPLE-NEXT:    %[[ONE:.+]] = pop.constant dense<1.000000e+00> : tensor<f32>
// EXAMPLE-NEXT:    %[[SQUARE:.+]] = pop.mul %[[Y]], %[[Y]]
// EXAMPLE-NEXT:    %[[SLOPE:.+]] = pop.sub %[[ONE]], %[[SQUARE]]
// EXAMPLE-NEXT:    %[[DZ:.+]] = pop.mul %[[DY]], %[[SLOPE]]
// EXAMPLE-NEXT:    %[[DW:.+]] = pop.mul %[[DZ]], %[[X]]
// EXAMPLE-NEXT:    return %[[DW]]

// Without options, all values are computed again from the arguments, and there
// is a gradient of each argument.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:.+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>},
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>},
// CHECK-SAME:    %[[W:.+]]: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 1>})
// CHECK-SAME:    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 0>}, tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
// CHECK-NEXT:    %[[Z:.+]] = pop.mul %[[X]], %[[W]]
// CHECK-NEXT:    %[[Y:.+]] = pop.tanh %[[Z]]
// CHECK:         %[[DZ:.+]] = pop.mul %[[DY]], %{{.+}}
// CHECK-NEXT:    %[[DX:.+]] = pop.mul %[[DZ]], %[[W]]
// CHECK-NEXT:    %[[DW:.+]] = pop.mul %[[DZ]], %[[X]]
// CHECK-NEXT:    return %[[DX]], %[[DW]]
func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.mul %x, %w : tensor<4xf32>
  %1 = pop.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
