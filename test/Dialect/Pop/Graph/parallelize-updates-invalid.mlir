// RUN: ipu-opt %s --verify-diagnostics --pop-parallelize-updates
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-parallelize-updates{excluded-vgraphs=0,-1})' 2>&1 | FileCheck %s

// CHECK: parallelize-updates-invalid.mlir:[[#@LINE+3]]:1: error: 'pop-parallelize-updates' expects virtual graphs of at least 0 in option 'excluded-vgraphs' but got -1

// Random bits of the generator `stream` depend on the order of ops.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @stream(%x: tensor<4xf16>) -> tensor<4xf16> {
    // expected-warning @below {{'pop-parallelize-updates' expects random bits of generator 'counter' but got 'stream'; it keeps the order of all ops, because the bits depend on it}}
    %0 = pop.add %x, %x : tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}
