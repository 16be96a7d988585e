// RUN: ipu-opt %s --split-input-file --pop-prune --verify-diagnostics | FileCheck %s
// RUN: not ipu-opt %s --split-input-file --pop-prune --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The example of the pass.
//
// CHECK-NOT:   @unused
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[Y:.+]] = pop.relu
// CHECK-NEXT:    return %[[Y]]
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.alloc zero : !pop.ref<4xf32>
  pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  %0 = call @unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.relu %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Chains of ops: those of what is stored stay.
//
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-4: pop.exp %
// CHECK-NOT:     pop.exp %
// CHECK:         return
pop.stream @a device_to_host : tensor<4xf32>
pop.stream @b device_to_host : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) {
  %0 = pop.exp %x : tensor<4xf32>
  %1 = pop.exp %0 : tensor<4xf32>
  %2 = pop.exp %1 : tensor<4xf32>
  %3 = pop.exp %2 : tensor<4xf32>
  %4 = pop.exp %3 : tensor<4xf32>
  %5 = pop.exp %1 : tensor<4xf32>
  %6 = pop.exp %5 : tensor<4xf32>
  pop.host_store %2, @a : tensor<4xf32>
  pop.host_store %5, @b : tensor<4xf32>
  return
}

// -----

// Effects that are seen from outside stay, results used or not.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_load @x
// CHECK:         pop.remote_store
// CHECK:         pop.add_
// CHECK:         call @writes
// CHECK-NOT:     call @reads
// CHECK:         pop.expect_eq
// CHECK:         return
pop.stream @x host_to_device : tensor<4xf32>
pop.remote_buffer @b : 1 x tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func private @writes(%r: !pop.ref<4xf32>) {
  pop.exp_ %r : !pop.ref<4xf32>
  return
}
func.func private @reads(%r: !pop.ref<4xf32>) -> tensor<4xf32> {
  %0 = pop.read %r : !pop.ref<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = pop.host_load @x : tensor<4xf32>
  %1 = pop.neg %x : tensor<4xf32>
  pop.remote_store %1, @b[0] : tensor<4xf32>
  %w = pop.get_variable @w : !pop.ref<4xf32>
  pop.add_ %w, %x : !pop.ref<4xf32>, tensor<4xf32>
  call @writes(%w) : (!pop.ref<4xf32>) -> ()
  %2 = call @reads(%w) : (!pop.ref<4xf32>) -> tensor<4xf32>
  pop.expect_eq %x, dense<0.0> : tensor<4xf32>
  return
}

// -----

// What writes a tensor that is read is needed, through views, calls, loops and
// branches; what writes another one is not.
//
// CHECK-LABEL: func.func @main(
// CHECK:         %[[R:.+]] = pop.alloc zero
// CHECK-NOT:     pop.alloc
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        pop.copy_
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK:         call @fill
// CHECK-NEXT:    pop.read %[[R]]
// CHECK-NOT:     scf.for
func.func private @fill(%r: !pop.ref<2xf32>) {
  pop.exp_ %r : !pop.ref<2xf32>
  return
}
func.func @main(%x: tensor<2xf32>, %c: i1, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pop.alloc zero : !pop.ref<4xf32>
  %s = pop.alloc zero : !pop.ref<2xf32>
  %v = pop.ref_slice %r {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  scf.for %i = %c0 to %n step %c1 {
    pop.exp_ %s : !pop.ref<2xf32>
    scf.if %c {
      pop.copy_ %v, %x : !pop.ref<2xf32>, tensor<2xf32>
    }
  }
  call @fill(%v) : (!pop.ref<2xf32>) -> ()
  %0 = pop.read %r : !pop.ref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    pop.exp_ %s : !pop.ref<2xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// The arguments of functions stay, and so do public functions.
//
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:      %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK-NEXT:    %{{.*}} = pop.exp
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @public
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    call @f
func.func private @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  %1 = pop.exp %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @public(%x: tensor<4xf32>) {
  %0 = pop.exp %x : tensor<4xf32>
  return
}
// REMARK-DAG: remark: {{.*}}Prune{{.*}}ops=1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Of an op that is not known, everything stays.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[E:.+]] = pop.exp
// CHECK-NEXT:    arith.constant
func.func @main(%x: tensor<4xf32>) {
  %0 = pop.exp %x : tensor<4xf32>
  %c = arith.constant 1 : index
  // CHECK-NEXT: tensor.extract
  %1 = tensor.extract %0[%c] : tensor<4xf32>
  %2 = arith.cmpf ogt, %1, %1 : f32
  cf.assert %2, "positive"
  return
}

// -----

// expected-error@+1 {{'func.func' op has no effect: it returns nothing, stores nothing to the host and changes no variable, so that 'pop-prune' would erase all of its ops}}
func.func @main(%x: tensor<4xf32>) {
  %0 = pop.exp %x : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @main()
func.func @main() {
  return
}

// -----

// The entry function stays, private or not.
//
// CHECK-LABEL: func.func private @main(
// CHECK-NEXT:    pop.exp
// CHECK-LABEL: func.func @other(
func.func private @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
