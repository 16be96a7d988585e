// RUN: ipu-opt %s --split-input-file --pop-snapshot-reads | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: func.func @written
// CHECK: %[[A:.*]] = pop.read
// CHECK-NEXT: %[[B:.*]] = pop.copy %[[A]] : tensor<2xf32>
// CHECK-NEXT: pop.copy_
// CHECK-NEXT: pop.relu %[[B]]
func.func @written(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %0 = pop.read %r : !pop.ref<2xf32>
  pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
  %1 = pop.relu %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Reading before writing is no reason, nor is writing something else.

// CHECK-LABEL: func.func @stable
// CHECK-NOT: pop.copy %
func.func @stable(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %s = pop.alloc zero : !pop.ref<2xf32>
  %0 = pop.read %r : !pop.ref<2xf32>
  pop.copy_ %s, %x : !pop.ref<2xf32>, tensor<2xf32>
  %1 = pop.add %0, %x : tensor<2xf32>
  pop.copy_ %r, %1 : !pop.ref<2xf32>, tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Loops that carry values in a circle: both are copied where the first copy
// would destroy what the second one needs.

// CHECK-LABEL: func.func @swap
// CHECK: scf.for
// CHECK: %[[A:.*]] = pop.read %[[RA:.*]] : !pop.ref<2xf32>
// CHECK-NEXT: %[[SAVED:.*]] = pop.copy %[[A]]
// CHECK-NEXT: %[[B:.*]] = pop.read %[[RB:.*]] : !pop.ref<2xf32>
// CHECK-NEXT: pop.copy_ %[[RA]], %[[B]]
// CHECK-NEXT: pop.copy_ %[[RB]], %[[SAVED]]
func.func @swap(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pop.from_tensor %x : tensor<2xf32>
  %b = pop.from_tensor %y : tensor<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.read %a : !pop.ref<2xf32>
    %1 = pop.read %b : !pop.ref<2xf32>
    pop.copy_ %a, %1 : !pop.ref<2xf32>, tensor<2xf32>
    pop.copy_ %b, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// A loop that writes what it uses from outside; views keep a read alive.

// CHECK-LABEL: func.func @loop
// CHECK: %[[A:.*]] = pop.read
// CHECK-NEXT: %[[B:.*]] = pop.copy %[[A]]
// CHECK: pop.transpose %[[B]]
func.func @loop(%x: tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = pop.from_tensor %x : tensor<2x2xf32>
  %0 = pop.read %r : !pop.ref<2x2xf32>
  %1 = pop.transpose %0 {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %2 = pop.relu %1 : tensor<2x2xf32>
    pop.copy_ %r, %2 : !pop.ref<2x2xf32>, tensor<2x2xf32>
  }
  return
}

// -----

// The op that writes reads another order of the same elements.

// CHECK-LABEL: func.func @transposed
// CHECK: pop.copy %
func.func @transposed(%x: tensor<2x2xf32>) {
  %r = pop.from_tensor %x : tensor<2x2xf32>
  %0 = pop.read %r : !pop.ref<2x2xf32>
  %1 = pop.transpose %0 {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
  pop.copy_ %r, %1 : !pop.ref<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

// A call may write a variable.

pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>

func.func @callee() {
  %r = pop.get_variable @v : !pop.ref<2xf32>
  pop.exp_ %r : !pop.ref<2xf32>
  return
}

// CHECK-LABEL: func.func @main
// CHECK: %[[V:.*]] = pop.read
// CHECK-NEXT: %[[SAVED:.*]] = pop.copy %[[V]]
// CHECK: %[[W:.*]] = pop.read
// CHECK-NEXT: call @callee
// CHECK-NEXT: return %[[SAVED]], %[[W]]
func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %r = pop.get_variable @v : !pop.ref<2xf32>
  %s = pop.get_variable @w : !pop.ref<2xf32>
  %0 = pop.read %r : !pop.ref<2xf32>
  %1 = pop.read %s : !pop.ref<2xf32>
  call @callee() : () -> ()
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A predicate is used where the branch is, not where it is taken out of the
// tensor.

// CHECK-LABEL: func.func @predicate
// CHECK: %[[READ:.*]] = pop.read
// CHECK: %[[COPY:.*]] = pop.copy %[[READ]] : tensor<i1>
// CHECK: tensor.extract %[[COPY]]
func.func @predicate(%p: !pop.ref<i1>, %r: !pop.ref<2xf32>) {
  %0 = pop.read %p : !pop.ref<i1>
  %1 = tensor.extract %0[] : tensor<i1>
  pop.zero_ %p : !pop.ref<i1>
  scf.if %1 {
    pop.zero_ %r : !pop.ref<2xf32>
  }
  return
}

// -----

// Nor is a bound.

// CHECK-LABEL: func.func @bound
// CHECK: %[[READ:.*]] = pop.read
// CHECK: %[[COPY:.*]] = pop.copy %[[READ]] : tensor<i32>
// CHECK: tensor.extract %[[COPY]]
func.func @bound(%n: !pop.ref<i32>, %r: !pop.ref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = pop.read %n : !pop.ref<i32>
  %1 = tensor.extract %0[] : tensor<i32>
  %2 = arith.index_cast %1 : i32 to index
  pop.zero_ %n : !pop.ref<i32>
  scf.for %i = %c0 to %2 step %c1 {
    pop.zero_ %r : !pop.ref<2xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @unchanged_predicate
// CHECK-NOT: pop.copy %
func.func @unchanged_predicate(%p: !pop.ref<i1>, %r: !pop.ref<2xf32>) {
  %0 = pop.read %p : !pop.ref<i1>
  %1 = tensor.extract %0[] : tensor<i1>
  scf.if %1 {
    pop.zero_ %r : !pop.ref<2xf32>
  }
  pop.zero_ %p : !pop.ref<i1>
  return
}

// -----

// The copy is where the read is.

// CHECK-LABEL: func.func @placed
// CHECK: %[[A:.*]] = pop.read
// CHECK-NEXT: pop.copy %[[A]] {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
func.func @placed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = pop.alloc zero {pop.vgraph = 1 : i64} : !pop.ref<2xf32>
  %0 = pop.read %r {pop.vgraph = 1 : i64, pop.stage = 2 : i64} : !pop.ref<2xf32>
  pop.copy_ %r, %x {pop.vgraph = 1 : i64} : !pop.ref<2xf32>, tensor<2xf32>
  return %0 : tensor<2xf32>
}
