// RUN: ipu-opt %s --sdy-op-priority-propagate | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// What is computed element by element comes before the contraction.
// CHECK-LABEL: @elementwise_first(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// CHECK-SAME: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>} : tensor<8x8xf32>
func.func @elementwise_first(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %w: tensor<16x8xf32>,
                             %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %b : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Broadcasts go backwards before they go forwards.
// CHECK-LABEL: @broadcast(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}
// CHECK-SAME: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.broadcast_in_dim %{{[a-zA-Z0-9_]+}}, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {?}]>]>} : (tensor<8xf32>) -> tensor<8x16xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, batching_dims = [0] x [0], contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.broadcast_in_dim %{{[a-zA-Z0-9_]+}}, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {?}]>]>} : (tensor<8xf32>) -> tensor<8x16xf32>
func.func @broadcast(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// Dynamic slices go forwards first.
// CHECK-LABEL: @dynamic_slice(
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dynamic_slice %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, sizes = [8, 4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
func.func @dynamic_slice(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %i: tensor<i32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [8, 4] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
