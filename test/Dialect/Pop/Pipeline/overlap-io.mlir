// RUN: ipu-opt %s --split-input-file --pop-overlap-io | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-overlap-io --remarks-filter=pop-graph 2>&1 | FileCheck %s --check-prefix=REMARK

// PopART's OverlapIO with inputs and outputs: an iteration stores the result of
// the one before, computes, and loads the operand of the next one. Two
// iterations before the loop load, and two after it store.

// REMARK: remark: [Passed] OverlapIO | Category:pop-graph | Remark="transfers on I/O tiles overlap compute", loads=2, stores=1

// CHECK-LABEL: func.func private @overlapped_compute
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline}
// CHECK-NEXT: %[[SUM:.*]] = pop.add %[[A]], %[[B]]
// CHECK-NEXT: return %[[SUM]]
// CHECK-LABEL: func.func @both
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[A0:.*]] = pop.host_load @a {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: %[[B0:.*]] = pop.host_load @b
// CHECK-NEXT: %[[AC0:.*]] = pop.io_tile_copy %[[A0]] to compute
// CHECK-NEXT: %[[BC0:.*]] = pop.io_tile_copy %[[B0]] to compute
// CHECK-NEXT: %[[R0:.*]] = call @overlapped_compute(%[[AC0]], %[[BC0]])
// CHECK-NEXT: %[[A1:.*]] = pop.host_load @a
// CHECK-NEXT: %[[B1:.*]] = pop.host_load @b
// CHECK-NEXT: %[[AC1:.*]] = pop.io_tile_copy %[[A1]] to compute
// CHECK-NEXT: %[[BC1:.*]] = pop.io_tile_copy %[[B1]] to compute
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[L:.*]]:3 = scf.for %{{.*}} = %[[C2]] to %[[C8]] step %[[C1]] iter_args(%[[AI:.*]] = %[[AC1]], %[[BI:.*]] = %[[BC1]], %[[RI:.*]] = %[[R0]])
// CHECK-NEXT: %[[OUT:.*]] = pop.io_tile_copy %[[RI]] to io
// CHECK-NEXT: pop.host_store %[[OUT]], @y {pop.tile_set = #pop<tile_set io>}
// CHECK-NEXT: %[[R:.*]] = func.call @overlapped_compute(%[[AI]], %[[BI]])
// CHECK-NEXT: %[[AN:.*]] = pop.host_load @a
// CHECK-NEXT: %[[BN:.*]] = pop.host_load @b
// CHECK-NEXT: %[[ACN:.*]] = pop.io_tile_copy %[[AN]] to compute
// CHECK-NEXT: %[[BCN:.*]] = pop.io_tile_copy %[[BN]] to compute
// CHECK-NEXT: scf.yield %[[ACN]], %[[BCN]], %[[R]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[OUT1:.*]] = pop.io_tile_copy %[[L]]#2 to io
// CHECK-NEXT: pop.host_store %[[OUT1]], @y
// CHECK-NEXT: %[[R2:.*]] = call @overlapped_compute(%[[L]]#0, %[[L]]#1)
// CHECK-NEXT: %[[OUT2:.*]] = pop.io_tile_copy %[[R2]] to io
// CHECK-NEXT: pop.host_store %[[OUT2]], @y
// CHECK-NEXT: return
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @b host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @both() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.host_load @b {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %2 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %3 = pop.io_tile_copy %1 to compute : tensor<4xf32>
    %4 = pop.add %2, %3 : tensor<4xf32>
    %5 = pop.io_tile_copy %4 to io : tensor<4xf32>
    pop.host_store %5, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  }
  return
}

// -----

// Only loads overlap; the store is on compute tiles, directly after what it
// stores. There is one iteration before the loop, and one after it.

// REMARK: loads=1, stores=0

// CHECK-LABEL: func.func @inputs
// CHECK: pop.host_load @a
// CHECK-NEXT: pop.io_tile_copy
// CHECK: scf.for
// CHECK-NEXT: %[[R:.*]] = func.call @overlapped_compute
// CHECK-NEXT: pop.host_load @a
// CHECK-NEXT: pop.io_tile_copy
// CHECK-NEXT: pop.host_store %[[R]], @y :
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: call @overlapped_compute
// CHECK-NEXT: pop.host_store
// CHECK-NEXT: return
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @inputs() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    pop.host_store %2, @y : tensor<4xf32>
  }
  return
}

