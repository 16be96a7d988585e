// RUN: ipu-opt %s --sdy-export-pipeline | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @constants(
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.000000e+00> : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
func.func public @constants(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} dense<1.0> : tensor<8xf32>
  %3 = stablehlo.add %0, %1 : tensor<8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// Shardings of edges are those of their owners.
// CHECK-LABEL: @edges(
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
func.func public @edges(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %a : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Axes that do not divide: 6 takes a half of 4; 3 takes none.
// CHECK-LABEL: @divisibility(
// CHECK-SAME: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}
// CHECK-SAME: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
func.func public @divisibility(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>},
                        %b: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<6xf32>, tensor<3xf32>) {
  return %a, %b : tensor<6xf32>, tensor<3xf32>
}

// Constraints are reshards, all dimensions closed, replicated axes as others.
// CHECK-LABEL: @reshards(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.reshard %{{[a-zA-Z0-9_]+}} <@mesh, [{"x"}]> : tensor<8xf32>
func.func public @reshards(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"x"}>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x", ?}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// All parts of a concatenation are sharded alike, and not along its dimension. The axis "x" of
// this dimension shards the other one instead.
// CHECK-LABEL: @concatenate(
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
// CHECK-SAME: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.reshard %arg0 <@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.reshard %arg1 <@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.concatenate %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}}, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y", "x"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.reshard %{{[a-zA-Z0-9_]+}} <@mesh, [{"x"}, {"y"}]> : tensor<16x8xf32>
func.func public @concatenate(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<16x8xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
