// RUN: ipu-opt %s --sdy-basic-propagate --verify-diagnostics | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>


// What the members are used for goes on as if they were one value.
// CHECK-LABEL: @conflict(
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"y", ?}]>
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"y", ?}]>
func.func @conflict(
    // expected-note @below {{the other member}}
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    // expected-warning @below {{members of a sharding group have different shardings: #sdy.sharding<@mesh, [{"y"}]> here but #sdy.sharding<@mesh, [{"x"}]> at another member; the members keep these shardings, and only the uses of the members get one common sharding}}
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  sdy.sharding_group %a group_id=1 : tensor<8xf32>
  sdy.sharding_group %b group_id=1 : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
