// RUN: ipu-opt %s --split-input-file --pop-overlap-io | FileCheck %s --check-prefixes=CHECK,INNER
// RUN: ipu-opt %s --split-input-file --pop-overlap-io=strategy=loops | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: ipu-opt %s --split-input-file --pop-place-transfers --pop-io-tile-copy --pop-overlap-io=strategy=loops --verify-contracts -o /dev/null

// A loop of steps around a loop of micro-batches, with an update after it. With
// strategy `loops`, a step computes while the last results of the step before
// are stored, and the first operands of the next step are loaded after its own.

// CHECK-LABEL: func.func private @overlapped_compute(
// CHECK: pop.exp
// LOOPS-LABEL: func.func private @overlapped_compute_0(
// LOOPS: call @overlapped_compute(
// LOOPS: scf.for
// LOOPS: pop.host_store
// LOOPS: call @overlapped_compute(
// LOOPS: pop.host_load
// LOOPS: call @overlapped_compute(
// LOOPS: pop.copy_
// LOOPS-LABEL: func.func @steps
// LOOPS-COUNT-2: pop.host_load @a
// LOOPS: call @overlapped_compute_0(
// LOOPS-COUNT-2: pop.host_load @a
// LOOPS: scf.for
// LOOPS-COUNT-2: pop.host_store %{{.*}}, @y
// LOOPS: call @overlapped_compute_0(
// LOOPS-COUNT-2: pop.host_load @a
// LOOPS: scf.yield
// LOOPS: {{^ *}}}
// LOOPS-COUNT-2: pop.host_store %{{.*}}, @y
// LOOPS: call @overlapped_compute_0(
// LOOPS-COUNT-2: pop.host_store %{{.*}}, @y
// LOOPS: return

// INNER-LABEL: func.func @steps
// INNER: scf.for
// INNER: pop.host_load @a
// INNER: call @overlapped_compute(
// INNER: pop.host_load @a
// INNER: scf.for
// INNER: }
// INNER: pop.host_store %{{.*}}, @y
// INNER: call @overlapped_compute(
// INNER: pop.host_store %{{.*}}, @y
// INNER: pop.copy_
// INNER: }
pop.stream @a host_to_device : tensor<4xf32> {transfers = 32 : i64}
pop.stream @y device_to_host : tensor<4xf32> {transfers = 32 : i64}
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @steps() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %zero = pop.constant dense<0.0> : tensor<4xf32>
  scf.for %step = %c0 to %c4 step %c1 {
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<4xf32> {
      %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
      %2 = pop.read %w : !pop.ref<4xf32>
      %3 = pop.mul %1, %2 : tensor<4xf32>
      %4 = pop.exp %3 : tensor<4xf32>
      %5 = pop.io_tile_copy %4 to io : tensor<4xf32>
      pop.host_store %5, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %6 = pop.add %s, %4 : tensor<4xf32>
      scf.yield %6 : tensor<4xf32>
    }
    pop.copy_ %w, %sum : !pop.ref<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// The outer loop stores its own sum, too. With strategy `inner`, only the inner
// loop is transformed, and the store of the sum stays.

// CHECK-LABEL: func.func @sums
// INNER: scf.for
// INNER: scf.for
// INNER: }
// INNER: pop.io_tile_copy %{{.*}} to io
// INNER-NEXT: pop.host_store %{{.*}}, @sum
// INNER-NEXT: {{^ *}}}
// LOOPS: scf.for
// LOOPS-NEXT: pop.io_tile_copy %{{.*}} to io
// LOOPS-NEXT: pop.host_store %{{.*}}, @sum
// LOOPS-NEXT: call @overlapped_compute_0
// LOOPS: {{^ *}}}
// LOOPS-NEXT: pop.io_tile_copy %{{.*}} to io
// LOOPS-NEXT: pop.host_store %{{.*}}, @sum
pop.stream @a host_to_device : tensor<4xf32> {transfers = 32 : i64}
pop.stream @sum device_to_host : tensor<4xf32> {transfers = 4 : i64}
func.func @sums() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = pop.constant dense<0.0> : tensor<4xf32>
  scf.for %step = %c0 to %c4 step %c1 {
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<4xf32> {
      %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
      %2 = pop.exp %1 : tensor<4xf32>
      %3 = pop.add %s, %2 : tensor<4xf32>
      scf.yield %3 : tensor<4xf32>
    }
    %out = pop.io_tile_copy %sum to io : tensor<4xf32>
    pop.host_store %out, @sum {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  }
  return
}

// -----

// The loop of a function is transformed before the loop that calls the function,
// which gets a copy of the function with other draws.

// CHECK-LABEL: func.func @calls
// CHECK: call @overlapped_compute
// CHECK-LABEL: func.func private @f_0()
// CHECK: pop.host_load @a
// CHECK: scf.for
// CHECK-NEXT: func.call @overlapped_compute
// CHECK-NEXT: pop.host_load @a
// CHECK-NOT: func.func private @f()
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @k host_to_device : tensor<4xf32> {transfers = 3 : i64}
  pop.stream @a host_to_device : tensor<4xf32> {transfers = 12 : i64}
  pop.stream @y device_to_host : tensor<4xf16> {transfers = 12 : i64}
  func.func @calls() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %k = pop.host_load @k {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %0 = pop.io_tile_copy %k to compute : tensor<4xf32>
      func.call @f() : () -> ()
    }
    return
  }
  func.func private @f() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
      %2 = pop.cast %1 : tensor<4xf32> to tensor<4xf16>
      pop.host_store %2, @y : tensor<4xf16>
    }
    return
  }
}
