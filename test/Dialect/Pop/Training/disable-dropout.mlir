// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-disable-dropout)' | FileCheck %s

// Dropouts in loops and in other functions are replaced, too. Seeds are still drawn.
//
// CHECK-LABEL: func.func private @block(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf16>,
// CHECK-NEXT:    return %[[X]]
func.func private @block(%x: tensor<4xf16>, %seed: tensor<2xui32>) -> tensor<4xf16> {
  %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf16>)
// CHECK:         %[[SEED:.+]] = pop.next_seed
// CHECK:         scf.for {{.+}} iter_args(%[[Y:.+]] = %[[X]])
// CHECK-NEXT:      %[[Z:.+]] = pop.tanh %[[Y]]
// CHECK-NEXT:      scf.yield %[[Z]]
// CHECK-NOT:     pop.dropout
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %seed = pop.next_seed
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<4xf16> {
    %1 = pop.dropout %y, %seed, 0.5 : tensor<4xf16>, tensor<2xui32>
    %2 = pop.tanh %1 : tensor<4xf16>
    scf.yield %2 : tensor<4xf16>
  }
  %3 = func.call @block(%0, %seed) : (tensor<4xf16>, tensor<2xui32>) -> tensor<4xf16>
  return %3 : tensor<4xf16>
}
