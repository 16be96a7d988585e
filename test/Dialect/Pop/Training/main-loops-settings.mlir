// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=2 accumulation-factor=3})" | FileCheck %s

// Results that are computed before the parts of each batch.
//
// CHECK-DAG:   pop.stream @lr host_to_device : tensor<f32> {transfers = 2 : i64}
// CHECK-DAG:   pop.stream @all device_to_host : tensor<f32> {transfers = 2 : i64}
// CHECK-DAG:   pop.stream @second device_to_host : tensor<f32> {transfers = 1 : i64}
// CHECK-LABEL: func.func @main() -> (tensor<f32>, tensor<f32>) {
// CHECK:         %[[LOOP:.+]]:2 = scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[SUM:.+]] = %{{.+}})
// CHECK-NEXT:      %[[LR:.+]] = pop.host_load @lr
// CHECK-NEXT:      pop.host_store %[[LR]], @all
// CHECK:           scf.if
// CHECK-NEXT:        pop.host_store %[[LR]], @second
// CHECK:           scf.for
// CHECK:           %[[NEXT:.+]] = pop.add %[[SUM]], %[[LR]]
// CHECK:           scf.yield %[[LR]], %[[NEXT]]
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#1
pop.stream @lr host_to_device : tensor<f32>
func.func @main() -> (
    tensor<f32> {pop.anchor = #pop.anchor<all>, pop.name = "all"},
    tensor<f32> {pop.anchor = #pop.anchor<every, 2>, pop.name = "second"},
    tensor<f32>, tensor<f32> {pop.anchor = #pop.anchor<sum>}) {
  %0 = pop.host_load @lr {pop.execution_context = #pop<execution_context optimizer_from_host>} : tensor<f32>
  return %0, %0, %0, %0 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// An attribute of a function that is called for each part names a stream that is
// loaded for each update.
//
// CHECK:       pop.stream @lr host_to_device : tensor<f32> {transfers = 2 : i64}
// CHECK-LABEL: func.func @main() {
pop.stream @lr host_to_device : tensor<f32>
pop.variable @v : tensor<f32> = dense<0.0> : tensor<f32>
func.func private @f(%w: !pop.ref<f32>) attributes {pop.optimizer = #pop.optimizer<sgd0, lr = @lr>} {
  %0 = pop.read %w : !pop.ref<f32>
  pop.add_ %w, %0 : !pop.ref<f32>, tensor<f32>
  return
}
func.func @main() {
  %v = pop.get_variable @v : !pop.ref<f32>
  call @f(%v) : (!pop.ref<f32>) -> ()
  %0 = pop.host_load @lr {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>
  pop.add_ %v, %0 {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<f32>, tensor<f32>
  return
}

// -----

// What is computed before the loops has a value in each iteration.
//
// CHECK-DAG:   pop.stream @all device_to_host : tensor<2xf32> {transfers = 6 : i64}
// CHECK-LABEL: func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK:         %[[K:.+]] = pop.constant dense<7.0
// CHECK:         %[[LOOP:.+]] = scf.for
// CHECK:           scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}})
// CHECK:             pop.host_store %[[K]], @all
// CHECK:             pop.add %[[SUM]], %[[K]]
// CHECK:         return %[[LOOP]], %[[K]]
func.func @main() -> (
    tensor<2xf32> {pop.anchor = #pop.anchor<all>, pop.name = "all"},
    tensor<2xf32> {pop.anchor = #pop.anchor<sum>}, tensor<2xf32>) {
  %0 = pop.constant dense<7.0> : tensor<2xf32>
  return %0, %0, %0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
