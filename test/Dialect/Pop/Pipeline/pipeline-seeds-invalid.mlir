// RUN: not ipu-opt %s --pop-pipeline 2>&1 | FileCheck %s

// Seeds depend on the order of the program.

// CHECK: error: 'pop.next_seed' op has no seed yet, and seeds depend on the order of the program, which a pipeline changes; run 'pop-random-setup' before
func.func @main(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<4xf32>
    %s = pop.next_seed {pop.stage = 1 : i64}
    %1 = pop.dropout %0, %s, 0.5 {pop.stage = 1 : i64} : tensor<4xf32>, tensor<2xui32>
  }
  return
}
