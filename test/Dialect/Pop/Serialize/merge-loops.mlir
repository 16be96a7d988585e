// RUN: ipu-opt %s --split-input-file --pop-merge-loops | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-merge-loops --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The second loop uses the row that the first loop stores, and nothing reads the rows
// later.
// CHECK-LABEL: func.func @rows
// CHECK: %[[LOOP:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[A:.*]] = %arg1) -> (tensor<4x2xf32>) {
// CHECK-NEXT: %[[N:.*]] = pop.from_scalar %[[I]]
// CHECK-NEXT: %[[S:.*]] = pop.reshape %[[N]]
// CHECK-NEXT: %[[R:.*]] = pop.dynamic_slice %arg0[%[[S]]]
// CHECK-NEXT: %[[E:.*]] = pop.exp %[[R]]
// CHECK-NEXT: %[[T:.*]] = pop.tanh %[[E]]
// CHECK-NEXT: %[[U:.*]] = pop.dynamic_update %[[A]], %[[T]][%[[S]]]
// CHECK-NEXT: scf.yield %[[U]]
// CHECK-NOT: scf.for
// REMARK: [Passed] MergeLoops{{.*}}the loop is merged with the loop before it
func.func @rows(%x: tensor<4x2xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x2xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
    %r = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
    %e = pop.exp %r : tensor<1x2xf32>
    %u = pop.dynamic_update %a, %e[%s] {axes = array<i64: 0>} : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi32>
    scf.yield %u : tensor<4x2xf32>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x2xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
    %r = pop.dynamic_slice %0[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
    %t = pop.tanh %r : tensor<1x2xf32>
    %u = pop.dynamic_update %a, %t[%s] {axes = array<i64: 0>} : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi32>
    scf.yield %u : tensor<4x2xf32>
  }
  return %1 : tensor<4x2xf32>
}

// -----

// Rows that are used later are stored. The merged loop carries the values of the first
// loop, then those of the second one. Rows may have several elements, and an offset.
// CHECK-LABEL: func.func @stored
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %arg1, %[[B:.*]] = %arg2, %[[C:.*]] = %arg1)
// CHECK: %[[E:.*]] = pop.exp
// CHECK: %[[U:.*]] = pop.dynamic_update %[[A]], %[[E]]
// CHECK: %[[V:.*]] = pop.neg %[[B]]
// CHECK: %[[T:.*]] = pop.tanh %[[E]]
// CHECK: %[[W:.*]] = pop.dynamic_update %[[C]], %[[T]]
// CHECK: scf.yield %[[U]], %[[V]], %[[W]]
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1, %[[LOOP]]#2
func.func @stored(%x: tensor<7x2xf32>, %init: tensor<7x2xf32>, %v: tensor<2xf32>) -> (tensor<7x2xf32>, tensor<2xf32>, tensor<7x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = pop.constant dense<2> : tensor<i32>
  %one = pop.constant dense<1> : tensor<1xi32>
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init, %b = %v) -> (tensor<7x2xf32>, tensor<2xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %m = pop.mul %n, %two : tensor<i32>
    %p = pop.reshape %m : tensor<i32> to tensor<1xi32>
    %s = pop.add %p, %one : tensor<1xi32>
    %r = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<7x2xf32>, tensor<1xi32> -> tensor<2x2xf32>
    %e = pop.exp %r : tensor<2x2xf32>
    %u = pop.dynamic_update %a, %e[%s] {axes = array<i64: 0>} : tensor<7x2xf32>, tensor<2x2xf32>, tensor<1xi32>
    %w = pop.neg %b : tensor<2xf32>
    scf.yield %u, %w : tensor<7x2xf32>, tensor<2xf32>
  }
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init) -> (tensor<7x2xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %m = pop.mul %n, %two : tensor<i32>
    %p = pop.reshape %m : tensor<i32> to tensor<1xi32>
    %s = pop.add %p, %one : tensor<1xi32>
    %r = pop.dynamic_slice %0#0[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<7x2xf32>, tensor<1xi32> -> tensor<2x2xf32>
    %t = pop.tanh %r : tensor<2x2xf32>
    %u = pop.dynamic_update %a, %t[%s] {axes = array<i64: 0>} : tensor<7x2xf32>, tensor<2x2xf32>, tensor<1xi32>
    scf.yield %u : tensor<7x2xf32>
  }
  return %0#0, %0#1, %1 : tensor<7x2xf32>, tensor<2xf32>, tensor<7x2xf32>
}