// -----

// Only stores overlap. The loop carries a value to the next iteration.

// REMARK: loads=0, stores=1

// CHECK-LABEL: func.func @outputs
// CHECK: pop.host_load @a :
// CHECK-NEXT: call @overlapped_compute
// CHECK: scf.for
// CHECK-NEXT: pop.host_load @a :
// CHECK-NEXT: %[[OUT:.*]] = pop.io_tile_copy %{{.*}} to io
// CHECK-NEXT: pop.host_store %[[OUT]], @y
// CHECK-NEXT: func.call @overlapped_compute
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: pop.io_tile_copy
// CHECK-NEXT: pop.host_store
// CHECK-NEXT: return
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @outputs(%init: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %init) -> tensor<4xf32> {
    %0 = pop.host_load @a : tensor<4xf32>
    %1 = pop.add %sum, %0 : tensor<4xf32>
    %2 = pop.io_tile_copy %1 to io : tensor<4xf32>
    pop.host_store %2, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// -----

// Rows of remote buffers: their numbers depend on nothing but the index, so each
// part computes them. Two iterations are unrolled, because there are fewer
// iterations than parts; PopART only warns.

// REMARK: loads=1, stores=1

// CHECK-LABEL: func.func @rows
// CHECK-NOT: scf.for
// CHECK: %[[I0:.*]] = pop.constant dense<0> : tensor<i32>
// CHECK: pop.remote_load @in[%[[I0]]]
// CHECK: %[[I1:.*]] = pop.constant dense<1> : tensor<i32>
// CHECK-NEXT: call @overlapped_compute
// CHECK-NEXT: pop.remote_load @in[%[[I1]]]
// CHECK: pop.remote_store %{{.*}}, @out
// CHECK: call @overlapped_compute
// CHECK: pop.remote_store %{{.*}}, @out
// CHECK: return
pop.remote_buffer @in : 2 x tensor<4xf32>
pop.remote_buffer @out : 3 x tensor<4xf32>
func.func @rows() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = pop.constant dense<1> : tensor<i32>
  scf.for %i = %c0 to %c2 step %c1 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.remote_load @in[%n] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %next = pop.add %n, %one : tensor<i32>
    %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
    pop.remote_store %3, @out[%next] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  }
  return
}

// -----

// A store to the buffer of a load stays with the compute, because the load of
// the next iteration may read its row. A load whose row the loop computes stays,
// too.

// REMARK-DAG: remark: [Missed] OverlapIO | Category:pop-graph | Remark="the load does not overlap compute, because the loop computes its row, writes its row before, or uses its result on I/O tiles"
// REMARK-DAG: remark: [Missed] OverlapIO | Category:pop-graph | Remark="the store does not overlap compute, because the loop reads or writes the same memory afterwards, stores another value than a copy of a value on compute tiles, or computes a condition of the store"
// REMARK-DAG: loads=1, stores=0

// CHECK-LABEL: func.func private @overlapped_compute
// CHECK: pop.remote_load @b
// CHECK: pop.remote_store
// CHECK-LABEL: func.func @same_memory
// CHECK: pop.remote_load @a
// CHECK: scf.for
// CHECK: func.call @overlapped_compute
// CHECK-NEXT: pop.remote_load @a
// CHECK-NEXT: pop.io_tile_copy
// CHECK-NEXT: scf.yield
pop.remote_buffer @a : 8 x tensor<4xf32>
pop.remote_buffer @b : 8 x tensor<i32>
func.func @same_memory(%row: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%r = %row) -> tensor<i32> {
    %n = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.remote_load @a[%n] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %3 = pop.remote_load @b[%r] {pop.tile_set = #pop<tile_set io>} : tensor<i32>
    %4 = pop.io_tile_copy %3 to compute : tensor<i32>
    %5 = pop.io_tile_copy %2 to io : tensor<4xf32>
    pop.remote_store %5, @a[%n] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    scf.yield %4 : tensor<i32>
  }
  return
}

