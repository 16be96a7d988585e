// RUN: ipu-opt %s --split-input-file --verify-contracts --pop-update-in-place | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: func.func @used
// CHECK: %[[A:.*]] = pop.read %[[R:.*]] :
// CHECK-NEXT: %[[B:.*]] = pop.dynamic_update %[[A]]
// CHECK-NEXT: pop.copy_ %[[R]], %[[B]]
// CHECK-NEXT: %[[C:.*]] = pop.read %[[R]]
// CHECK-NEXT: pop.relu %[[C]]
// CHECK-NEXT: return
func.func @used(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> tensor<8x4xf32> {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = pop.relu %1 : tensor<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// A key-value cache that a loop carries: the copies move before the ops that
// use a result of an update, and the other copy stays where it is.

// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: pop.read %[[K:.*]] :
// CHECK: pop.read %[[V:.*]] :
// CHECK-NEXT: %[[NEWK:.*]] = pop.dynamic_update
// CHECK-NEXT: pop.copy_ %[[K]], %[[NEWK]]
// CHECK-NEXT: %[[READK:.*]] = pop.read %[[K]]
// CHECK-NEXT: %[[NEWV:.*]] = pop.dynamic_update
// CHECK-NEXT: pop.copy_ %[[V]], %[[NEWV]]
// CHECK-NEXT: %[[READV:.*]] = pop.read %[[V]]
// CHECK-NEXT: %[[SUM:.*]] = pop.add %[[READK]], %[[READV]]
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[SUM]]
func.func @loop(%k: !pop.ref<8x4xf32>, %v: !pop.ref<8x4xf32>, %sum: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %n = %c0 to %c8 step %c1 {
    %0 = pop.read %k : !pop.ref<8x4xf32>
    %1 = pop.read %v : !pop.ref<8x4xf32>
    %2 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
    %3 = pop.dynamic_update %1, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
    %4 = pop.add %2, %3 : tensor<8x4xf32>
    pop.copy_ %sum, %4 : !pop.ref<8x4xf32>, tensor<8x4xf32>
    pop.copy_ %k, %2 : !pop.ref<8x4xf32>, tensor<8x4xf32>
    pop.copy_ %v, %3 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  }
  return
}

// -----

// The old tensor is still used, so that it would have to be copied.

// CHECK-LABEL: func.func @old
// CHECK: pop.dynamic_update
// CHECK-NEXT: pop.relu
// CHECK-NEXT: pop.copy_
func.func @old(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> tensor<8x4xf32> {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = pop.relu %0 : tensor<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// Another op reads the ref before the copy, also in a called function.

// CHECK-LABEL: func.func @read
// CHECK: pop.dynamic_update
// CHECK-NEXT: pop.read
// CHECK-NEXT: pop.copy_
func.func @read(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> tensor<8x4xf32> {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = pop.read %r : !pop.ref<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @called
// CHECK: pop.dynamic_update
// CHECK-NEXT: call @reader
// CHECK-NEXT: pop.copy_
func.func @called(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> tensor<8x4xf32> {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = func.call @reader(%r) : (!pop.ref<8x4xf32>) -> tensor<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
func.func private @reader(%r: !pop.ref<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// The ref changes before the last use of the result.

// CHECK-LABEL: func.func @written
// CHECK: %[[B:.*]] = pop.dynamic_update
// CHECK-NEXT: pop.relu %[[B]]
// CHECK-NEXT: pop.copy_
// CHECK-NEXT: pop.zero_
// CHECK-NEXT: pop.abs %[[B]]
func.func @written(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = pop.relu %1 : tensor<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  pop.zero_ %r : !pop.ref<8x4xf32>
  %3 = pop.abs %1 : tensor<8x4xf32>
  return %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// An op that changes all elements, and an update of another ref, stay.

// CHECK-LABEL: func.func @others
// CHECK: pop.relu
// CHECK-NEXT: pop.abs
// CHECK-NEXT: pop.copy_
// CHECK: pop.dynamic_update
// CHECK-NEXT: pop.abs
// CHECK-NEXT: pop.copy_
func.func @others(%r: !pop.ref<8x4xf32>, %s: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = pop.read %r : !pop.ref<8x4xf32>
  %1 = pop.relu %0 : tensor<8x4xf32>
  %2 = pop.abs %1 : tensor<8x4xf32>
  pop.copy_ %r, %1 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  %3 = pop.read %r : !pop.ref<8x4xf32>
  %4 = pop.dynamic_update %3, %u[%i] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %5 = pop.abs %4 : tensor<8x4xf32>
  pop.copy_ %s, %4 : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2, %5 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// An op in the stage of the update cannot read what a later stage writes.

// CHECK-LABEL: func.func @stages
// CHECK: %[[B:.*]] = pop.dynamic_update
// CHECK-NEXT: pop.relu %[[B]]
// CHECK-NEXT: pop.copy_
func.func @stages(%r: !pop.ref<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<1xi32>) -> tensor<8x4xf32> {
  %0 = pop.read %r {pop.stage = 0 : i64} : !pop.ref<8x4xf32>
  %1 = pop.dynamic_update %0, %u[%i] {axes = array<i64: 0>, pop.stage = 0 : i64} : tensor<8x4xf32>, tensor<1x4xf32>, tensor<1xi32>
  %2 = pop.relu %1 {pop.stage = 0 : i64} : tensor<8x4xf32>
  pop.copy_ %r, %1 {pop.stage = 1 : i64} : !pop.ref<8x4xf32>, tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