// -----

// Rows that overlap are whole dependences: the last iteration that stores an element
// counts. So are rows in another order.
// CHECK-LABEL: func.func @overlapping
// CHECK-COUNT-3: scf.for
// REMARK: [Missed] MergeLoops{{.*}}the later loop needs more of a result of the earlier loop than the row of the same iteration
func.func @overlapping(%x: tensor<5xf32>, %init: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %minus = pop.constant dense<-1> : tensor<i32>
  %three = pop.constant dense<3> : tensor<i32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<5xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
    %r = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<5xf32>, tensor<1xi32> -> tensor<2xf32>
    %u = pop.dynamic_update %a, %r[%s] {axes = array<i64: 0>} : tensor<5xf32>, tensor<2xf32>, tensor<1xi32>
    scf.yield %u : tensor<5xf32>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<5xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
    %r = pop.dynamic_slice %0[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<5xf32>, tensor<1xi32> -> tensor<2xf32>
    %b = pop.slice %r {sizes = array<i64: 1>, starts = array<i64: 1>, steps = array<i64: 1>} : tensor<2xf32> -> tensor<1xf32>
    %u = pop.dynamic_update %a, %b[%s] {axes = array<i64: 0>} : tensor<5xf32>, tensor<1xf32>, tensor<1xi32>
    scf.yield %u : tensor<5xf32>
  }
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<5xf32>) {
    %n = pop.from_scalar %i : index to tensor<i32>
    %m = pop.mul %n, %minus : tensor<i32>
    %p = pop.add %m, %three : tensor<i32>
    %s = pop.reshape %p : tensor<i32> to tensor<1xi32>
    %r = pop.dynamic_slice %1[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<5xf32>, tensor<1xi32> -> tensor<1xf32>
    %u = pop.dynamic_update %a, %r[%s] {axes = array<i64: 0>} : tensor<5xf32>, tensor<1xf32>, tensor<1xi32>
    scf.yield %u : tensor<5xf32>
  }
  return %1, %2 : tensor<5xf32>, tensor<5xf32>
}

// -----

// Ops that do not depend on the loops move before them. One that depends on the
// first loop moves behind the merged loop. Three loops are merged at once; a loop with
// other bounds is not.
// CHECK-LABEL: func.func @between
// CHECK: pop.exp
// CHECK: scf.for {{.*}}%c3
// CHECK: %[[LOOP:.*]]:3 = scf.for
// CHECK-NEXT: pop.neg
// CHECK-NEXT: pop.abs
// CHECK-NEXT: pop.sin
// CHECK-NEXT: scf.yield
// CHECK: pop.tanh %[[LOOP]]#0
// REMARK: [Missed] MergeLoops{{.*}}their bounds differ
func.func @between(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %7 = pop.neg %a : tensor<2xf32>
    scf.yield %7 : tensor<2xf32>
  }
  %1 = pop.tanh %0 : tensor<2xf32>
  %2 = pop.exp %x : tensor<2xf32>
  %3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %2) -> tensor<2xf32> {
    %7 = pop.abs %a : tensor<2xf32>
    scf.yield %7 : tensor<2xf32>
  }
  %4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %7 = pop.cos %a : tensor<2xf32>
    scf.yield %7 : tensor<2xf32>
  }
  %5 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %7 = pop.sin %a : tensor<2xf32>
    scf.yield %7 : tensor<2xf32>
  }
  return %1, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Loops in loops are merged before the loops around them.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: pop.neg
// CHECK-NEXT: pop.abs
// CHECK: pop.exp
// CHECK-NOT: scf.for
func.func @nested(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<2xf32>, tensor<2xf32>) {
    %2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%c = %a) -> tensor<2xf32> {
      %4 = pop.neg %c : tensor<2xf32>
      scf.yield %4 : tensor<2xf32>
    }
    %3 = scf.for %j = %c0 to %c4 step %c1 iter_args(%c = %b) -> tensor<2xf32> {
      %4 = pop.abs %c : tensor<2xf32>
      scf.yield %4 : tensor<2xf32>
    }
    scf.yield %2, %3 : tensor<2xf32>, tensor<2xf32>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %2 = pop.exp %a : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  }
  return %0#0, %0#1, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
