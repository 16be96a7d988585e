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
