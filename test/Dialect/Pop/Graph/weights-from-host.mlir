// RUN: ipu-opt %s --split-input-file --pop-weights-from-host | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-weights-from-host --pop-weights-from-host | FileCheck %s

// Constants and refs are copied into the branch. A result that other ops use is
// kept in a scratch tensor.

// CHECK-LABEL: pop.variable @w
// CHECK-DAG: pop.scratch @weights_loaded : tensor<i1> = dense<true> : tensor<i1>
// CHECK-DAG: pop.scratch @weights_from_host : tensor<2xf32> = dense<0.000000e+00> : tensor<2xf32>
// CHECK: func.func @main(%[[X:.*]]: tensor<2xf32>)
// CHECK-DAG: %[[KEPT:.*]] = pop.get_variable @weights_from_host
// CHECK-DAG: %[[FLAG:.*]] = pop.get_variable @weights_loaded
// CHECK: %[[READ:.*]] = pop.read %[[FLAG]]
// CHECK: %[[LOADED:.*]] = tensor.extract %[[READ]][]
// CHECK: scf.if %[[LOADED]] {
// CHECK-NEXT: %[[W:.*]] = pop.get_variable @w
// CHECK-NEXT: %[[V:.*]] = pop.read %[[W]] : !pop.ref<2xf32>
// CHECK-NEXT: %[[C:.*]] = pop.constant dense<2.0
// CHECK-NEXT: %[[M:.*]] = pop.mul %[[V]], %[[C]] : tensor<2xf32>
// CHECK-NEXT: %[[E:.*]] = pop.exp %[[M]] : tensor<2xf32>
// CHECK-NEXT: pop.copy_ %[[KEPT]], %[[E]]
// CHECK-NEXT: %[[FALSE:.*]] = pop.constant dense<false>
// CHECK-NEXT: pop.copy_ %[[FLAG]], %[[FALSE]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:.*]] = pop.read %[[KEPT]]
// CHECK: pop.sub %[[X]], %{{.*}} : tensor<2xf32>
// CHECK: pop.mul %{{.*}}, %[[R]] : tensor<2xf32>
#first = #pop<execution_context weights_from_host>
pop.variable @w : tensor<2xf32> = dense<3.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = pop.get_variable @w : !pop.ref<2xf32>
  %two = pop.constant dense<2.0> : tensor<2xf32>
  %d = pop.sub %x, %two : tensor<2xf32>
  %0 = pop.read %r {pop.execution_context = #first} : !pop.ref<2xf32>
  %1 = pop.mul %0, %two {pop.execution_context = #first} : tensor<2xf32>
  %2 = pop.exp %1 {pop.execution_context = #first} : tensor<2xf32>
  %3 = pop.mul %d, %2 : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// The branch and its variables are on the IPU of the ops.

// CHECK-LABEL: pop.variable @v
// CHECK-DAG: pop.scratch @weights_loaded : tensor<i1> = dense<true> : tensor<i1> {pop.vgraph = 1 : i64}
// CHECK-DAG: pop.scratch @weights_from_host : tensor<2xf32> = dense<0.000000e+00> : tensor<2xf32> {pop.vgraph = 1 : i64}
// CHECK: pop.read %{{.*}} {pop.vgraph = 1 : i64} : !pop.ref<i1>
#first = #pop<execution_context weights_from_host>
pop.variable @v : tensor<2xf32> = dense<3.0> : tensor<2xf32> {pop.vgraph = 1 : i64}
func.func @main() -> tensor<2xf32> {
  %r = pop.get_variable @v {pop.vgraph = 1 : i64} : !pop.ref<2xf32>
  %0 = pop.read %r {pop.execution_context = #first, pop.vgraph = 1 : i64} : !pop.ref<2xf32>
  %1 = pop.exp %0 {pop.execution_context = #first, pop.vgraph = 1 : i64} : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Without such ops, nothing changes.

// CHECK-LABEL: func.func @main(%arg0: tensor<2xf32>)
// CHECK-NEXT: pop.exp
// CHECK-NEXT: return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.exp %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
