// RUN: ipu-opt %s --sdy-import-pipeline | FileCheck %s --check-prefixes=CHECK,MESH
// RUN: ipu-opt %s --sdy-import-pipeline=remove-size-one-axes-from-meshes | FileCheck %s --check-prefixes=CHECK,NOMESH

// CHECK: sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
// CHECK: sdy.mesh @mesh_0 = <["z"=4]>
// MESH: sdy.mesh @mesh = <["x"=2, "one"=1, "y"=2]>
// NOMESH: sdy.mesh @mesh = <["x"=2, "y"=2]>

sdy.mesh @mesh = <["x"=2, "one"=1, "y"=2]>
sdy.mesh @same = <["x"=2, "one"=1, "y"=2]>

// Meshes by one name, shardings without axes of size 1.
// CHECK-LABEL: @meshes(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"z"}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}
func.func public @meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@same, [{"one", "x"}]>},
                  %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=4]>, [{"z"}]>},
                  %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A constant for each use, with all that is computed from constants.
// CHECK-LABEL: @constants(
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.add %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.multiply %{{[a-zA-Z0-9_]+}}, %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
func.func public @constants(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %a, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %a, %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @edges(
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.data_flow_edge %{{[a-zA-Z0-9_]+}} sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
func.func public @edges(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A closed constraint is what its operand has; an open one is not.
// CHECK-LABEL: @constraints(
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.sharding_constraint %{{[a-zA-Z0-9_]+}} <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.negate %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.sharding_constraint %{{[a-zA-Z0-9_]+}} <@mesh, [{"x", ?}]> : tensor<8xf32>
func.func public @constraints(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = stablehlo.negate %b : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Groups that share a value are one.
// CHECK-LABEL: @groups(
// CHECK: sdy.sharding_group %{{[a-zA-Z0-9_]+}} group_id=0 : tensor<8xf32>
// CHECK: sdy.sharding_group %{{[a-zA-Z0-9_]+}} group_id=0 : tensor<8xf32>
// CHECK: sdy.sharding_group %{{[a-zA-Z0-9_]+}} group_id=0 : tensor<8xf32>
func.func public @groups(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
  sdy.sharding_group %a group_id=7 : tensor<8xf32>
  sdy.sharding_group %b group_id=7 : tensor<8xf32>
  sdy.sharding_group %b group_id=9 : tensor<8xf32>
  sdy.sharding_group %c group_id=9 : tensor<8xf32>
  return
}

// Manual axes in the order of the mesh, and in every sharding.
// CHECK-LABEL: @manual_axes(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y"}>}
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.manual_computation(%{{[a-zA-Z0-9_]+}}) in_shardings=[<@mesh, [{"x"}], replicated={"y"}>] out_shardings=[<@mesh, [{"x"}], replicated={"y"}>] manual_axes={"x", "y"} (%{{[a-zA-Z0-9_]+}}: tensor<4xf32>) {
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.data_flow_edge %{{[a-zA-Z0-9_]+}} sharding=<@mesh, [{}]> : tensor<4xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} : tensor<4xf32>
// CHECK: sdy.return %{{[a-zA-Z0-9_]+}} : tensor<4xf32>
// CHECK: } : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: %{{[a-zA-Z0-9_]+}} = sdy.data_flow_edge %{{[a-zA-Z0-9_]+}} sharding=<@mesh, [{"x"}], replicated={"y"}> : tensor<8xf32>
func.func public @manual_axes(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"y", "x"} (%b: tensor<4xf32>) {
    %1 = stablehlo.tanh %b : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A branch that is known.
// CHECK-LABEL: @known_branch(
// CHECK: %{{[a-zA-Z0-9_]+}} = stablehlo.tanh %{{[a-zA-Z0-9_]+}} : tensor<8xf32>
func.func public @known_branch(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.case"(%c) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    %1 = stablehlo.tanh %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Parts of an axis that were apart.
// CHECK-LABEL: @parts_of_axis(
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_4, [{"w"}]>}
sdy.mesh @mesh_4 = <["w"=4, "one"=1]>
func.func public @parts_of_axis(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_4, [{"w":(1)2, "one", "w":(2)2}]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
