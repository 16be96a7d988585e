// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-store-tensors)" | FileCheck %s

// CHECK-DAG: pop.stream @"tensor 0: pop.read" device_to_host : tensor<4xf32>
// CHECK-DAG: pop.stream @"tensor 1: pop.relu of 'act'" device_to_host : tensor<4xf32> {transfers = 6 : i64}
// CHECK-DAG: pop.stream @"tensor 2: gradient, pop.mul of 'act'" device_to_host : tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>

// Integers, constants and views are not stored, nor what a branch computes.
//
// CHECK-LABEL: func.func @main(
// CHECK:         %[[W:.+]] = pop.read
// CHECK-NEXT:    pop.host_store %[[W]], @"tensor 0: pop.read" : tensor<4xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[Y:.+]] = pop.relu %[[W]]
// CHECK-NEXT:        pop.host_store %[[Y]], @"tensor 1: pop.relu of 'act'" : tensor<4xf32>
// CHECK:         pop.constant
// CHECK-NEXT:    pop.loss_scale
// CHECK-NEXT:    %[[G:.+]] = pop.mul
// CHECK-NEXT:    pop.host_store %[[G]], @"tensor 2: gradient, pop.mul of 'act'" {pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NOT:     pop.host_store
func.func @main(%n: tensor<4xi32>, %c: tensor<i1>) -> tensor<2x2xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.neg %n : tensor<4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %y = pop.relu %w : tensor<4xf32> loc("act")
      pop.copy_ %r, %y : !pop.ref<4xf32>, tensor<4xf32>
    }
  }
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %s = pop.loss_scale %one : tensor<4xf32>
  %g = pop.mul %w, %s {pop.vgraph = 1 : i64} : tensor<4xf32> loc("act")
  %b = tensor.extract %c[] : tensor<i1>
  scf.if %b {
    %z = pop.tanh %g : tensor<4xf32>
    pop.copy_ %r, %z : !pop.ref<4xf32>, tensor<4xf32>
  }
  %v = pop.reshape %w : tensor<4xf32> to tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}
