// RUN: ipu-opt %s --sdy-user-priority-propagate | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Both dimensions want "x" or "y" in the result: that of priority 0 is first.
// CHECK-LABEL: @priorities(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {?}]>]>} : tensor<8x8xf32>
func.func @priorities(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>},
                      %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// An open dimension of priority 2 is closed until its turn; 1 need not exist.
// CHECK-LABEL: @gap(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.multiply %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
func.func @gap(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"y", ?}p2]>},
               %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Batch first, then the model, then the weights' rows.
// CHECK-LABEL: @batch_model_zero(
// CHECK-SAME: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
// CHECK-SAME: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}
// CHECK-SAME: -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>} : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
func.func @batch_model_zero(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}]>},
                            %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2, {"y", ?}p1]>}) -> tensor<16x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
