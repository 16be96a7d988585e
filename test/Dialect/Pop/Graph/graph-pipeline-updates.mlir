// RUN: ipu-opt %s --pop-graph-pipeline | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{merge-updates=all verify-contracts})' | FileCheck %s --check-prefix=ALL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{merge-updates=tight})' | FileCheck %s --check-prefix=ALL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{merge-updates=loose})' | FileCheck %s --check-prefix=ALL
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{merge-updates=some})' 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: Cannot find option named 'some'

// Gradients are clipped. Weights are streams by then.
//
// CHECK-LABEL:   func.func @main() {
// CHECK-COUNT-2:   pop.reduce sum
// CHECK:           pop.sqrt
// CHECK-COUNT-2:   pop.optimizer_step
// CHECK:           return

// Updates are merged before that.
//
// ALL-LABEL: func.func @main() {
// ALL:         %[[G:.+]] = pop.concat %{{.+}}, %{{.+}} {axis = 0 : i64} : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
// ALL-COUNT-1: pop.reduce sum
// ALL:         pop.sqrt
// ALL:         pop.optimizer_step {{.+}} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
// ALL-NOT:     pop.optimizer_step
func.func @main(%w: tensor<2xf32> {pop.name = "w"}, %u: tensor<4xf32> {pop.name = "u"}, %g: tensor<2xf32>, %h: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["u", "w"]>]} {
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.optimizer_step <sgd0> %u, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<2xf32>, tensor<4xf32>
}
