// RUN: ipu-opt %s --sdy-canonicalize-collectives | FileCheck %s

sdy.mesh @m = <["x"=2, "y"=2]>

// Collectives, and nothing else.
// CHECK-LABEL: func @only_collectives
func.func @only_collectives(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant
  // CHECK-NEXT: sdy.reshard
  // CHECK-NEXT: sdy.reshard
  // CHECK-NEXT: sdy.reduce_scatter [{"x"}] %arg0
  // CHECK-NEXT: return
  %c = stablehlo.constant dense<0.0> : tensor<8xf32>
  %d = stablehlo.constant dense<0.0> : tensor<8xf32>
  %r = sdy.reshard %c <@m, [{"x"}]> : tensor<8xf32>
  %s = sdy.reshard %r <@m, [{"y"}]> : tensor<8xf32>
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Collectives look at the shardings of what they are given.

// CHECK-LABEL: func @reduced_along_a_replicated_axis
func.func @reduced_along_a_replicated_axis(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], replicated={"y"}>}) -> tensor<8x16xf32> {
  // CHECK-NEXT: sdy.replicated_to_unreduced
  // CHECK-NEXT: sdy.all_reduce
  // CHECK-NEXT: sdy.all_reduce
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x16xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func @reduced_along_an_axis_replicated_before_a_gather
func.func @reduced_along_an_axis_replicated_before_a_gather(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], replicated={"y"}>}) -> tensor<8x16xf32> {
  // CHECK-NEXT: sdy.all_gather
  // CHECK-NEXT: sdy.all_slice
  // CHECK-NEXT: sdy.all_reduce
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>
  %2 = sdy.all_reduce {"y"} %1 out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// The others do not ask what is replicated.
// CHECK-LABEL: func @gathered_with_a_replicated_axis
func.func @gathered_with_a_replicated_axis(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], replicated={"y"}>}) -> tensor<8x16xf32> {
  // CHECK-NEXT: sdy.replicated_to_unreduced
  // CHECK-NEXT: sdy.all_gather [{"x"}, {}] %arg0
  // CHECK-NEXT: return
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x16xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>
  %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func @the_first_shardings
func.func @the_first_shardings(%a: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: sdy.all_reduce {} %arg0
  // CHECK-NEXT: sdy.replicated_to_unreduced
  // CHECK-NEXT: sdy.reduce_scatter [{}, {}] %arg0
  // CHECK-NEXT: sdy.replicated_to_unreduced
  // CHECK-NEXT: return %{{.*}}, %{{.*}}, %arg0
  %0 = sdy.all_reduce {} %a out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
  %2 = sdy.reduce_scatter [{}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>
  %3 = sdy.replicated_to_unreduced {"x"} %2 out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
  %4 = sdy.all_reduce {} %a out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>
  return %1, %3, %4 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// From a name of a mesh to another one of the same nothing is permuted.
sdy.mesh @same = <["x"=2, "y"=2]>
// CHECK-LABEL: func @permuted_after_another_name
func.func @permuted_after_another_name(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@same, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK-NEXT: sdy.all_slice [{}] %arg0
  // CHECK-NEXT: sdy.collective_permute
  %0 = sdy.all_slice [{}] %a out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@m, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What is scattered is not replicated any more.
// CHECK-LABEL: func @scattered_along_a_replicated_axis
func.func @scattered_along_a_replicated_axis(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: %[[S:.*]] = sdy.reduce_scatter [{"x"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]>
  // CHECK-NEXT: sdy.all_slice [{"y"}, {}] %[[S]] out_sharding=<@m, [{"x", "y"}, {}]>
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}], replicated={"x"}> : tensor<8x16xf32>
  %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
