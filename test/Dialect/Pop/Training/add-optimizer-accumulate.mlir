// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<sgd2, momentum = 0.9>} accumulation-factor=4 reduce=accumulator mean=running})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<sgd1, momentum = 0.9, dampening = 0.5, accumulator = f16>} accumulation-factor=4 reduce=accumulator mean=none})' | FileCheck %s --check-prefix=VELOCITY
// RUN: sed 's/{pop.gradient_of = \(.*\)}) {/{pop.gradient_of = \1}) attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {/' %s | ipu-opt --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<sgd1, momentum = 0.9>} accumulation-factor=4 mean=post},pop-clip-gradients)' | FileCheck %s --check-prefix=CLIPPED

// Parts of the batch are counted, and averaged in an accumulator of which each
// replica has its own until the update.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32> {pop.name = "w"}, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<4xf32> {pop.default = {{.+}}, pop.name = "Accl___w"}
// CHECK-SAME:    %[[ACC:[a-z0-9]+]]: tensor<4xf32> {pop.default = {{.+}}, pop.groups = #pop.replica_groups<stride = 1, size = 1>, pop.name = "Accum___w"}
// CHECK-SAME:    %[[N:[a-z0-9]+]]: tensor<f32> {pop.default = {{.+}}, pop.name = "Counter___"}
// CHECK-SAME:    tensor<f32> {pop.name = "Updated___Counter___", pop.updates = #pop.graph_value<argument 4>}
// CHECK-SAME:    tensor<4xf32> {pop.name = "Updated___Accum___w", pop.updates = #pop.graph_value<argument 3>}
// CHECK:         %[[ONE:.+]] = pop.constant dense<1.000000e+00>
// CHECK-NEXT:    %[[COUNT:.+]] = pop.constant dense<4.000000e+00>
// CHECK-NEXT:    %[[NEXT:.+]] = pop.add %[[N]], %[[ONE]]
// CHECK-NEXT:    %[[NUMBER:.+]] = pop.rem %[[NEXT]], %[[COUNT]]
// CHECK-NEXT:    %[[MEAN:.+]] = pop.accumulate mean %[[ACC]], %[[G]] step(%[[N]] : tensor<f32>)
// CHECK-NEXT:    %[[ZERO:.+]] = pop.constant {pop.execution_context = #pop<execution_context accumulate_outer>} dense<0.000000e+00>
// CHECK-NEXT:    %[[ALL:.+]] = pop.all_reduce mean %[[MEAN]] {pop.execution_context = #pop<execution_context accumulate_outer>}
// CHECK-NEXT:    %[[NEW:[a-z0-9_]+]], %[[STATE:[a-z0-9_]+]] = pop.optimizer_step <sgd2, momentum = 9.000000e-01> %[[W]], %[[ALL]] state(%[[V]]) {pop.execution_context
// CHECK-NEXT:    return %[[NEW]], %[[NUMBER]], %[[ZERO]], %[[STATE]]

// The velocity is the accumulator. All replicas have what is in it from the last
// update, so that it is averaged and the gradients are multiplied by the number of
// replicas.
//
// VELOCITY-LABEL: func.func @main(
// VELOCITY-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32> {pop.name = "w"}, %[[G:[a-z0-9]+]]: tensor<4xf32>
// VELOCITY-SAME:    %[[V:[a-z0-9]+]]: tensor<4xf32> {pop.default = {{.+}}, pop.name = "Accl___w"}
// VELOCITY-NEXT:    %[[HALF:.+]] = pop.constant {{.+}}dense<5.000000e-01> : tensor<f32>
// VELOCITY-NEXT:    %[[FACTOR:.+]] = pop.all_reduce add %[[HALF]] {pop.execution_context = #pop<execution_context optimizer_from_host>}
// VELOCITY-NEXT:    %[[SUM:.+]] = pop.accumulate add %[[V]], %[[G]] factor(%[[FACTOR]] : tensor<f32>) : tensor<4xf32>, tensor<4xf32>
// VELOCITY-NEXT:    %[[ALL:.+]] = pop.all_reduce mean %[[SUM]]
// VELOCITY-NEXT:    %[[NEW:[a-z0-9_]+]], %[[STATE:[a-z0-9_]+]] = pop.optimizer_step <sgd1, accumulator = f16, dampening = 5.000000e-01, momentum = 9.000000e-01> %[[W]] state(%[[ALL]])

// A gradient that is clipped has an accumulator of its own.
//
// CLIPPED-LABEL: func.func @main(
// CLIPPED-SAME:    %[[G:[a-z0-9]+]]: tensor<4xf32>, %{{.+}}: tensor<4xf32> {{.+}}pop.name = "Accl___w"}, %[[ACC:[a-z0-9]+]]: tensor<4xf32> {{.+}}pop.name = "Accum___w"
// CLIPPED:         %[[SUM:.+]] = pop.accumulate add %[[ACC]], %[[G]]
// CLIPPED:         pop.mul %[[SUM]], %[[SUM]] {pop.execution_context = #pop<execution_context accumulate_outer>}
// CLIPPED:         pop.constant {pop.execution_context = #pop<execution_context accumulate_outer>} dense<4.0
// CLIPPED:         %[[CLIPPED:.+]] = pop.mul %[[SUM]], %{{.+}} {pop.execution_context = #pop<execution_context accumulate_outer>}
// CLIPPED-NEXT:    pop.optimizer_step <sgd1, momentum = 9.000000e-01> %{{.+}}, %[[CLIPPED]] state(%{{.+}}) {accumulations = 4 : i64, pop.execution_context
func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %g : tensor<4xf32>
}
