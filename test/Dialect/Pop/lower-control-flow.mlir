// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(pop-lower-control-flow))' | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: func.func @carry
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK: %[[REF:.*]] = pop.from_tensor %[[X]] : tensor<2xf32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} {
// CHECK-NEXT: %[[A:.*]] = pop.read %[[REF]] : !pop.ref<2xf32>
// CHECK-NEXT: %[[Y:.*]] = pop.relu %[[A]]
// CHECK-NEXT: pop.copy_ %[[REF]], %[[Y]]
// CHECK-NEXT: }
// CHECK: %[[R:.*]] = pop.read %[[REF]]
// CHECK: return %[[R]]
func.func @carry(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %0 = pop.relu %a : tensor<2xf32>
    scf.yield %0 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// Zeros are not copied from a constant. -0.0 is not zero.

// CHECK-LABEL: func.func @zeros
// CHECK: %[[MINUS:.*]] = pop.constant dense<-0.0
// CHECK: pop.alloc zero : !pop.ref<2xf32>
// CHECK-NEXT: pop.alloc zero : !pop.ref<3xi32>
// CHECK-NEXT: pop.from_tensor %[[MINUS]]
// CHECK: scf.for
func.func @zeros() -> (tensor<2xf32>, tensor<3xi32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = pop.constant dense<0.0> : tensor<2xf32>
  %y = pop.constant dense<0> : tensor<3xi32>
  %z = pop.constant dense<-0.0> : tensor<2xf32>
  %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<2xf32>, tensor<3xi32>, tensor<2xf32>) {
    %0 = pop.exp %a : tensor<2xf32>
    %1 = pop.neg %b : tensor<3xi32>
    %2 = pop.exp %c : tensor<2xf32>
    scf.yield %0, %1, %2 : tensor<2xf32>, tensor<3xi32>, tensor<2xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<3xi32>, tensor<2xf32>
}

// -----

// No ref holds a carried value that only computes its own next value and is not
// used after the loop, and the ops that compute it are erased. The value %b
// is not used after the loop either, but %a depends on it.

// CHECK-LABEL: func.func @unused
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-COUNT-2: pop.from_tensor %[[X]] : tensor<2xf32>
// CHECK-NOT: pop.from_tensor
// CHECK: scf.for
// CHECK-NEXT: pop.read
// CHECK-NEXT: pop.read
// CHECK-NEXT: pop.add
// CHECK-NEXT: pop.relu
// CHECK-NEXT: pop.copy_
// CHECK-NEXT: pop.copy_
// CHECK-NEXT: }
func.func @unused(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x, %c = %x) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = pop.add %a, %b : tensor<2xf32>
    %1 = pop.relu %b : tensor<2xf32>
    %2 = pop.exp %c : tensor<2xf32>
    %3 = pop.add %0, %2 : tensor<2xf32>
    scf.yield %0, %1, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %r#0 : tensor<2xf32>
}

// -----

// 3, 5, 7: three rounds; the index is a tensor.

// CHECK-LABEL: func.func @index
// CHECK: %[[FIRST:.*]] = pop.constant dense<3> : tensor<i32>
// CHECK: %[[INDEX:.*]] = pop.from_tensor %[[FIRST]] : tensor<i32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step %c1{{.*}} {
// CHECK: %[[I:.*]] = pop.read %[[INDEX]] : !pop.ref<i32>
// CHECK: %[[F:.*]] = pop.cast %[[I]] : tensor<i32> to tensor<f32>
// CHECK: pop.add_ %{{.*}}, %[[F]]
// CHECK: %[[TWO:.*]] = pop.constant dense<2> : tensor<i32>
// CHECK: %[[NEXT:.*]] = pop.add %[[I]], %[[TWO]] : tensor<i32>
// CHECK: pop.copy_ %[[INDEX]], %[[NEXT]]
func.func @index() -> tensor<f32> {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %sum = pop.alloc zero : !pop.ref<f32>
  scf.for %i = %c3 to %c8 step %c2 {
    %0 = pop.from_scalar %i : index to tensor<i32>
    %1 = pop.cast %0 : tensor<i32> to tensor<f32>
    pop.add_ %sum, %1 : !pop.ref<f32>, tensor<f32>
  }
  %0 = pop.read %sum : !pop.ref<f32>
  return %0 : tensor<f32>
}

// -----

// A bound in a tensor stays one; others are counted by tensors.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[N:.*]]: tensor<i32>)
// CHECK: pop.alloc
// CHECK: %[[COUNT:.*]] = tensor.extract %[[N]][] : tensor<i32>
// CHECK: %[[UPPER:.*]] = arith.index_cast %[[COUNT]]
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[UPPER]] step
// CHECK: %[[ONE:.*]] = pop.constant dense<1> : tensor<i32>
// CHECK: %[[MAX:.*]] = pop.max %[[N]], %[[ONE]] : tensor<i32>
// CHECK: %[[DIFF:.*]] = pop.sub %[[MAX]], %[[ONE]] : tensor<i32>
// CHECK: %[[SPAN:.*]] = pop.cast %[[DIFF]] : tensor<i32> to tensor<ui32>
// CHECK: %[[STEP:.*]] = pop.constant dense<4> : tensor<ui32>
// CHECK: %[[DIV:.*]] = pop.div %[[SPAN]], %[[STEP]] : tensor<ui32>
// CHECK: %[[MUL:.*]] = pop.mul %[[DIV]], %[[STEP]] : tensor<ui32>
// CHECK: %[[REST:.*]] = pop.sub %[[SPAN]], %[[MUL]] : tensor<ui32>
// CHECK: %[[PART:.*]] = pop.min %[[REST]], %{{.*}} : tensor<ui32>
// CHECK: %[[SUM:.*]] = pop.add %[[DIV]], %[[PART]] : tensor<ui32>
// CHECK: %[[COUNT4:.*]] = pop.cast %[[SUM]] : tensor<ui32> to tensor<i32>
// CHECK: tensor.extract %[[COUNT4]][]
func.func @dynamic(%n: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.extract %n[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  %r = pop.alloc zero : !pop.ref<f32>
  scf.for %i = %c0 to %1 step %c1 {
    pop.exp_ %r : !pop.ref<f32>
  }
  scf.for %i = %c1 to %1 step %c4 {
    pop.exp_ %r : !pop.ref<f32>
  }
  return
}

// -----

// What a loop hands on unchanged keeps its ref; the condition has one of its
// own, which is there before the loop.

// CHECK-LABEL: func.func @while
// CHECK-SAME: (%[[X:.*]]: tensor<f32>)
// CHECK: %[[REF:.*]] = pop.from_tensor %[[X]]
// CHECK: %[[GO:.*]] = pop.alloc undef : !pop.ref<i1>
// CHECK: scf.while : () -> () {
// CHECK: %[[A:.*]] = pop.read %[[REF]]
// CHECK: %[[LESS:.*]] = pop.less %[[A]]
// CHECK: pop.copy_ %[[GO]], %[[LESS]]
// CHECK: %[[READ:.*]] = pop.read %[[GO]]
// CHECK: %[[COND:.*]] = tensor.extract %[[READ]][]
// CHECK: scf.condition(%[[COND]])
// CHECK: } do {
// CHECK: %[[B:.*]] = pop.read %[[REF]]
// CHECK: %[[C:.*]] = pop.add %[[B]], %[[B]]
// CHECK: pop.copy_ %[[REF]], %[[C]]
// CHECK: %[[R:.*]] = pop.read %[[REF]]
// CHECK: return %[[R]]
func.func @while(%x: tensor<f32>) -> tensor<f32> {
  %limit = pop.constant dense<100.0> : tensor<f32>
  %r = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %0 = pop.less %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = tensor.extract %0[] : tensor<i1>
    scf.condition(%1) %a : tensor<f32>
  } do {
  ^bb0(%b: tensor<f32>):
    %0 = pop.add %b, %b : tensor<f32>
    scf.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @if
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<2xf32>)
// CHECK: %[[REF:.*]] = pop.alloc undef : !pop.ref<2xf32>
// CHECK: %[[COND:.*]] = tensor.extract %[[P]][]
// CHECK: scf.if %[[COND]] {
// CHECK: %[[A:.*]] = pop.exp %[[X]]
// CHECK: pop.copy_ %[[REF]], %[[A]]
// CHECK: } else {
// CHECK: pop.copy_ %[[REF]], %[[X]]
// CHECK: }
// CHECK: %[[R:.*]] = pop.read %[[REF]]
// CHECK: return %[[R]]
func.func @if(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tensor.extract %p[] : tensor<i1>
  %r = scf.if %0 -> tensor<2xf32> {
    %1 = pop.exp %x : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// What canonicalization makes of a branch.
// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK: %[[R:.*]] = pop.select %[[P]], %[[X]], %[[Y]] : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// CHECK: return %[[R]]
func.func @select(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tensor.extract %p[] : tensor<i1>
  %r = arith.select %0, %x, %y : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A switch: each case is compared in turn.

// CHECK-LABEL: func.func @switch
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<i32>)
// CHECK: %[[REF:.*]] = pop.alloc undef : !pop.ref<2xf32>
// CHECK: %[[SEVEN:.*]] = pop.constant dense<7> : tensor<i32>
// CHECK: %[[IS_SEVEN:.*]] = pop.equal %[[I]], %[[SEVEN]]
// CHECK: %[[P:.*]] = tensor.extract %[[IS_SEVEN]][]
// CHECK: scf.if %[[P]] {
// CHECK: %[[RELU:.*]] = pop.relu %[[X]]
// CHECK: pop.copy_ %[[REF]], %[[RELU]]
// CHECK: } else {
// CHECK: %[[LESS:.*]] = pop.constant dense<-2> : tensor<i32>
// CHECK: %[[IS_LESS:.*]] = pop.equal %[[I]], %[[LESS]]
// CHECK: %[[Q:.*]] = tensor.extract %[[IS_LESS]][]
// CHECK: scf.if %[[Q]] {
// CHECK: %[[NEG:.*]] = pop.neg %[[X]]
// CHECK: pop.copy_ %[[REF]], %[[NEG]]
// CHECK: } else {
// CHECK-NEXT: pop.copy_ %[[REF]], %[[X]]
// CHECK: %[[R:.*]] = pop.read %[[REF]]
// CHECK: return %[[R]]
func.func @switch(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %s = tensor.extract %i[] : tensor<i32>
  %n = arith.index_cast %s : i32 to index
  %r = scf.index_switch %n -> tensor<2xf32>
  case 7 {
    %0 = pop.relu %x : tensor<2xf32>
    scf.yield %0 : tensor<2xf32>
  }
  case -2 {
    %0 = pop.neg %x : tensor<2xf32>
    scf.yield %0 : tensor<2xf32>
  }
  default {
    scf.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// Without cases, what is done by default is all.

// CHECK-LABEL: func.func @only_default
// CHECK-NOT: scf
// CHECK: pop.relu_
// CHECK-NOT: scf
func.func @only_default(%x: !pop.ref<2xf32>, %i: tensor<i32>) {
  %s = tensor.extract %i[] : tensor<i32>
  %n = arith.index_cast %s : i32 to index
  scf.index_switch %n
  default {
    pop.relu_ %x : !pop.ref<2xf32>
  }
  return
}

// -----

// A result that all branches yield as one value is that value, also of nested
// branches; results without uses are not stored.

// CHECK-LABEL: func.func @one_value
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>, %[[R:.+]]: !pop.ref<2xf32>,
// CHECK: scf.if
// CHECK-NOT: pop.alloc
// CHECK-NOT: pop.copy_
// CHECK: %[[Y:.+]] = pop.neg %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @one_value(%x: tensor<2xf32>, %r: !pop.ref<2xf32>, %t: tensor<i1>) -> tensor<2xf32> {
  %p = tensor.extract %t[] : tensor<i1>
  %0:2 = scf.if %p -> (tensor<2xf32>, tensor<2xf32>) {
    pop.relu_ %r : !pop.ref<2xf32>
    %1 = scf.if %p -> tensor<2xf32> {
      pop.relu_ %r : !pop.ref<2xf32>
      scf.yield %x : tensor<2xf32>
    } else {
      scf.yield %x : tensor<2xf32>
    }
    %2 = pop.exp %x : tensor<2xf32>
    scf.yield %1, %2 : tensor<2xf32>, tensor<2xf32>
  } else {
    scf.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  }
  %3 = pop.neg %0#0 : tensor<2xf32>
  return %3 : tensor<2xf32>
}
