// RUN: ipu-opt %s --split-input-file --pop-state-to-variables | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-state-to-variables --pop-variables-to-state | FileCheck %s --check-prefix=BACK

// The example of the pass.
//
// CHECK:       pop.variable @w : tensor<4xf32> = dense<1.000000e+00> : tensor<4xf32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[G:.+]]: tensor<4xf32>) {
// CHECK-NEXT:    %[[R:.+]] = pop.get_variable @w
// CHECK-NEXT:    %[[W:.+]] = pop.read %[[R]]
// CHECK-NEXT:    %[[NEW:.+]] = pop.sub %[[W]], %[[G]]
// CHECK-NEXT:    pop.copy_ %[[R]], %[[NEW]]
// CHECK-NEXT:    return
// BACK-LABEL:  func.func @main(
// BACK-SAME:     %[[G:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32> {pop.default = dense<1.000000e+00> : tensor<4xf32>, pop.name = "w"})
// BACK-SAME:     -> (tensor<4xf32> {pop.name = "Updated___w", pop.updates = #pop.graph_value<argument 1>})
// BACK-NEXT:     %[[NEW:.+]] = pop.sub %[[W]], %[[G]]
// BACK-NEXT:     return %[[NEW]]
func.func @main(%w: tensor<4xf32> {pop.default = dense<1.0> : tensor<4xf32>, pop.name = "w"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 0>}) {
  %0 = pop.sub %w, %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What is accumulated is done in place, and what is executed once for all parts
// of the batch reads for itself. Other results may be states as they were.
//
// CHECK:       pop.variable @acc : tensor<2xf32> = dense<0.000000e+00> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>, pop.vgraph = 1 : i64, retrieval = #pop<retrieval all_replicas>}
// CHECK:       pop.variable @arg1
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[G:.+]]: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-DAG:     %[[ACC:.+]] = pop.get_variable @acc {pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[W:.+]] = pop.get_variable @arg1
// CHECK:         pop.accumulate_ add %[[ACC]], %[[G]] {pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[SUM:.+]] = pop.read %[[ACC]] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[NOW:.+]] = pop.read %[[W]] {pop.execution_context = #pop<execution_context accumulate_outer>}
// CHECK:         %[[NEW:.+]] = pop.sub %[[NOW]], %[[SUM]]
// CHECK:         %[[OLD:.+]] = pop.read %[[W]] : !pop.ref<2xf32>
// CHECK-NEXT:    pop.copy_ %[[ACC]], %{{.+}} {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64}
// CHECK:         pop.copy_ %[[W]], %[[NEW]] {pop.execution_context = #pop<execution_context accumulate_outer>}
// CHECK:         return %[[OLD]]
// BACK-LABEL:  func.func @main(
// BACK:          pop.accumulate add
func.func @main(%acc: tensor<2xf32> {pop.default = dense<0.0> : tensor<2xf32>, pop.name = "acc", pop.vgraph = 1 : i64,
                                     pop.groups = #pop.replica_groups<stride = 1, size = 1>},
                %w: tensor<2xf32> {pop.default = dense<1.0> : tensor<2xf32>}, %g: tensor<2xf32>)
    -> (tensor<2xf32> {pop.updates = #pop.graph_value<argument 0>}, tensor<2xf32> {pop.updates = #pop.graph_value<argument 1>},
        tensor<2xf32>) {
  %0 = pop.accumulate add %acc, %g {pop.vgraph = 1 : i64} : tensor<2xf32>, tensor<2xf32>
  %1 = pop.sub %w, %0 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<2xf32>
  %2 = pop.constant {pop.execution_context = #pop<execution_context accumulate_outer>} dense<0.0> : tensor<2xf32>
  return %2, %1, %w : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Two states that change places, and one that stays.
//
// CHECK-LABEL: func.func @main() {
// CHECK-DAG:     %[[A:.+]] = pop.get_variable @a
// CHECK-DAG:     %[[B:.+]] = pop.get_variable @b
// CHECK-DAG:     %[[OF_A:.+]] = pop.read %[[A]]
// CHECK-DAG:     %[[OF_B:.+]] = pop.read %[[B]]
// CHECK:         pop.copy_ %[[A]], %[[OF_B]]
// CHECK-NEXT:    pop.copy_ %[[B]], %[[OF_A]]
// CHECK-NEXT:    return
func.func @main(%a: tensor<2xf32> {pop.default = dense<1.0> : tensor<2xf32>, pop.name = "a"},
                %b: tensor<2xf32> {pop.default = dense<2.0> : tensor<2xf32>, pop.name = "b"},
                %c: tensor<2xf32> {pop.default = dense<3.0> : tensor<2xf32>, pop.name = "c"})
    -> (tensor<2xf32> {pop.updates = #pop.graph_value<argument 0>}, tensor<2xf32> {pop.updates = #pop.graph_value<argument 1>},
        tensor<2xf32> {pop.updates = #pop.graph_value<argument 2>}) {
  return %b, %a, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Accumulations in a row are done in place. Ops on the variable are where it is,
// and have the stage of what they are for only if that is there, too.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<2xf32>, %[[H:[a-z0-9]+]]: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-DAG:     %[[ACC:.+]] = pop.get_variable @acc {pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[W:.+]] = pop.get_variable @w {pop.vgraph = 0 : i64}
// CHECK:         pop.accumulate_ add %[[ACC]], %[[G]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[T:.+]] = pop.tanh %[[H]]
// CHECK-NEXT:    pop.accumulate_ add %[[ACC]], %[[T]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[SUM:.+]] = pop.read %[[ACC]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-DAG:     %[[OLD:.+]] = pop.read %[[W]] {pop.vgraph = 0 : i64}
// CHECK:         %[[NEW:.+]] = pop.sub %[[OLD]], %[[SUM]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.copy_ %[[W]], %[[NEW]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    return %[[SUM]]
// BACK-LABEL:  func.func @main(
// BACK:          pop.accumulate add
// BACK:          pop.accumulate add
func.func @main(%acc: tensor<2xf32> {pop.default = dense<0.0> : tensor<2xf32>, pop.name = "acc", pop.vgraph = 1 : i64},
                %w: tensor<2xf32> {pop.default = dense<1.0> : tensor<2xf32>, pop.name = "w", pop.vgraph = 0 : i64},
                %g: tensor<2xf32>, %h: tensor<2xf32>)
    -> (tensor<2xf32> {pop.updates = #pop.graph_value<argument 0>}, tensor<2xf32> {pop.updates = #pop.graph_value<argument 1>}, tensor<2xf32>) {
  %0 = pop.accumulate add %acc, %g {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xf32>, tensor<2xf32>
  %1 = pop.tanh %h {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xf32>
  %2 = pop.accumulate add %0, %1 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xf32>, tensor<2xf32>
  %3 = pop.sub %w, %2 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<2xf32>
  return %2, %3, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// What is computed before the parts of a batch, and read after them, is written
// after them.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.add %{{.+}}, %{{.+}} {pop.execution_context = #pop<execution_context optimizer_from_host>}
// CHECK:         %[[OLD:.+]] = pop.read %[[T:.+]] {pop.execution_context = #pop<execution_context accumulate_outer>}
// CHECK:         pop.mul %{{.+}}, %[[OLD]]
// CHECK:         pop.copy_ %[[T]], %{{.+}} {pop.execution_context = #pop<execution_context accumulate_outer>}
func.func @main(%t: tensor<f32> {pop.default = dense<0.0> : tensor<f32>, pop.name = "t"}, %x: tensor<f32>)
    -> (tensor<f32> {pop.updates = #pop.graph_value<argument 0>}, tensor<f32>) {
  %one = pop.constant {pop.execution_context = #pop<execution_context optimizer_from_host>} dense<1.0> : tensor<f32>
  %0 = pop.add %t, %one {pop.execution_context = #pop<execution_context optimizer_from_host>} : tensor<f32>
  %1 = pop.mul %x, %t {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
