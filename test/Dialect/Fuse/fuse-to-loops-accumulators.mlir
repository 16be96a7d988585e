// Accumulators in loops that are longer than what they are for.

// RUN: ipu-opt %s --fuse-to-loops --canonicalize --mlir-print-local-scope | FileCheck %s

// The buffer has a place for each value of the merged loop, though what is summed
// does not vary along one part of it.
// CHECK-LABEL: func.func @merged_with_broadcast(
// CHECK: affine.for %{{.*}} = 0 to 5 {
// CHECK:   affine.for %[[I:.*]] = 0 to 8 {
// CHECK:     affine.if affine_set<(d0) : (-(d0 floordiv 2) + 2 >= 0)>(%[[I]])
// CHECK:       affine.store %{{.*}}, %{{.*}}[%[[I]]] : memref<8xf32>
func.func @merged_with_broadcast(%a: tensor<2x5xf32>) -> tensor<3x2xf32> {
  %0 = fuse.fusion ins(%a : tensor<2x5xf32>) -> tensor<3x2xf32> {
  ^bb0(%x: tensor<2x5xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3x2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
    %1 = linalg.generic {
        indexing_maps = [affine_map<(b, c, r) -> (c, r)>, affine_map<(b, c, r) -> (b, c)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<2x5xf32>) outs(%f : tensor<3x2xf32>)
        attrs = {fuse.schedule = #fuse.schedule<[b, c, r], split(0, 4, inner), merge(1, 2), reorder(0, 2, 1), ca = 1>} {
    ^bb0(%in: f32, %acc: f32):
      %s = arith.addf %acc, %in : f32
      linalg.yield %s : f32
    } -> tensor<3x2xf32>
    %2 = linalg.exp {fuse.schedule = #fuse.schedule<[b, c], split(0, 4, inner)>} ins(%1 : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
    fuse.yield %2 : tensor<3x2xf32>
  }
  return %0 : tensor<3x2xf32>
}

// What an accumulator starts from is read where that exists; the loop that
// updates it runs on, since another tensor is in it.
// CHECK-LABEL: func.func @start_in_uneven_loop(
// CHECK-SAME: %[[A:.*]]: tensor<5xf32>
// CHECK: %[[X:.*]] = bufferization.to_buffer %[[A]]
// CHECK: affine.for %[[I:.*]] = 0 to 3 {
// CHECK:   %[[START:.*]] = affine.load %[[X]][%[[I]]]
// CHECK:   affine.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK: affine.for %[[J:.*]] = 0 to 2 {
// CHECK:   %[[START:.*]] = affine.load %[[X]][%[[J]] + 3]
// CHECK:   affine.for {{.*}} iter_args(%{{.*}} = %[[START]])
func.func @start_in_uneven_loop(%a: tensor<5xf32>, %b: tensor<4xf32>) -> tensor<5xf32> {
  %0 = fuse.fusion ins(%a, %b : tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>, %y: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp {fuse.schedule = #fuse.schedule<[r], ca = 1>} ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {
        indexing_maps = [affine_map<(i, r) -> (r)>, affine_map<(i, r) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%1 : tensor<4xf32>) outs(%x : tensor<5xf32>)
        attrs = {fuse.schedule = #fuse.schedule<[i, r], split(0, 3, inner)>} {
    ^bb0(%in: f32, %acc: f32):
      %s = arith.addf %acc, %in : f32
      linalg.yield %s : f32
    } -> tensor<5xf32>
    fuse.yield %2 : tensor<5xf32>
  }
  return %0 : tensor<5xf32>
}
