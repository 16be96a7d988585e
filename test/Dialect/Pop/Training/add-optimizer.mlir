// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<sgd2, momentum = 0.9>}})' | FileCheck %s

// The example of the pass.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32> {pop.name = "w"}, %[[G:[a-z0-9]+]]: tensor<4xf32>,
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<4xf32> {pop.default = dense<0.000000e+00> : tensor<4xf32>, pop.name = "Accl___w"})
// CHECK-SAME:    -> (tensor<4xf32> {pop.name = "Updated___w", pop.updates = #pop.graph_value<argument 0>},
// CHECK-SAME:        tensor<4xf32> {pop.name = "Updated___Accl___w", pop.updates = #pop.graph_value<argument 2>})
// CHECK-NEXT:    %[[NEW:[a-z0-9_]+]], %[[STATE:[a-z0-9_]+]] = pop.optimizer_step <sgd2, momentum = 9.000000e-01> %[[W]], %[[G]] state(%[[V]])
// CHECK-NEXT:    return %[[NEW]], %[[STATE]]
func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  return %g : tensor<4xf32>
}

// -----

// Optimizers of weights come before those of all. Two settings that are one
// stream load it once; schedules depend on a count of updates. States start from
// the weight where they have to.
//
// CHECK:       pop.stream @lr host_to_device broadcast : tensor<f32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<2xf16>
// CHECK-SAME:    %[[U:[a-z0-9]+]]: tensor<2xf32>
// CHECK-SAME:    {pop.default = dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>, pop.groups = #pop.replica_groups<stride = 1, size = 2>, pop.name = "Master___w"}
// CHECK-SAME:    %[[UPDATES:[a-z0-9]+]]: tensor<f32> {pop.default = {{.+}}, pop.name = "Updates___"}
// CHECK-SAME:    {pop.default = dense<[5.000000e-02, 1.000000e-01]> : tensor<2xf32>, pop.name = "Accl___u"}
// CHECK:         %[[LR:.+]] = pop.host_load @lr
// CHECK-NOT:     pop.host_load
// CHECK:         pop.optimizer_step <sgd0, dampening = operand, lr = operand, master = true> %[[W]], %{{.+}} state(%{{.+}}) settings(%[[LR]], %[[LR]])
// CHECK:         pop.add %[[UPDATES]]
// CHECK:         pop.optimizer_step <sgd1, lr = operand, weight_decay = 1.000000e-01> %[[U]]
func.func @main(%w: tensor<2xf16> {pop.name = "w", pop.default = dense<[0.5, 1.0]> : tensor<2xf16>,
                                   pop.optimizer = #pop.optimizer<sgd0, lr = @lr, dampening = @lr, master = true>,
                                   pop.groups = #pop.replica_groups<stride = 1, size = 2>},
                %u: tensor<2xf32> {pop.name = "u", pop.default = dense<[0.5, 1.0]> : tensor<2xf32>},
                %g: tensor<2xf16>, %h: tensor<2xf32>)
    -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<argument 0>},
        tensor<2xf32> {pop.gradient_of = #pop.graph_value<argument 1>})
    attributes {pop.optimizer = #pop.optimizer<sgd1, weight_decay = 0.1, lr = #pop.schedule<linear, initial = 0.1, steps = 10>>} {
  return %g, %h : tensor<2xf16>, tensor<2xf32>
}

// -----

// Weights that are variables have states that are variables. The loss is scaled.
//
// CHECK:       pop.variable @Accl1___w : tensor<2xf32> = dense<0.000000e+00> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
// CHECK:       pop.variable @Step___w : tensor<f32> = dense<0.000000e+00> : tensor<f32> {groups
// CHECK-LABEL: func.func @main(%{{.+}}: tensor<2xf32>) {
// CHECK-NEXT:    %[[ONE:.+]] = pop.constant dense<1.280000e+02> : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.loss_scale %[[ONE]] : tensor<f32>
// CHECK:         %[[G:.+]] = pop.mul %{{.+}}, %[[SCALE]]
// CHECK:         %[[M:.+]] = pop.get_variable @Accl1___w
// CHECK:         %[[W:.+]] = pop.get_variable @w
// CHECK:         %[[NEW:[a-z0-9_]+]], %[[STATES:[a-z0-9_]+]]:3 = pop.optimizer_step <adam, loss_scale = 1.280000e+02> %{{.+}}, %[[G]]
// CHECK:         pop.copy_ %[[W]], %[[NEW]]
// CHECK:         pop.copy_ %[[M]], %[[STATES]]#0
// CHECK:         return
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<3x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>,
  pop.optimizer = #pop.optimizer<adam, loss_scale = 128>}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {pop.gradient_of = #pop.graph_value<variable @w>}) {
  %one = pop.constant dense<1.0> : tensor<f32>
  %dy = pop.loss_scale %one : tensor<f32>
  %0 = pop.mul %x, %dy : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Updates and states are on the virtual graph of the weight, and have the stage of
// the gradient. What updates share, such as a setting from the host, is on the
// virtual graph of the gradient of the first stage, and is copied to the others.
//
// CHECK-DAG:   pop.variable @Accl___w : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32> {pop.vgraph = 1 : i64}
// CHECK-LABEL: func.func @main(
// CHECK:         %[[G:.+]] = pop.neg
// CHECK:         %[[H:.+]] = pop.ipu_copy %[[G]]
// CHECK:         %[[LR:.+]] = pop.host_load @lr {pop.stage = 2 : i64, pop.training_role = "update", pop.vgraph = 0 : i64}
// CHECK:         %[[LR1:.+]] = pop.ipu_copy %[[LR]] from 0 to 1 {pop.stage = 3 : i64, pop.training_role = "update"}
// CHECK:         %[[V:.+]] = pop.read %{{.+}} {pop.stage = 3 : i64, pop.training_role = "update", pop.vgraph = 1 : i64}
// CHECK:         %[[W:.+]] = pop.read %{{.+}} {pop.stage = 3 : i64, pop.training_role = "update", pop.vgraph = 1 : i64}
// CHECK:         pop.optimizer_step {{.*}} %[[W]], %[[H]] state(%[[V]]) settings(%[[LR1]]) {pop.stage = 3 : i64, pop.training_role = "update", pop.vgraph = 1 : i64}
// CHECK-COUNT-2: pop.copy_ %{{.+}} {pop.stage = 3 : i64, pop.training_role = "update", pop.vgraph = 1 : i64}
// CHECK:         pop.optimizer_step {{.*}} %[[U:.+]], %[[G]] settings(%[[LR]]) {pop.stage = 2 : i64, pop.training_role = "update", pop.vgraph = 0 : i64}
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {pop.vgraph = 1 : i64, pop.optimizer = #pop.optimizer<sgd2, momentum = 0.9, lr = @lr>}
func.func @main(%g: tensor<4xf32>, %u: tensor<4xf32> {pop.name = "u", pop.vgraph = 0 : i64, pop.optimizer = #pop.optimizer<sgd0, lr = @lr>})
    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @w>},
        tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
  %0 = pop.neg %g {pop.stage = 2 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 3 : i64} : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}
