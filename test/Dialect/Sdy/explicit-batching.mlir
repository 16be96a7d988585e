// RUN: ipu-opt %s --sdy-explicit-gather-scatter-batching --canonicalize | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline="enable-explicit-gather-scatter-batching=true" | FileCheck %s --check-prefix=PIPELINE
// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s --check-prefix=DEFAULT

sdy.mesh @mesh = <["x"=2]>

// Shardings go along the batching dimension that was implicit.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[A:.*]]: tensor<4x8x16xf32>{{.*}}, %[[I:.*]]: tensor<4x3x1xi32>)
// CHECK: "stablehlo.gather"(%[[A]], %[[I]])
// CHECK-SAME: #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>
// CHECK-SAME: slice_sizes = array<i64: 1, 1, 16>
// PIPELINE-LABEL: func.func @gather(
// PIPELINE-SAME: %arg1: tensor<4x3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}
// PIPELINE: stablehlo.gather{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>
// DEFAULT-LABEL: func.func @gather(
// DEFAULT-NOT: "stablehlo.gather"{{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}
func.func @gather(%a: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}, {?}]>}, %i: tensor<4x3x1xi32>) -> tensor<4x3x16xf32> {
  %n = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %c = stablehlo.concatenate %n, %i, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %0 = "stablehlo.gather"(%a, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}> : (tensor<4x8x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x16xf32>
  return %0 : tensor<4x3x16xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4x1xi32>, %[[U:.*]]: tensor<4xf32>)
// CHECK: "stablehlo.scatter"(%[[A]], %[[I]], %[[U]])
// CHECK-SAME: #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>
func.func @scatter(%a: tensor<4x8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<4x8xf32> {
  %n = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %c = stablehlo.concatenate %i, %n, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%a, %c, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Any dimension, and several.
// CHECK-LABEL: func.func @several(
// CHECK: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: operand_batching_dims = [0, 2], start_indices_batching_dims = [1, 0], start_index_map = [1], index_vector_dim = 2>
func.func @several(%a: tensor<4x8x5xf32>, %i: tensor<5x4x1xi32>) -> tensor<5x4xf32> {
  %n = stablehlo.iota dim = 1 : tensor<5x4x1xi32>
  %m = stablehlo.iota dim = 0 : tensor<5xi32>
  %k = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<5xi32>) -> tensor<5x4x1xi32>
  %l = stablehlo.concatenate %n, %i, dim = 2 : (tensor<5x4x1xi32>, tensor<5x4x1xi32>) -> tensor<5x4x2xi32>
  %c = stablehlo.concatenate %l, %k, dim = 2 : (tensor<5x4x2xi32>, tensor<5x4x1xi32>) -> tensor<5x4x3xi32>
  %0 = "stablehlo.gather"(%a, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x5xf32>, tensor<5x4x3xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// One index has to be left. What is left of indices that are no concatenation
// is a slice.
// CHECK-LABEL: func.func @last(
// CHECK: %[[N:.*]] = stablehlo.iota
// CHECK: %[[I:.*]] = stablehlo.slice %[[N]] [0:4, 1:2]
// CHECK: "stablehlo.gather"(%{{.*}}, %[[I]])
// CHECK-SAME: collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1]
func.func @last(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %n = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %0 = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Through what changes no number.
// CHECK-LABEL: func.func @through(
// CHECK: "stablehlo.gather"
// CHECK-SAME: operand_batching_dims = [0]
func.func @through(%a: tensor<4x8xf32>, %i: tensor<4x1xi32>) -> tensor<4xf32> {
  %m = stablehlo.iota dim = 1 : tensor<2x5xi64>
  %s = stablehlo.slice %m [0:1, 0:4] : (tensor<2x5xi64>) -> tensor<1x4xi64>
  %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<1x4xi64>) -> tensor<4x1xi64>
  %r = stablehlo.reshape %t : (tensor<4x1xi64>) -> tensor<1x4x1xi64>
  %q = stablehlo.reshape %r : (tensor<1x4x1xi64>) -> tensor<4x1xi64>
  %n = stablehlo.convert %q : (tensor<4x1xi64>) -> tensor<4x1xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
  %four = stablehlo.constant dense<4> : tensor<4x1xi32>
  %negative = stablehlo.compare LT, %n, %zeros : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
  %plus = stablehlo.add %n, %four : tensor<4x1xi32>
  %normal = stablehlo.select %negative, %plus, %n : tensor<4x1xi1>, tensor<4x1xi32>
  %max = stablehlo.constant dense<3> : tensor<4x1xi32>
  %clamped = stablehlo.clamp %zeros, %normal, %max : tensor<4x1xi32>
  %c = stablehlo.concatenate %clamped, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%a, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Numbers that are others than the coordinates: counted along another
// dimension, reversed in order by a select, cut off by a clamp, repeated by a
// reshape, too large for the type, fewer than there are rows.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: operand_batching_dims
func.func @others(%a: tensor<4x8xf32>, %i: tensor<4x1xi32>, %long: tensor<300x8xf32>, %j: tensor<300x1xi8>, %b: tensor<6x8xf32>, %square: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<300xf32>, tensor<4xf32>, tensor<4x4xf32>) {
  %n = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %zeros = stablehlo.constant dense<0> : tensor<4x1xi32>
  %two = stablehlo.constant dense<2> : tensor<4x1xi32>
  %greater = stablehlo.compare GE, %n, %two : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
  %selected = stablehlo.select %greater, %n, %zeros : tensor<4x1xi1>, tensor<4x1xi32>
  %c0 = stablehlo.concatenate %selected, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%a, %c0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  %clamped = stablehlo.clamp %zeros, %n, %two : tensor<4x1xi32>
  %c1 = stablehlo.concatenate %clamped, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %1 = "stablehlo.gather"(%a, %c1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  %m = stablehlo.iota dim = 0 : tensor<2x2xi32>
  %r = stablehlo.reshape %m : (tensor<2x2xi32>) -> tensor<4x1xi32>
  %c2 = stablehlo.concatenate %r, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %2 = "stablehlo.gather"(%a, %c2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  %k = stablehlo.iota dim = 0 : tensor<300x1xi8>
  %c3 = stablehlo.concatenate %k, %j, dim = 1 : (tensor<300x1xi8>, tensor<300x1xi8>) -> tensor<300x2xi8>
  %3 = "stablehlo.gather"(%long, %c3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<300x8xf32>, tensor<300x2xi8>) -> tensor<300xf32>
  %c4 = stablehlo.concatenate %n, %i, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %4 = "stablehlo.gather"(%b, %c4) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  %5 = "stablehlo.gather"(%square, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<4x1xi32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<300xf32>, tensor<4xf32>, tensor<4x4xf32>
}
