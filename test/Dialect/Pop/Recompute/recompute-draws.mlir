// RUN: ipu-opt %s --pop-recompute --split-input-file | FileCheck %s

// Copies draw the bits of their ops: those of the draw, or those before the
// advances between the op and its copy. The seed of a dropout is the same.
//
// CHECK-LABEL: func.func @draws
// CHECK:         %[[A:.+]] = pop.exp %{{.+}} {pop.draw = #pop.draw<7>, pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    pop.dropout %[[A]], %[[SEED:.+]], 2.500000e-01 {pop.draw = #pop.draw<8>, pop.recompute = #pop<recompute checkpoint>}
// CHECK:         pop.loss_scale
// CHECK:         %[[B:.+]] = pop.exp %{{.+}} {pop.draw = #pop.draw<7, offset = -2>, pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    pop.dropout %[[B]], %[[SEED]], 2.500000e-01 {pop.draw = #pop.draw<8, offset = -2>, pop.recompute = #pop<recompute recomputed>}
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @draws(%x: tensor<4xf16>, %seed: tensor<2xui32>) -> (tensor<4xf16>, tensor<4xf16>) {
    %0 = pop.exp %x {pop.draw = #pop.draw<7>, pop.recompute = #pop<recompute recompute>} : tensor<4xf16>
    %1 = pop.dropout %0, %seed, 0.25 {pop.draw = #pop.draw<8>, pop.recompute = #pop<recompute recompute>} : tensor<4xf16>, tensor<2xui32>
    %2 = pop.abs %1 : tensor<4xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      pop.advance_draws
    }
    %one = pop.constant dense<1.0> : tensor<4xf16>
    %scale = pop.loss_scale %one : tensor<4xf16>
    %3 = pop.sign %1 : tensor<4xf16>
    pop.advance_draws
    return %2, %3 : tensor<4xf16>, tensor<4xf16>
  }
}
