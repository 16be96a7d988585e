// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-form{mode=cost}))' | FileCheck %s
// RUN: ipu-opt %s --fuse-form --fuse-auto-schedule=vector-width=1 --fuse-to-loops=layout=identity | FileCheck %s --check-prefix=SUMS

// A sum over all elements ends a nest: what reads it has one of its own, with
// the broadcast, which costs no loop there.
// CHECK-LABEL: func.func @a_sum_over_all_ends_a_nest
// CHECK: %[[SUM:.*]] = fuse.fusion ins(%arg0 : tensor<64x64xf32>) -> tensor<f32>
// CHECK: linalg.exp
// CHECK: linalg.reduce
// CHECK: fuse.yield
// CHECK: fuse.fusion ins(%{{.*}}, %{{.*}} : {{.*}}) -> tensor<64x64xf32>
// CHECK: linalg.broadcast
// CHECK: linalg.div
// CHECK: linalg.abs
// CHECK: fuse.yield
// CHECK-NOT: fuse.fusion
func.func @a_sum_over_all_ends_a_nest(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<64x64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %0 = linalg.exp ins(%x : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x64xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  %b = linalg.broadcast ins(%1 : tensor<f32>) outs(%full : tensor<64x64xf32>) dimensions = [0, 1]
  %2 = linalg.div ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.abs ins(%2 : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// Rows are one nest: the sum of a row is read in the loop that makes it.
// CHECK-LABEL: func.func @rows_are_one_nest
// CHECK-COUNT-1: fuse.fusion
// CHECK-NOT: fuse.fusion
func.func @rows_are_one_nest(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %full = tensor.empty() : tensor<64x64xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// A whole row of the first product is needed for each element of the second:
// they share the loop over rows, in which neither is repeated.
// CHECK-LABEL: func.func @products_share_rows
// CHECK-COUNT-1: fuse.fusion
// CHECK-NOT: fuse.fusion
func.func @products_share_rows(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Ops that only read the same input share one pass over it.
// CHECK-LABEL: func.func @readers_of_one_input
// CHECK-COUNT-1: = fuse.fusion
// CHECK-NOT: = fuse.fusion
// SUMS-LABEL: func.func @readers_of_one_input
// SUMS-COUNT-1: affine.for
// SUMS-NOT: affine.for
// SUMS: return
func.func @readers_of_one_input(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %full = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%full : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.abs ins(%x : tensor<64xf32>) outs(%full : tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// A vector that many ops broadcast is no array to pass over.
// CHECK-LABEL: func.func @readers_of_a_broadcast_stay_apart
// CHECK-COUNT-2: = fuse.fusion
// CHECK-NOT: = fuse.fusion
func.func @readers_of_a_broadcast_stay_apart(%x: tensor<64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %full = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%x, %a : tensor<64xf32>, tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) {
  ^bb0(%g: f32, %v: f32, %o: f32):
    %p = arith.mulf %g, %v : f32
    linalg.yield %p : f32
  } -> tensor<64x64xf32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<64xf32>, tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) {
  ^bb0(%g: f32, %v: f32, %o: f32):
    %p = arith.mulf %g, %v : f32
    linalg.yield %p : f32
  } -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// The sums that a quotient needs are computed in one pass, though all three are
// connected without that. The quotient has no loop.
// CHECK-LABEL: func.func @sums_of_one_array
// CHECK-COUNT-2: = fuse.fusion
// CHECK-NOT: = fuse.fusion
// SUMS-LABEL: func.func @sums_of_one_array
// SUMS: affine.for %[[I:.*]] = 0 to 1048576 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// SUMS-COUNT-1: affine.load %{{.*}}[%[[I]]]
// SUMS-NOT: affine.for
// SUMS: return
func.func @sums_of_one_array(%x: tensor<1048576xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<1048576xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %q = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<1048576xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %a : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %r = linalg.div ins(%s, %q : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// A row that is read for two sums is in the cache the second time: nothing is
// copied for that.
// CHECK-LABEL: func.func @sums_of_rows
// CHECK-COUNT-1: = fuse.fusion
// CHECK-NOT: = fuse.fusion
// SUMS-LABEL: func.func @sums_of_rows
// SUMS-NOT: memref<64x64xf32>, memref<64x64xf32>
// SUMS-COUNT-2: affine.load %{{.*}} : memref<64x64xf32>
// SUMS: return
func.func @sums_of_rows(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %q = linalg.reduce { arith.maximumf } ins(%x : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %r = linalg.div ins(%s, %q : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
