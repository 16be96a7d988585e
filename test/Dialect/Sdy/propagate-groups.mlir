// RUN: ipu-opt %s --sdy-basic-propagate | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// What one member gets, all get, though nothing joins them.
// CHECK-LABEL: @shared(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>})
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
// CHECK: sdy.sharding_group %{{[a-zA-Z0-9_]+}} group_id=1 : tensor<8xf32>
// CHECK: sdy.sharding_group %{{[a-zA-Z0-9_]+}} group_id=1 : tensor<8xf32>
func.func @shared(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = stablehlo.tanh %b : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  sdy.sharding_group %b group_id=1 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
