// RUN: ipu-opt %s --sdy-aggressive-propagate | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The factor of the larger tensor gets the axis.
// CHECK-LABEL: @conflict(
// CHECK-SAME: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// CHECK-SAME: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}
// CHECK-SAME: -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.dot_general %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : (tensor<64x8xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
func.func @conflict(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
                    %b: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> tensor<64x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// One tensor's conflict is not another's.
// CHECK-LABEL: @apart(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
func.func @apart(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>},
                 %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What the result does not take does not go from one operand to the other.
// CHECK-LABEL: @no_sideways(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {?}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
func.func @no_sideways(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {?}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
