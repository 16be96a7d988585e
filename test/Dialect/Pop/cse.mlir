// RUN: ipu-opt %s --pop-cse | FileCheck %s

// CHECK-LABEL: func.func @placements
// CHECK-NEXT:    %[[A:.+]] = pop.exp %{{.*}} {pop.vgraph = 0 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.exp %{{.*}} {pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]]
func.func @placements(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %2 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @annotations
// CHECK:         pop.exp
// CHECK:         pop.exp
func.func @annotations(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.replica_equal = [#pop.replica_partition<all of 4>]} : tensor<4xf32>
  %1 = pop.exp %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A ref is read again after it was written.
//
// CHECK-LABEL: func.func @reads
// CHECK:         %[[A:.+]] = pop.read
// CHECK-NEXT:    pop.exp_
// CHECK-NEXT:    %[[B:.+]] = pop.read
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]]
func.func @reads(%r: !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.read %r : !pop.ref<4xf32>
  pop.exp_ %r : !pop.ref<4xf32>
  %2 = pop.read %r : !pop.ref<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Copies of a draw, as inlining makes them, draw different bits if there is an
// advance between them.
//
// CHECK-LABEL: func.func @draws
// CHECK:         %[[A:.+]] = pop.exp %{{.*}} {pop.draw = #pop.draw<3>} : tensor<4xf16>
// CHECK-NEXT:    pop.advance_draws
// CHECK-NEXT:    %[[B:.+]] = pop.exp %{{.*}} {pop.draw = #pop.draw<3>} : tensor<4xf16>
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]]
func.func @draws(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %0 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  %1 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  pop.advance_draws
  %2 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}

// CHECK-LABEL: func.func @draws_in_loop
// CHECK:         pop.exp
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      pop.exp
// CHECK-NEXT:      pop.advance_draws
func.func @draws_in_loop(%x: tensor<4xf16>, %n: index) -> (tensor<4xf16>, tensor<4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<4xf16> {
    %1 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
    pop.advance_draws
    scf.yield %1 : tensor<4xf16>
  }
  return %0, %r : tensor<4xf16>, tensor<4xf16>
}
