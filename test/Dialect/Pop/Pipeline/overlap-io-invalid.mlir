// RUN: ipu-opt %s --split-input-file --pop-overlap-io --verify-diagnostics

// Nothing would overlap.

// expected-error @below {{'pop-overlap-io' expects an scf.for with transfers on I/O tiles; 'pop-place-transfers' and 'pop-io-tile-copy' place the transfers of loops, and a pipeline has a loop if there are more micro-batches than stages}}
module {
  pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.host_load @a : tensor<4xf32>
    }
    return
  }
}

// -----

// Stages come first.

pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
func.func @stages() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    // expected-error @below {{'pop.exp' op is in a pipeline stage, but 'pop-overlap-io' expects loops without stages; run 'pop-pipeline' before, which processes stages}}
    %2 = pop.exp %1 {pop.stage = 0 : i64} : tensor<4xf32>
  }
  return
}

// -----

// The number of iterations is not known.

pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op has ops of several pipeline stages, but its number of iterations, which is the number of micro-batches, is not a constant of 32 bits}}
  scf.for %i = %c0 to %n step %c1 {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
  }
  return
}

// -----

// The loop carries a number that is not a tensor.

pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
func.func @carried() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{'scf.for' op is a loop over micro-batches and carries a value of type 'index'; a pipeline can carry only tensors of pop}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%k = %c0) -> index {
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %3 = arith.addi %k, %c1 : index
    scf.yield %3 : index
  }
  return
}

// -----

// The unrolled iterations have constant indices, which have to fit.

pop.stream @a host_to_device : tensor<4xf32> {transfers = 2 : i64}
func.func @indices() {
  %c0 = arith.constant 4294967290 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 4294967296 : index
  // expected-error @below {{'scf.for' op expects iteration indices that fit 32 bits, because the body uses them}}
  scf.for %i = %c0 to %c6 step %c3 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.host_load @a {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
  }
  return
}
