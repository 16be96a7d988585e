// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=w caller=main})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=w caller=main},pop-add-optimizer)' | FileCheck %s --check-prefix=TRAINED

// What pop-autodiff makes says what pop-add-optimizer has to know: which results
// are gradients, what the loss is scaled by, the optimizer, and norms of gradients.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    -> (tensor<f32>, tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 1>, pop.name = "Gradient___w"})
// CHECK-SAME:    attributes {pop.clip_norms = [#pop.clip_norm<1.000000e+00 : f64>], pop.optimizer = #pop.optimizer<sgd0, loss_scale = 1.600000e+01>} {
// CHECK:         %[[ONE:.+]] = pop.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    pop.loss_scale %[[ONE]] : tensor<f32>
// TRAINED-LABEL: func.func @main(
// TRAINED-SAME:    -> (tensor<f32>, tensor<2xf32> {pop.name = "Updated___w", pop.updates = #pop.graph_value<argument 1>})
// TRAINED:         %[[ONE:.+]] = pop.constant dense<1.600000e+01> : tensor<f32>
// TRAINED-NEXT:    %[[SCALE:.+]] = pop.loss_scale %[[ONE]] : tensor<f32>
// TRAINED:         %[[G:.+]] = call @f_backward(%[[SCALE]]
// TRAINED:         pop.optimizer_step <sgd0, loss_scale = 1.600000e+01> %{{.+}}, %[[G]]
func.func @f(%x: tensor<2xf32>, %w: tensor<2xf32> {pop.name = "w"}) -> tensor<f32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>], pop.optimizer = #pop.optimizer<sgd0, loss_scale = 16>} {
  %0 = pop.mul %x, %w : tensor<2xf32>
  %1 = pop.reduce sum %0 {axes = array<i64: 0>} : tensor<2xf32> -> tensor<f32>
  return %1 : tensor<f32>
}