// -----

// Stores in a branch, as those of anchors with an interval, and transfers of
// one exchange.

// REMARK: loads=1, stores=1

// CHECK-LABEL: func.func @every
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: %[[OUT:.*]] = pop.io_tile_copy %{{.*}} to io
// CHECK-NEXT: pop.host_store %[[OUT]], @y
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: func.call @overlapped_compute
// CHECK-NEXT: pop.remote_exchange
// CHECK-NEXT: pop.host_load @a
// CHECK-NEXT: pop.host_load @b
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @b host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 4 : i64}
func.func @every() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %four = pop.constant dense<4> : tensor<i32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0:2 = pop.remote_exchange {
      %a = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %b = pop.host_load @b {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      pop.yield %a, %b : tensor<4xf32>, tensor<4xf32>
    } {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>, tensor<4xf32>
    %1 = pop.io_tile_copy %0#0 to compute : tensor<4xf32>
    %2 = pop.io_tile_copy %0#1 to compute : tensor<4xf32>
    %3 = pop.add %1, %2 : tensor<4xf32>
    %n = pop.from_scalar %i : index to tensor<i32>
    %4 = pop.less %n, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = tensor.extract %4[] : tensor<i1>
    scf.if %5 {
      %6 = pop.io_tile_copy %3 to io : tensor<4xf32>
      pop.host_store %6, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
  }
  return
}

// -----

// A loop with one iteration has nothing to overlap.

// REMARK-NOT: Passed
// CHECK-LABEL: func.func @once
// CHECK: scf.for
// CHECK-NEXT: pop.host_load
pop.stream @a host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func @once() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    pop.host_store %2, @y : tensor<4xf32>
  }
  return
}

// -----

// An exchange that only stores overlaps. One that loads and stores does not.

// REMARK: remark: [Missed] OverlapIO | Category:pop-graph | Remark="the transfers do not overlap compute, because the exchange both loads and stores"
// REMARK: loads=0, stores=1

// CHECK-LABEL: func.func @exchanges
// CHECK: scf.for
// CHECK-NEXT: pop.io_tile_copy %{{.*}} to io
// CHECK-NEXT: pop.remote_exchange
// CHECK-NEXT: pop.host_store
// CHECK-NEXT: pop.host_store
// CHECK: func.call @overlapped_compute
// CHECK-NEXT: scf.yield
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @k device_to_host : tensor<4xf32> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
pop.stream @z device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @exchanges() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %k = pop.constant {pop.tile_set = #pop<tile_set io>} dense<9.0> : tensor<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.remote_exchange {
      %a = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      pop.host_store %k, @k {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      pop.yield %a : tensor<4xf32>
    } {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
    pop.remote_exchange {
      pop.host_store %3, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      pop.host_store %3, @z {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    } {pop.tile_set = #pop<tile_set io>}
  }
  return
}

// -----

// A value on I/O tiles from outside of the loop is no argument of a function.

// CHECK-LABEL: func.func @outer
// CHECK: %[[K:.*]] = pop.host_load @k
// CHECK: scf.for
// CHECK-NEXT: pop.io_tile_copy %[[K]] to compute
// CHECK-NEXT: pop.add
// CHECK-NEXT: pop.host_load @a
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @k host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @outer() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %k = pop.host_load @k {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.io_tile_copy %k to compute : tensor<4xf32>
    %3 = pop.add %1, %2 : tensor<4xf32>
    pop.host_store %3, @y : tensor<4xf32>
  }
  return
}

// -----

// The loop loads the condition of a store, so the store stays with the compute.

// REMARK: remark: [Missed] OverlapIO | Category:pop-graph | Remark="the store does not overlap
// REMARK: loads=1, stores=0

// CHECK-LABEL: func.func private @overlapped_compute
// CHECK: scf.if
// CHECK-LABEL: func.func @condition
pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @p host_to_device : tensor<i1> {transfers = 8 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
func.func @condition() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %p = pop.host_load @p : tensor<i1>
    %q = tensor.extract %p[] : tensor<i1>
    scf.if %q {
      %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
      pop.host_store %3, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
  }
  return
}
