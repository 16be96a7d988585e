// RUN: ipu-opt %s --verify-diagnostics --pop-contiguate-collectives
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-contiguate-collectives{max-bytes=0})' 2>&1 | FileCheck %s

// CHECK: contiguate-collectives-invalid.mlir:[[#@LINE+3]]:1: error: 'pop-contiguate-collectives' expects option 'max-bytes' to be at least 1 but got 0

// Random bits of the generator `stream` depend on the order of ops.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @stream(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
    // expected-warning @below {{'pop-contiguate-collectives' expects random bits of generator 'counter' but got 'stream'; it keeps the order of all ops, because the bits depend on it}}
    %0 = pop.all_reduce add %x : tensor<4xf16>
    %1 = pop.mul %0, %x : tensor<4xf16>
    %2 = pop.all_reduce add %x : tensor<4xf16>
    return %1, %2 : tensor<4xf16>, tensor<4xf16>
  }
}
